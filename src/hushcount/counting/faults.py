"""What an error may say of the places that hold cells, and what it may carry out of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from hushcount.errors import BadData, HushcountError

__all__ = ["foreign_code", "foreign_errors", "telling_no_cell"]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

_FAILURES = {
    "duckdb": "Error",
    "fastexcel": "FastExcelError",
    "psycopg": "Error",
    "py4j.protocol": "Py4JError",
    "pyarrow": "ArrowException",
    "pyreadstat": "PyreadstatError",
    "pyreadstat._readstat_parser": "ReadstatError",
    "pyspark.errors": "PySparkException",
    "sqlite3": "Error",
}


@contextmanager
def foreign_errors(what: str) -> Iterator[None]:
    """Turn errors of the libraries that read data into `BadData` with the message `what`.

    Their own messages may hold cells of the data, so only the class of the error is passed on.

    Raises:
        BadData: one of them failed.
        KeyboardInterrupt: one of them was interrupted, however it told so.
    """
    try:
        yield
    except Exception as error:
        if _is_interrupted(error):
            raise KeyboardInterrupt from None
        if isinstance(error, _failures()):
            raise BadData(f"{what} ({type(error).__name__})") from None
        raise


@contextmanager
def foreign_code(what: str) -> Iterator[None]:
    """Turn any error of code that somebody else brought along, such as a frame's own, as `foreign_errors` does."""
    try:
        yield
    except Exception as error:
        if _is_interrupted(error):
            raise KeyboardInterrupt from None
        raise BadData(f"{what} ({type(error).__name__})") from None


def _is_interrupted(error: BaseException | None) -> bool:
    """Return whether an error stands for Ctrl-C: DuckDB has an error of its own for it, a `RuntimeError` while it
    waits, and another that quotes the trace where it reads from Python."""
    while error is not None:
        told = str(error)
        if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "InterruptException":
            return True
        if isinstance(error, RuntimeError) and told == "Query interrupted":
            return True
        if "Python exception: " in told and re.search(r"^KeyboardInterrupt\b", told, re.MULTILINE):
            return True
        error = error.__cause__ or error.__context__
    return False


def _failures() -> tuple[type[Exception], ...]:
    """Return the errors of the libraries in use, which need not all be installed."""
    found = [getattr(sys.modules[module], name) for module, name in _FAILURES.items() if module in sys.modules]
    return (*found, OSError, UnicodeError, MemoryError)


def telling_no_cell(call: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Let an error go without its cause (a decoder's error holds a block of the file) and without the frames below,
    which may hold cells."""

    @wraps(call)
    def told(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            return call(*args, **kwargs)
        except (HushcountError, KeyboardInterrupt) as error:
            error.__context__ = error.__cause__ = None
            failure: BaseException = error.with_traceback(None)
        raise failure

    return told
