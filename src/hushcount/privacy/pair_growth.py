"""The least growth E = e^epsilon at which one row exceeds another by no more than delta: exact, in rationals.

For rows a and b with sums A and B, excess(E) = sum_j (a_j / A - E b_j / B)^+ is convex, piecewise linear and falls with
E. Newton's method from the left walks its pieces: with U = {j : a_j / A > E b_j / B},

    E' = (a(U) / A - delta) / (b(U) / B)

is the root of the line through the piece at E, never beyond the root of the excess, and equal to it once U stays the
same.
"""

from __future__ import annotations

from fractions import Fraction

from hushcount.privacy.row_pairs import Rows

__all__ = ["least_growth"]


def least_growth(rows: Rows, k: int, i: int, delta: Fraction, start: Fraction) -> tuple[Fraction | None, list[int]]:
    """Return the least growth >= `start` (>= 1) with excess(k, i) <= delta, and the outcomes that fix it.

    Returns:
        The growth is None where there is none: outcomes that row i never has exceed delta in row k. The outcomes are
        empty where `start` is enough.
    """
    columns, a, b, scale = _integers(rows, k, i)
    total_a, total_b = (rows.sums[row] * scale for row in (k, i))
    growth, event = start, list[int]()
    while True:
        # a / A > E b / B, in integers
        left, right = int(total_b) * growth.denominator, int(total_a) * growth.numerator
        held = [place for place, (x, y) in enumerate(zip(a, b, strict=True)) if x * left > y * right]
        mine = Fraction(sum(a[place] for place in held)) / total_a
        theirs = Fraction(sum(b[place] for place in held)) / total_b
        if mine - growth * theirs <= delta:
            return growth, [columns[place] for place in event]
        event = held
        if theirs == 0:
            return None, [columns[place] for place in event]
        growth = (mine - delta) / theirs


def _integers(rows: Rows, k: int, i: int) -> tuple[list[int], list[int], list[int], int]:
    """Return the outcomes that row k has, and both rows there as integers over a common power of two."""
    columns = rows.entries[k].nonzero()[0]
    ratios = [
        [float.as_integer_ratio(x) for x in rows.entries[row][columns].tolist()]  # exact
        for row in (k, i)
    ]
    scale = max(denominator for row in ratios for _, denominator in row)
    scale = max(scale, rows.sums[k].denominator, rows.sums[i].denominator)
    a, b = ([numerator * (scale // denominator) for numerator, denominator in row] for row in ratios)
    return columns.tolist(), a, b, scale
