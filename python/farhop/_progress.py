"""What an estimator hears of its run: history, callbacks, a line that moves."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Sequence


class Listener:
    """Called by the native half. Says True to stop the run."""

    def __init__(self, callbacks: Sequence[Callable[[dict[str, Any]], Any]], verbose: bool | None) -> None:
        self.callbacks = list(callbacks)
        self.bar = _bar(verbose)
        self.epochs = 0

    def __call__(self, kind: str, what: dict[str, Any]) -> bool:
        if kind == "started":
            self.epochs = what["epochs"]
            self.bar.start(what["done"], what["epochs"])
        elif kind == "epoch":
            self.bar.move(what)
            # Every callback hears of the epoch, whatever the others say.
            return any([callback(dict(what)) is True for callback in self.callbacks])
        return False

    def close(self) -> None:
        """The run ended, one way or another."""
        self.bar.close()


class _Silent:
    def start(self, done: int, epochs: int) -> None:
        pass

    def move(self, report: dict[str, Any]) -> None:
        pass

    def close(self) -> None:
        pass


class _Line(_Silent):
    """One line on standard error that is written over, five times a second at most."""

    def __init__(self) -> None:
        self.begin = self.written = 0.0
        self.epochs = self.done = self.width = 0

    def start(self, done: int, epochs: int) -> None:
        self.begin, self.done, self.epochs = time.monotonic(), done, epochs

    def text(self, report: dict[str, Any]) -> str:
        epoch = report["epoch"]
        filled = round(20 * epoch / max(self.epochs, 1))
        taken = time.monotonic() - self.begin
        left = taken / max(epoch - self.done, 1) * (self.epochs - epoch)
        rest = f"{left:.0f} s left" if epoch < self.epochs else f"in {taken:.0f} s"
        score = "" if report.get("valid") is None else f"  valid {report['valid']:.4f}"
        return f"epoch {epoch}/{self.epochs} |{'█' * filled}{' ' * (20 - filled)}| loss {report['loss']:.4f}{score}  {rest}"

    def move(self, report: dict[str, Any]) -> None:
        now = time.monotonic()
        if now - self.written < 0.2 and report["epoch"] != self.epochs:
            return
        self.written = now
        self.show(self.text(report))

    def show(self, text: str) -> None:
        self.width = max(self.width, len(text))
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\n")
            sys.stderr.flush()


class _Notebook(_Line):
    """The same as an output of a notebook that is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None

    def show(self, text: str) -> None:
        from IPython.display import display  # only in a notebook, where it is loaded already

        plain = {"text/plain": text}
        if self.handle is None:
            self.handle = display(plain, raw=True, display_id=True)
        else:
            self.handle.update(plain, raw=True)

    def close(self) -> None:
        self.handle = None


def _bar(verbose: bool | None) -> _Silent:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is not None and type(running).__name__ == "ZMQInteractiveShell":
        return _Silent() if verbose is False else _Notebook()
    if verbose is None:
        verbose = bool(sys.stderr is not None and sys.stderr.isatty())
    return _Line() if verbose else _Silent()
