"""hushcount: private counts that are always possible answers, and wrong as rarely as any private mechanism can be.

Names are loaded on first use, so that `import hushcount` costs little more than numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushcount._version import __version__

if TYPE_CHECKING:
    from hushcount.counting import Adjacency, ReadOptions
    from hushcount.errors import (
        BadData,
        BadUse,
        HushcountError,
        InvalidParameter,
        NoSuchColumn,
        PredicateRefused,
        TooLarge,
    )
    from hushcount.mechanisms import Mechanism, canonical, from_matrix, nearest
    from hushcount.release.count import release_count
    from hushcount.release.receipt import Receipt
    from hushcount.simulation import simulate
    from hushcount.tradeoff import EpsilonDelta

_HOMES = {
    "hushcount.counting": ("Adjacency", "ReadOptions"),
    "hushcount.errors": (
        "BadData",
        "BadUse",
        "HushcountError",
        "InvalidParameter",
        "NoSuchColumn",
        "PredicateRefused",
        "TooLarge",
    ),
    "hushcount.mechanisms": ("Mechanism", "canonical", "from_matrix", "nearest"),
    "hushcount.release.count": ("release_count",),
    "hushcount.release.receipt": ("Receipt",),
    "hushcount.simulation": ("simulate",),
    "hushcount.tradeoff": ("EpsilonDelta",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Adjacency",
    "BadData",
    "BadUse",
    "EpsilonDelta",
    "HushcountError",
    "InvalidParameter",
    "Mechanism",
    "NoSuchColumn",
    "PredicateRefused",
    "ReadOptions",
    "Receipt",
    "TooLarge",
    "__version__",
    "canonical",
    "from_matrix",
    "nearest",
    "release_count",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
