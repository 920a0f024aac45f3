"""Many cases in one test: for grids of cases so cheap that to report each on its own takes longer than to run it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def for_each(name: str, values: Iterable[Any] = (), *, of: str = "") -> Callable[[Test], Test]:
    """Go through these values of the parameter `name`, or through those in the fixture or parameter `of`.

    The test ends with the first value that fails, and names it.
    """
    given = list(values)
    assert bool(given) != bool(of)

    def decorate(check: Test) -> Test:
        @functools.wraps(check)
        def test(**arguments: Any) -> None:
            cases = list(arguments.pop(of)) if of else given
            assert cases
            for value in cases:
                try:
                    check(**arguments, **{name: value})
                except Exception as error:
                    error.add_note(f"{name} = {value!r}")
                    raise

        signature = inspect.signature(check)
        parameters = dict(signature.parameters)
        asked = parameters.pop(name)
        if of:
            parameters[of] = asked.replace(name=of, annotation=Iterable)
        test.__signature__ = signature.replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
        return test

    return decorate
