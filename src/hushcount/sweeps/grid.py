"""A grid of points; each axis is checked before anything is computed, so that no sweep fails halfway for a bad
value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import product

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.grid import LARGEST_GRID, Values, grid_integers, grid_values
from hushcount.medium.certified.optimum import LARGEST_OPTIMIZED
from hushcount.medium.channels.bits import probability
from hushcount.medium.channels.by_name import MEDIA, takes
from hushcount.medium.channels.link import Link
from hushcount.numbers.exact import Number, exact_text
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.sweeps.columns import columns
from hushcount.sweeps.mechanism_row import MechanismPoint, MechanismRow
from hushcount.sweeps.medium_row import MediumPoint, MediumRow, made
from hushcount.sweeps.mu_row import MuPoint, MuRow

__all__ = ["Grid", "Point", "Row", "check_without_mu", "grid_values", "medium_grid", "promises"]

Point = MediumPoint | MechanismPoint | MuPoint
Row = MediumRow | MechanismRow | MuRow

_SNRS = ("es_n0_db", "eb_n0_db")
_AXES = (*_SNRS, "p", "multiple")
"""The axes of a medium; each kind needs one of these."""


@dataclass(frozen=True)
class Grid:
    """The product of some axes.

    Attributes:
        row_class: the class of its rows.
        fixed: fields of each point that do not vary.
        axes: the fields that vary, outermost first, each with its values.
        left_out: mechanisms that are left out, each with the value of the last axis at which it is.
    """

    row_class: type[Row]
    fixed: dict[str, str | bool | None]
    axes: dict[str, tuple[str | int, ...]]
    left_out: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        size = math.prod(len(values) for values in self.axes.values())
        if not size <= LARGEST_GRID:
            shape = " x ".join(f"{len(values):,}" for values in self.axes.values() if len(values) > 1)
            raise TooLarge(
                f"the grid has {shape} = {size:,} points, above the limit of {LARGEST_GRID:,}: at 10 ms each, "
                f"{size / 360_000:,.0f} hours of one core; take larger steps, or several sweeps"
            )

    def __iter__(self) -> Iterator[Point]:
        """Yield the points; the last axis varies fastest."""
        for values in product(*self.axes.values()):
            varying = dict(zip(self.axes, values, strict=True))
            if (varying.get("mechanism"), values[-1]) not in self.left_out:
                yield self.row_class.point_class(**self.fixed, **varying)  # type: ignore[arg-type]

    def __len__(self) -> int:
        lengths = [len(values) for values in self.axes.values()]
        return math.prod(lengths) - len(self.left_out) * math.prod(lengths[1:-1])

    @property
    def is_behind_medium(self) -> bool:
        return self.row_class is MediumRow

    @property
    def sha256(self) -> str:
        """Return the hash of its points and columns; the same for every way to write the same grid."""
        told = [list(columns(self.row_class)), self.fixed, list(self.axes.items()), self.left_out]
        return sha256(json.dumps(told).encode()).hexdigest()


def medium_grid(
    kind: str,
    n: Values,
    epsilon: Values,
    delta: Values,
    *,
    es_n0_db: Values | None = None,
    eb_n0_db: Values | None = None,
    p: Values | None = None,
    multiple: Values | None = None,
    fading: str | None = None,
    labels: str | None = None,
    coherent: bool | None = None,
    to: str | None = None,
) -> Grid:
    """Return the grid n x SNR (or p, or multiple) x epsilon x delta behind one kind of medium.

    Raises:
        InvalidParameter, BadUse: an unknown kind, an argument that it does not take, a missing one that it needs, or a
            bad value.
        TooLarge: a point that is too large, or more than 1,000,000 points.
    """
    if not (isinstance(kind, str) and kind in MEDIA):
        raise InvalidParameter("medium", kind, f"one of {', '.join(MEDIA)}")
    varying = {"es_n0_db": es_n0_db, "eb_n0_db": eb_n0_db, "p": p, "multiple": multiple}
    fixed: dict[str, str | bool | None] = {"fading": fading, "labels": labels, "coherent": coherent, "to": to}
    given = {name: value for name, value in {**varying, **fixed}.items() if value is not None}
    allowed = takes(kind)
    for name in fixed.keys() & given.keys():
        if not isinstance(fixed[name], (str, bool)):
            raise InvalidParameter(name, fixed[name], "a name, or true or false")
    for name in given:
        if name not in allowed:
            raise InvalidParameter(name, None, f"left out behind {kind}, which has no such argument")
    axis = [name for name in _AXES if name in given]
    if not axis:
        needed = [name for name in _AXES if name in allowed]
        or_else = ", or else the SNR per bit" if len(needed) > 1 else ""
        raise InvalidParameter(needed[0], None, f"given behind {kind}{or_else}")
    if len(axis) > 1:
        raise InvalidParameter(axis[0], None, "left out where the SNR per bit is given")
    ns = grid_integers(n, "n", least=0)
    values = _axis(axis[0], given[axis[0]])
    for count in ns:
        _check_order(kind, count, {**fixed, axis[0]: _harmless(axis[0])})
    axes: dict[str, tuple[str | int, ...]] = {"n": ns, axis[0]: values, **promises(epsilon, delta)}
    unused = {name: None for name in _AXES if name != axis[0]}
    return Grid(MediumRow, {"medium": kind, **unused, **fixed}, axes)


def check_without_mu(mu: object, rho: object) -> None:
    """Check that nothing in mu is asked behind a medium.

    Raises:
        InvalidParameter: it is.
    """
    for name, value in (("mu", mu), ("rho", rho)):
        if value is not None:
            raise InvalidParameter(name, None, "left out behind a medium: what arrives is promised epsilon and delta")


def promises(epsilon: Values, delta: Values) -> dict[str, tuple[str | int, ...]]:
    """Return the axes epsilon and delta, each value checked."""
    epsilons, deltas = grid_values(epsilon, "epsilon"), grid_values(delta, "delta")
    for value in epsilons:
        EpsilonDelta.of(value)
    for value in deltas:
        EpsilonDelta.of(0, value)
    return {"epsilon": tuple(map(exact_text, epsilons)), "delta": tuple(map(exact_text, deltas))}


def _axis(name: str, values: Values) -> tuple[str | int, ...]:
    """Return the values of an axis of the medium, each checked."""
    if name == "multiple":
        return grid_integers(values, "multiple", least=1)
    if name == "p":
        return tuple(exact_text(probability(value, "p")) for value in grid_values(values, "p"))
    return _snrs(name, values)


def _snrs(name: str, values: Values) -> tuple[str, ...]:
    """Return the SNRs, which may be infinite as well."""
    parts: Iterable[Number] = (
        values.split(",") if isinstance(values, str) else values if isinstance(values, Iterable) else [values]
    )
    texts: dict[str, None] = {}
    for part in parts:
        if part == math.inf or (isinstance(part, str) and part.strip(" ") == "inf"):
            texts["inf"] = None
            continue
        for value in grid_values(part, name):
            Link.of(2, **{"es_n0_db": None, "eb_n0_db": None, name: value}, fading=None)
            texts[exact_text(value)] = None
    if not texts:
        raise InvalidParameter(name, None, "at least one number")
    return tuple(texts)


def _harmless(axis: str) -> str | int:
    """Return a value with which a medium of any order can be made at once."""
    return 1 if axis == "multiple" else "0" if axis == "p" else "inf"


def _check_order(kind: str, n: int, options: dict[str, str | bool | int | None]) -> None:
    order = n + 1
    if not order >= 2:
        raise InvalidParameter("n", n, "at least 1 behind a medium")
    if not order <= LARGEST_OPTIMIZED:
        raise TooLarge(f"behind a medium, n may be at most {LARGEST_OPTIMIZED - 1} (got {n:,})")
    if "bits" in takes(kind) and order & n:
        raise InvalidParameter("n", n, f"a power of 2 less 1 (1, 3, 7, ...) for {kind}")
    try:
        made(kind, n, **options)
    except InvalidParameter as error:
        if error.argument != "order":
            raise
        raise InvalidParameter("n", n, f"such that n + 1 is {error.rule}, for {kind}") from None
