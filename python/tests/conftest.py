"""What the tests share."""

import os
import subprocess

import numpy as np
import pytest

import farhop


@pytest.fixture
def command():
    """The command, as cargo built it."""
    path = os.environ.get("FARHOP_COMMAND", "")
    if not os.path.exists(path):
        pytest.skip("the command is not built")

    def run(*words, fails=False):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


def path_graph(nodes=60, seed=0):
    """A path whose nodes have two noisy features; the class is which end is nearer."""
    random = np.random.RandomState(seed)
    edges = np.array([np.arange(nodes - 1), np.arange(1, nodes)])
    y = (np.arange(nodes) >= nodes // 2).astype(int)
    x = (random.randn(nodes, 2) * 0.3 + np.column_stack([y, 1 - y])).astype(np.float32)
    return farhop.Graph(edges, x), y


@pytest.fixture
def path():
    return path_graph()


def rings(count=24, seed=0):
    """Rings with and without a chord; the class is whether there is one, the number is how long the ring is."""
    random = np.random.RandomState(seed)
    graphs, y, lengths = [], [], []
    for number in range(count):
        length, chord = random.randint(6, 10), number % 2
        ends = [(i, (i + 1) % length) for i in range(length)] + ([(0, length // 2)] if chord else [])
        graphs.append(farhop.Graph(np.array(ends).T, np.bincount(np.ravel(ends), minlength=length).astype(np.float32).reshape(-1, 1)))
        y.append(chord)
        lengths.append(float(length))
    return graphs, np.array(y), np.array(lengths)
