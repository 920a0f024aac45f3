"""Points of the plane that somebody gives: in an array, in a file, or as an object that has them."""

from __future__ import annotations

import json
import re
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike, NDArray

from hushcount.errors import BadData, InvalidParameter, Told, TooLarge
from hushcount.files.csv_numbers import NUMBER, Cell
from hushcount.files.number_tables import read_table
from hushcount.inputs.arguments import path_text
from hushcount.inputs.arrays import array
from hushcount.medium.channels.plane.cells import Point

__all__ = ["MOST_POINTS", "HasPoints", "check_apart", "exact_points", "read_points"]

MOST_POINTS = 1024
"""The most points; that many with cells all different take some ten minutes."""

LARGEST_SPREAD = 10**15
"""The largest distance of two points, over the smallest; more is within the rounding of floats."""

_RULE = "complex numbers, or pairs of real numbers"
_N = NUMBER.pattern.pattern
_POINT = Cell(
    "a number, or a complex number such as 1-2j",
    re.compile(rf"{_N}j?|{_N}(?=[+-]){_N}j|\({_N}(?=[+-]){_N}j\)", re.ASCII),
    complex,
)


class HasPoints(Protocol):
    """An object with an attribute or a method `points`, such as the constellation of another package."""

    points: Any


def exact_points(given: ArrayLike | HasPoints) -> list[Point]:
    """Return points as exact rationals, in their order.

    Args:
        given: complex or real numbers, or pairs (shape (M, 2)) of real ones; or an object that has them as `points`.

    Raises:
        InvalidParameter: anything else, a point that is not finite, or two equal points; the points are named.
        TooLarge: more than 1,024 points.
    """
    found: Any = getattr(given, "points", given)
    values = array(found() if callable(found) else found, "points", _RULE)
    if values.dtype.kind not in "iufc" or values.dtype.itemsize > 8 * (1 + (values.dtype.kind == "c")):
        raise InvalidParameter("points", str(values.dtype), f"{_RULE}, of at most 64 bits each")
    if values.ndim == 2 and values.shape[1] == 2 and values.dtype.kind != "c":
        pairs = values
    elif values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        pairs = np.stack([values.real.ravel(), values.imag.ravel()], axis=1)
    else:
        raise InvalidParameter("points", Told(values.shape), _RULE)
    if not len(pairs):
        raise InvalidParameter("points", None, "at least one point")
    if not len(pairs) <= MOST_POINTS:
        raise TooLarge(f"a constellation of {len(pairs):,} points is above the limit of {MOST_POINTS:,}")
    if not np.isfinite(pairs).all():
        raise InvalidParameter(f"point {int(np.argmin(np.isfinite(pairs).all(axis=1)))} of points", None, "finite")
    points = [Point(*(fmpq(*value.as_integer_ratio()) for value in pair)) for pair in pairs.tolist()]
    check_apart(points)
    return points


def check_apart(points: list[Point]) -> None:
    """Check that no two points are equal, or so near that no receiver tells them apart.

    Raises:
        InvalidParameter: naming two points.
    """
    seen: dict[Point, int] = {}
    for k, point in enumerate(points):
        if (first := seen.setdefault(point, k)) != k:
            raise InvalidParameter("points", None, f"different from one another (points {first} and {k} are equal)")
    ways = {(i, j): (p - q).dot(p - q) for (i, p), (j, q) in combinations(enumerate(points), 2)}
    if ways and not ways[nearest := min(ways, key=ways.__getitem__)] * LARGEST_SPREAD**2 >= max(ways.values()):
        told = f"{LARGEST_SPREAD:.0e} times nearer to each other than others (points {nearest[0]} and {nearest[1]} are)"
        raise InvalidParameter("points", None, f"such that no two are more than {told}")


def read_points(path: str | PathLike[str], *, delimiter: str = ",") -> NDArray[Any]:
    """Return the points in a file, as floats; point k is what count k is sent as.

    Args:
        path: `.csv` (`.csv.gz`): a line for each point, its real and its imaginary part, with or without the header
            `re,im`, or one complex number such as `1-2j`; `.npy` or `.parquet` with the same (columns `re` and `im`);
            `.json`: a list of numbers, pairs and texts such as `"1-2j"`, or an object with such a list as `"points"`.
        delimiter: the one character between the numbers of a CSV file.

    Raises:
        InvalidParameter, BadUse: not a path, another ending, or no delimiter.
        BadData: the file cannot be read, or holds something else; the message names the file and the place.
    """
    where = Path(path_text(path, "path"))
    if where.suffix.lower() == ".json":
        if delimiter != ",":
            raise InvalidParameter("delimiter", delimiter, "left out for a file that is not CSV")
        return _json_points(where)
    found = read_table(where, _POINT, ["re", "im"], delimiter)
    if found.dtype.kind == "c" and found.ndim == 2 and found.shape[1] == 2:
        if found.imag.any():
            raise BadData(f"{where}: two columns must hold the real and the imaginary part of each point")
        found = found.real
    return found


def _json_points(where: Path) -> NDArray[Any]:
    try:
        held = json.loads(where.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadData(f"{where}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError):
        raise BadData(f"{where}: not JSON in UTF-8") from None
    points = held.get("points") if isinstance(held, dict) else held
    if not isinstance(points, list):
        raise BadData(f'{where}: must hold a list of points, or an object with such a list as "points"')
    return np.array([_json_point(where, k, point) for k, point in enumerate(points)], dtype=complex)


def _json_point(where: Path, k: int, held: object) -> complex:
    parts = held if isinstance(held, list) else [held]
    if len(parts) == 1 and isinstance(parts[0], str) and _POINT.pattern.fullmatch(parts[0].strip()):
        return complex(parts[0].strip())
    if len(parts) in (1, 2) and all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in parts):
        try:
            return complex(*parts)
        except OverflowError:
            pass
    raise BadData(f'{where}: point {k} must be a number, two numbers, or a text such as "1-2j"')
