"""How far a long command is: on standard error, where that is a terminal; nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Show", "progress_bar"]

Show = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is being done now, which may be empty."""


@contextmanager
def progress_bar(unit: str) -> Iterator[Show]:
    """A bar with a count of `unit` and the time left, which is gone at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich import progress  # it comes with typer
    from rich.console import Console

    bar = progress.Progress(
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn(f"{unit},"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
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


def _told(what: str) -> str:
    return f": {what}" if what else ""
