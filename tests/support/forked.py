"""Processes that are forked from one without threads, which has imported everything: each starts at once."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PROCESSES", "Ended", "ended"]

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        *("broken_release", "duckdb", "ledgers", "pyarrow.compute", "pyarrow.csv", "sqlglot.dialects.duckdb"),
        *("hushcount.cli.commands.release", "hushcount.cli.commands.plan.run", "hushcount.counting.sources.csv.source"),
        *("hushcount.ledger.postgresql_store", "hushcount.ledger.sqlite.store", "hushcount.release.answer"),
    ]
)


@dataclass(frozen=True)
class Ended:
    """A process that has ended: below 0 stands for the signal that killed it."""

    returncode: int
    stdout: str
    stderr: str


def ended(run: Callable[..., int], *arguments: Any) -> Ended:
    """What a process of its own leaves that runs a function and exits with what it returns.

    It is in this folder and has this environment, as one that is started anew.
    """
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "stdout"), Path(folder, "stderr")
        given = (os.getcwd(), dict(os.environ), [str(path) for path in told], run, arguments)
        process = PROCESSES.Process(target=_run, args=given)
        process.start()
        process.join()
        assert process.exitcode is not None
        return Ended(process.exitcode, *(path.read_text("utf-8") for path in told))


def _run(
    folder: str, environment: Mapping[str, str], told: list[str], run: Callable[..., int], arguments: tuple[Any, ...]
) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(told, 1):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    sys.exit(run(*arguments))
