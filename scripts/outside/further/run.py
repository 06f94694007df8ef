"""Further cases for the tests against outside numbers: other sizes, settings and graphs than the files have.

    FIXTURES=FOLDER_OF_FOLDERS OUT=/tmp/further python scripts/outside/further/run.py [MODEL ...]
    FARHOP_FIXTURES=/tmp/further cargo test --workspace outside

Every folder of FIXTURES has a `check.py`, a model in NumPy written from its README alone, which gives the outputs here; gradients are central differences.
SCALE (0.5) is the spread of weights; NOGRAD=1 leaves gradients out.
A central difference across a bend of relu is wrong (`gatedgcn/deep` at SCALE=0.3): try another step. `tests/fixtures/*/further_*.npz` are some of these. Needs numpy.
"""
import sys

import attention  # noqa: F401
import codebooks  # noqa: F401
import messages  # noqa: F401
import propagation  # noqa: F401
import rewiring  # noqa: F401
import scans  # noqa: F401
import transformers  # noqa: F401
from cases import CASES

for make in CASES:
    if make.__name__ in sys.argv[1:] or not sys.argv[1:]:
        make()
