"""What all generators share: graphs, weights, central differences, files."""
import importlib.util
import json
import os
import pathlib
import sys

import numpy as np

ROOT, OUT = (pathlib.Path(os.environ.get(name, ".")) for name in ("FIXTURES", "OUT"))


def module(model):
    spec = importlib.util.spec_from_file_location('check_' + model.replace('-', '_'), ROOT / model / 'check.py')
    m = importlib.util.module_from_spec(spec)
    argv, sys.argv = sys.argv, ['check.py']
    try:
        spec.loader.exec_module(m)
    except SystemExit:
        pass
    sys.argv = argv
    return m


def graph(sizes, seed, lone=(), chords=2):
    """Union of graphs of these sizes: a path with chords; nodes of `lone` have no edge."""
    r, pairs, first = np.random.default_rng(seed), set(), 0
    for n in sizes:
        alive = [first + i for i in range(n) if first + i not in lone]
        for a, b in zip(alive, alive[1:]):
            pairs |= {(a, b), (b, a)}
        for _ in range(n // chords if len(alive) > 2 else 0):
            a, b = r.choice(alive, 2, replace=False)
            pairs |= {(int(a), int(b)), (int(b), int(a))}
        first += n
    pairs = sorted(pairs, key=lambda p: (p[1], p[0]))
    ei = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    return {'edge_index': ei.reshape(2, -1), 'num_nodes': np.array(first), 'batch': np.repeat(np.arange(len(sizes)), sizes)}


def fd(loss, d, keys, h=1e-5):
    """Central differences of loss() for every entry of the arrays of d, changed in place."""
    grads = {}
    for key in keys:
        a = d[key]
        g = np.zeros(a.shape)
        flat, out = a.reshape(-1), g.reshape(-1)
        for i in range(flat.size):
            old = flat[i]
            flat[i] = old + h; up = loss()
            flat[i] = old - h; down = loss()
            flat[i] = old
            out[i] = (up - down) / (2 * h)
        grads[key] = g
    return grads


def save(model, name, d, cfg, skip=()):
    (OUT / model).mkdir(parents=True, exist_ok=True)
    d = {k: np.ascontiguousarray(v).reshape(np.shape(v)) for k, v in d.items() if k not in skip}
    d['config'] = np.array(json.dumps(cfg))
    np.savez_compressed(OUT / model / (name + '.npz'), **d)
    print(model, name, sum(v.size for k, v in d.items() if k.startswith('param/')), 'parameters', flush=True)

SCALE = float(os.environ.get('SCALE', '0.5'))

def rnd(r, shape, scale=None):
    scale = SCALE if scale is None else scale
    return r.standard_normal(shape) * scale


def fill(d, r, shapes, prefix='param/'):
    for k, s in shapes.items():
        if 'buffer' in prefix and k.endswith('var'):
            d[prefix + k] = 0.5 + r.random(s)
        elif any(k.endswith(e) for e in ('gain', 'bn.weight', 'norm.weight', 'ln_gain')):
            d[prefix + k] = 1 + 0.3 * rnd(r, s)
        else:
            d[prefix + k] = rnd(r, s)

GRADS = not os.environ.get('NOGRAD')


def finish(model, name, d, cfg, forward, inputs=('x',), trains=(False,), skip=()):
    """forward(d, cfg, train) -> outputs."""
    r = np.random.default_rng(99)
    out = forward(d, cfg, False)
    d['cotangent'] = r.standard_normal(out.shape)
    d['out'] = out.copy()
    keys = [k for k in inputs if k in d] + [k for k in d if k.startswith('param/')]
    for train in trains:
        tag = '_train' if train else ''
        if train:
            d['out_train'] = forward(d, cfg, True).copy()
        if GRADS and inputs:
            g = fd(lambda: float((forward(d, cfg, train) * d['cotangent']).sum()), d, keys)
            for k, v in g.items():
                d[f'grad{tag}/{k}'] = v
    save(model, name, d, cfg, skip)


CASES = []


def case(f):
    """A function that makes cases of the model that it is named after."""
    CASES.append(f)
    return f


def lin_(n, i, o): return {f'{n}.weight': (o, i), f'{n}.bias': (o,)}


def bn_(d, r, n, w):
    d[f'param/{n}.weight'] = 1 + 0.3 * rnd(r, (w,)); d[f'param/{n}.bias'] = rnd(r, (w,))
    d[f'buffer/{n}.running_mean'] = rnd(r, (w,)); d[f'buffer/{n}.running_var'] = 0.5 + r.random(w)
