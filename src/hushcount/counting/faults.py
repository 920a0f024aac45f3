"""What an error may take along on its way out of the places that hold cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from hushcount.errors import HushcountError

__all__ = ["telling_no_cell"]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def telling_no_cell(call: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Lets an error go without what it came from (a decoder's error holds a block of the file) and without the frames
    below, which may hold cells."""

    @wraps(call)
    def told(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            return call(*args, **kwargs)
        except HushcountError as error:
            error.__context__ = error.__cause__ = None
            failure = error.with_traceback(None)
        raise failure

    return told
