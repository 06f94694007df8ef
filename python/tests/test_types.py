"""The annotations hold."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_mypy_has_no_complaints(tmp_path):
    pytest.importorskip("mypy")
    root = Path(__file__).resolve().parents[2]
    asked = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "--config-file", str(root / "pyproject.toml")]
    done = subprocess.run(asked, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_name_that_is_promised_is_there():
    import farhop

    assert all(hasattr(farhop, name) for name in farhop.__all__) and farhop.__all__ == sorted(farhop.__all__, key=lambda name: (name[0].islower(), name))
    assert all((getattr(farhop, name).__doc__ or "").strip() for name in farhop.__all__)


def test_nothing_but_numpy_is_imported():
    code = "import sys, farhop; print([name for name in ('torch', 'scipy', 'pandas', 'sklearn', 'networkx', 'IPython') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
