"""Exact gradients of numpy programs: arrays that remember how they were made. For the cases of outside numbers, in float64."""
import numpy as np


class Var:
    """An array, and how gradients go on to what it was made of."""

    __array_priority__ = 1000

    def __init__(self, value, parents=()):
        self.value, self.parents, self.gradient = np.asarray(value), parents, None

    shape = property(lambda self: self.value.shape)

    def __add__(self, other):
        other = of(other)
        return Var(self.value + other.value, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        other = of(other)
        return Var(self.value * other.value, [(self, lambda g: g * other.value), (other, lambda g: g * self.value)])

    def __truediv__(self, other):
        other = of(other)
        value = self.value / other.value
        return Var(value, [(self, lambda g: g / other.value), (other, lambda g: -g * value / other.value)])

    def __matmul__(self, other):
        other = of(other)
        return Var(self.value @ other.value, [(self, lambda g: g @ other.value.T), (other, lambda g: self.value.T @ g)])

    __radd__, __rmul__ = __add__, __mul__
    __neg__ = lambda self: self * -1.0
    __sub__ = lambda self, other: self + -of(other)
    __rsub__ = lambda self, other: of(other) + -self
    __rtruediv__ = lambda self, other: of(other) / self
    T = property(lambda self: Var(self.value.T, [(self, lambda g: g.T)]))

    def __getitem__(self, places):
        def back(g):
            whole = np.zeros_like(self.value)
            np.add.at(whole, places, g)
            return whole
        return Var(self.value[places], [(self, back)])

    def reshape(self, *shape):
        return Var(self.value.reshape(*shape), [(self, lambda g: g.reshape(self.value.shape))])

    def sum(self, axis=None, keepdims=False):
        def back(g):
            if axis is not None and not keepdims:
                g = np.expand_dims(g, axis)
            return np.broadcast_to(g, self.value.shape)
        return Var(self.value.sum(axis=axis, keepdims=keepdims), [(self, back)])

    def mean(self, axis=None, keepdims=False):
        return self.sum(axis, keepdims) / (self.value.size / np.sum(self.value, axis=axis).size)


def of(value):
    return value if isinstance(value, Var) else Var(value)


def each(function, slope):
    """A function of each number with its slope, which gets the number and the result."""
    def apply(x):
        x = of(x)
        y = function(x.value)
        return Var(y, [(x, lambda g: g * slope(x.value, y))])
    return apply


exp = each(np.exp, lambda x, y: y)
log = each(np.log, lambda x, y: 1 / x)
sqrt = each(np.sqrt, lambda x, y: 0.5 / y)
tanh = each(np.tanh, lambda x, y: 1 - y * y)
sigmoid = each(lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y))
relu = each(lambda x: np.maximum(x, 0), lambda x, y: x > 0)
elu = each(lambda x: np.where(x > 0, x, np.expm1(x)), lambda x, y: np.where(x > 0, 1, y + 1))


def leaky(x, slope):
    return each(lambda x: np.where(x > 0, x, slope * x), lambda x, y: np.where(x > 0, 1, slope))(x)


def clip(x, low, high):
    return each(lambda x: np.clip(x, low, high), lambda x, y: (x >= low) & (x <= high))(x)


def signed_root(x):
    return each(lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x, y: np.divide(0.5, np.abs(y), where=y != 0, out=np.zeros_like(y)))(x)


def scatter(x, places, rows):
    """Row p of x is added to row places[p] of `rows` rows."""
    x = of(x)
    y = np.zeros((rows,) + x.shape[1:], x.value.dtype)
    np.add.at(y, places, x.value)
    return Var(y, [(x, lambda g: g[places])])


def concat(parts, axis=-1):
    parts = [of(part) for part in parts]
    ends = np.cumsum([part.shape[axis] for part in parts])[:-1]
    back = lambda at: lambda g: np.split(g, ends, axis)[at]
    return Var(np.concatenate([part.value for part in parts], axis), [(part, back(at)) for at, part in enumerate(parts)])


def backward(loss):
    """Writes `gradient` into all that `loss`, a single number, was made of."""
    order, seen, todo = [], set(), [(loss, False)]
    while todo:
        node, ready = todo.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            todo.append((node, True))
            todo.extend((parent, False) for parent, _ in node.parents)
    loss.gradient = np.ones_like(loss.value)
    for node in reversed(order):
        if node.gradient is None:
            continue
        for parent, back in node.parents:
            g = back(node.gradient)
            # What was spread over an axis is summed over it.
            while g.ndim > parent.value.ndim:
                g = g.sum(0)
            for axis, size in enumerate(parent.value.shape):
                if size == 1 and g.shape[axis] != 1:
                    g = g.sum(axis, keepdims=True)
            parent.gradient = g if parent.gradient is None else parent.gradient + g
