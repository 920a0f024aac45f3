"""Any set of points in the plane.

What arrives nearest to the point j is a polygon, the cell of j, perhaps unbounded. Noise carries a sent point i into
it with a chance that is a sum over the sides of the cell. A side is seen from i across some angle, and noise arrives
beyond it, within this angle, with a chance W (`sides`). There the cell begins, if i and the cell are on different sides
of the side's line, and ends otherwise. So

    T[i, j] = [i = j] + sum of W where the cell begins - sum of W where it ends.

Each W is right to as many digits as the diagonal, however small it is, and far from i the first sum is by far the
larger. Where digits are lost in the difference, the balls tell, and more bits are used. The geometry is exact
(`cells`): a cell that is seen alike gives the same float.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
from flint import arb, fmpq
from numpy.typing import ArrayLike

from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.channels.plane.cells import Point, Sight, cells, sights
from hushcount.medium.channels.plane.points import HasPoints, exact_points
from hushcount.medium.channels.plane.sides import BEYOND_FLOATS, awgn_beyond, faded_beyond
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats
from hushcount.numbers.enclosure import nearest_float
from hushcount.numbers.exact import Number

__all__ = ["cell_chances", "constellation"]

_HERE = Point(fmpq(0), fmpq(0))


def constellation(
    points: ArrayLike | HasPoints,
    *,
    es_n0_db: Number | None = None,
    eb_n0_db: Number | None = None,
    fading: Fading | None = None,
    description: str | None = None,
) -> Medium:
    """Return the medium of uncoded transmission of any complex points over additive white Gaussian noise, with
    nearest-point decisions.

    Count k is sent as point k; complex noise has variance N0, N0 / 2 in each of I and Q. The scale does not matter:
    Es is the mean of |point|^2, which is more for points that are not centered. Where the points, as floats, have a
    symmetry exactly, the matrix has it too. 256 points without any take some 40 s.

    Args:
        points: M different points, at most 1,024: complex numbers, pairs (real, imaginary), or an object that has them
            as its attribute or method `points`. Each float is taken exactly.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol (its mean over the symbols) or per bit (Es = Eb log2 M),
            in dB, from -1,000 to 1,000, or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain; the SNR is then its mean.
        description: one line that says what the points are; `"M given points"` by default.

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule; equal points are named.
    """
    found = exact_points(points)
    link = Link.of(len(found), es_n0_db, eb_n0_db, fading)
    return Medium(cell_chances(found, link), f"{description or f'{len(found)} given points'}, {link.text}")


def cell_chances(points: list[Point], link: Link) -> Floats:
    """Return the matrix of different points."""
    M = len(points)
    if link.is_noiseless or M == 1:
        return np.eye(M)
    beyond = faded_beyond if link.is_fading else awgn_beyond
    energy = sum((point.dot(point) for point in points), fmpq(0)) / M

    @cache
    def scale(precision: int) -> arb:
        """Return 1 / N0."""
        return link.snr() / energy

    @lru_cache(maxsize=2**17)
    def side(sight: Sight, precision: int) -> arb:
        return beyond(sight.height * scale(precision), sight.near, sight.far)

    @lru_cache(maxsize=2**15)
    def seen(sent: int, sides: tuple[tuple[int, Sight], ...]) -> float:
        return nearest_float(lambda precision: sum((sign * side(sight, precision) for sign, sight in sides), arb(sent)))

    @lru_cache(maxsize=2**15)
    def chance(kind: int, way: Point) -> float:
        """Return the chance of a kind of cell from a place, seen from the cell's point."""
        return seen(way == _HERE, sights(kinds[kind], way))

    found = cells(points)
    kinds = list(dict.fromkeys(found))
    number = {cell: kind for kind, cell in enumerate(kinds)}
    roughly = link.snr() / energy
    matrix = np.zeros((M, M))
    for j, cell in enumerate(found):
        kind = number[cell]
        for i, point in enumerate(points):
            way = point - points[j]
            if link.is_fading or not way.dot(way) * roughly > 4 * BEYOND_FLOATS:
                matrix[i, j] = chance(kind, way)
    return matrix
