"""The exceptions of farhop. Their texts are those of the command."""

from __future__ import annotations

import sys


class FarhopError(Exception):
    """Anything that farhop refuses or fails at."""


class DataError(FarhopError, ValueError):
    """Graphs, features, answers or files that do not hold together. Names the argument or file, the value and the remedy."""


class SettingError(FarhopError, ValueError):
    """A setting that does not exist or can't have that value. The nearest name is suggested."""


class RunError(FarhopError, RuntimeError):
    """A run folder that can't be written, read or continued."""


class DoesNotFit(FarhopError, MemoryError):
    """More memory would be needed than there is; nothing was begun."""


class InternalError(FarhopError, RuntimeError):
    """A mistake in farhop itself."""


class NotFittedError(FarhopError, ValueError, AttributeError):
    """The estimator was not fitted yet."""


def not_fitted(text: str) -> NotFittedError:
    """The error; where scikit-learn is loaded, it is its own NotFittedError, too."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return NotFittedError(text)
    both = type("NotFittedError", (NotFittedError, theirs.NotFittedError), {"__doc__": NotFittedError.__doc__, "__module__": "farhop"})
    return both(text)


class ConversionWarning(UserWarning):
    """Numbers were converted to another type; said once for each argument."""
