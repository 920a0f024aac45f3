"""One command line run in this process, and what is wrong with how it ended."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from values import Case

from hushcount import cli
from hushcount.cli.exit_codes import EXIT_CODES, FAULT, SAYS_NO
from hushcount.sweeps import run as sweeps
from hushcount.sweeps.worker import evaluated

__all__ = ["faults", "prepare"]

LONGEST = 120
"""The most seconds of processor time for one input."""

_SAYS_NO = re.compile(r"not private|NOT_PRIVATE|REJECTED|rejected|does not hold")
_LINES = re.compile(r"(hushcount: (error|note): [^\n]+\n)?")


class TakesTooLong(BaseException):
    """No `Exception`, so that nobody takes it for something foreseen."""


def prepare() -> None:
    """Make this process ready to run many command lines.

    Warnings become errors, and a sweep computes its points here.
    """
    sys.warnoptions[:] = ["error"]  # as if it had been started so; the command then leaves warnings alone
    warnings.simplefilter("error")
    sweeps.rows_of = _rows_here
    signal.signal(signal.SIGPROF, _too_long)


def _rows_here(points: Any, backend: str, jobs: int | None) -> Iterator[Any]:
    if backend.startswith("dask"):  # which would start a cluster, or wait for one
        raise sweeps.BadUse("no Dask in a fuzz run")
    return (evaluated(point) for point in points)


def _too_long(number: int, frame: FrameType | None) -> NoReturn:
    raise TakesTooLong


def faults(case: Case) -> list[str]:
    """What is wrong with how the case ends; nothing, if all is as promised."""
    folder, before = tempfile.mkdtemp(prefix="fuzz-"), os.getcwd()
    inner = Path(folder, "in")  # from where `..` leads to nothing of anyone's
    try:
        inner.mkdir()
        os.chdir(inner)
        for name, content in case.files.items():
            Path(name).write_bytes(content)
        return list(_faults(list(case.arguments)))
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def _faults(arguments: list[str]) -> Iterator[str]:
    out, err = io.StringIO(), io.StringIO()
    with _quiet_descriptors() as said, redirect_stdout(out), redirect_stderr(err):
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            code = cli.main(arguments)
        except BaseException as error:
            yield f"a traceback: {type(error).__name__}"
            return
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    told, complaint = out.getvalue(), err.getvalue()
    if code not in EXIT_CODES:
        yield f"exit code {code}"
    if code == FAULT:
        yield f"exit code {code}: {complaint.strip()}"
    if code == SAYS_NO and not (arguments[0] == "audit" and _SAYS_NO.search(told)):
        yield f"exit code {code} without a verdict"
    if not _LINES.fullmatch(complaint):
        yield f"more than one line on standard error: {complaint[:300]!r}"
    if (code in (0, SAYS_NO, 5)) != bool(told):
        yield f"exit code {code} with {len(told)} characters on standard output"
    if (code not in (0, SAYS_NO, 5)) and not complaint:
        yield f"exit code {code} without a word"
    if said:
        yield f"beside its own streams: {said[0][:300]!r}"
    if left := [name for name in os.listdir() if name.endswith(".tmp") or name.startswith(".hushcount-")]:
        yield f"left behind: {left}"


@contextmanager
def _quiet_descriptors() -> Iterator[list[bytes]]:
    """What libraries write to the descriptors of standard output and error meanwhile."""
    found: list[bytes] = []
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        try:
            yield found
        finally:
            for descriptor, old in zip((1, 2), kept, strict=True):
                os.dup2(old, descriptor)
                os.close(old)
            file.seek(0)
            if written := file.read():
                found.append(written)
