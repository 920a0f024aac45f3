"""The progress of a long command, on standard error where that is a terminal; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from hushcount.cli.saying import written

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

__all__ = ["Show", "part_bar", "progress_bar"]

Show = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is being done now, which may be empty."""


@contextmanager
def progress_bar(unit: str) -> Iterator[Show]:
    """Show a bar with a count of `unit` and the time left, which is gone at the end."""
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
            task = bar.add_task(_told(what), total=total, completed=done)
        else:
            bar.update(task, completed=done, description=_told(what))

    with bar:
        yield show


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
