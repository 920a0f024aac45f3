"""Options that belong together, as one value.

A bundle is a dataclass whose fields are options. A command that takes a bundle takes each of its options, and is called
with the bundle built from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

__all__ = ["flat"]


def flat(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with a parameter for each field of its bundles, by keyword."""
    parameters: list[inspect.Parameter] = []
    bundles: dict[str, tuple[Any, list[str]]] = {}
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        bundle: Any = parameter.annotation
        if hasattr(bundle, "__dataclass_fields__"):
            hints = get_type_hints(bundle, include_extras=True)
            fields = inspect.signature(bundle).parameters.values()
            parameters += [field.replace(annotation=hints[field.name]) for field in fields]
            bundles[parameter.name] = bundle, [field.name for field in fields]
        else:
            parameters.append(parameter)

    @wraps(command)
    def call(**given: Any) -> Any:
        made = {name: kind(**{field: given.pop(field) for field in fields}) for name, (kind, fields) in bundles.items()}
        return command(**given, **made)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    by_keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    call.__signature__ = inspect.Signature(by_keyword)  # type: ignore[attr-defined]
    return call
