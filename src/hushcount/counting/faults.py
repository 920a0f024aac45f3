"""What an error may say of the places that hold cells, and what it may carry out of them."""

from __future__ import annotations

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
    """
    try:
        yield
    except _failures() as error:
        raise BadData(f"{what} ({type(error).__name__})") from None


@contextmanager
def foreign_code(what: str) -> Iterator[None]:
    """Turn any error of code that somebody else brought along, such as a frame's own, as `foreign_errors` does."""
    try:
        yield
    except Exception as error:
        raise BadData(f"{what} ({type(error).__name__})") from None


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
        except HushcountError as error:
            error.__context__ = error.__cause__ = None
            failure = error.with_traceback(None)
        raise failure

    return told
