"""The progress of a long command, on standard error where that is a terminal; nothing elsewhere.

Every command that takes more than a second shows that it goes on. One that knows how far it is shows that instead.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, cast

from hushcount.cli.saying import written

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

__all__ = ["Show", "part_bar", "progress_bar", "sign_of_life"]

Show = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is being done now, which may be empty."""


_PATIENCE = 1.0
"""How long nobody wonders, in seconds."""

_OTHER: _SignOfLife | None = None
"""What shows the time now, until another bar takes its place."""


@contextmanager
def sign_of_life() -> Iterator[None]:
    """Show a moving bar with the time since the start, once that is a second; gone at the end, or once a command has
    more to show."""
    global _OTHER  # noqa: PLW0603 (there is one terminal)
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    _OTHER = _SignOfLife()
    try:
        yield
    finally:
        _OTHER.stop()
        _OTHER = None


class _SignOfLife:
    """A bar that a thread shows after a while; rich, which takes long to load, is loaded only then."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._is_over = False
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._timer.daemon = True  # nobody waits for it
        self._timer.start()

    def _show(self) -> None:
        from rich.progress import BarColumn, TimeElapsedColumn

        with self._lock:
            if not self._is_over:
                self._bar = _transient(BarColumn(), TimeElapsedColumn())
                task = self._bar.add_task("", total=None)
                self._bar.tasks[task].start_time = self._bar.get_time() - (monotonic() - self._began)
                self._bar.start()

    def stop(self) -> None:
        """Remove the bar, or never show it."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._bar is not None:
                self._bar.stop()


def _take_its_place() -> None:
    if _OTHER is not None:
        _OTHER.stop()


@contextmanager
def progress_bar(unit: str) -> Iterator[Show]:
    """Show a bar with a count of `unit` and the time left, once there is something to show; gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich import progress

    bar = _transient(
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn(f"{unit},"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left{task.description}", markup=False),
    )
    task: progress.TaskID | None = None

    def show(done: int, total: int, what: str) -> None:
        nonlocal task
        if task is None:
            _take_its_place()
            bar.start()
            task = bar.add_task(_told(what), total=total, completed=done)
        else:
            bar.update(task, completed=done, description=_told(what))

    try:
        yield show
    finally:
        bar.stop()


@contextmanager
def part_bar(title: str) -> Iterator[Callable[[float], None] | None]:
    """Give a function that takes the part that is done, from 0 to 1; None where standard error is no terminal.

    The bar appears once there is something to show, and is removed at the end.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = _transient(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    task = None

    def report(part: float) -> None:
        nonlocal task
        if task is None:
            _take_its_place()
            bar.start()
            task = bar.add_task(title, total=1.0)
        bar.update(task, completed=part)

    try:
        yield report
    finally:
        bar.stop()


class _Screen:
    """Standard error as a file that accepts everything: the work goes on when the terminal is gone."""

    def write(self, text: str) -> int:
        written(sys.stderr, text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def _transient(*columns: ProgressColumn) -> Progress:
    """Return a bar of the package rich, which comes with typer."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=cast(IO[str], _Screen()))
    return Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)


def _told(what: str) -> str:
    return f": {what}" if what else ""
