"""What a table of counts promises: how many cells one change can reach, and what as many private draws cost together.

The draws of the cells are independent, and each depends on the count of its own cell only. A change to the data moves
the counts of at most k cells, each by at most 1. So the laws of the table before and after are products that differ in
k factors, and what k releases at (epsilon, delta) promise together holds for the table: (k epsilon, 1 - (1 - delta)^k)
[KOV15, Theorem 3.3 with all of epsilon]; docs/theory.md, "The cost of a table".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hushcount.counting.cells.cells import Cells
from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import LARGEST_BITS
from hushcount.numbers.text import rounded_up
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["TablePromise", "any_of", "changed_cells", "most_changed"]

_DIGITS = 40
"""Of a promise whose exact value is too long to keep."""


def changed_cells(adjacency: Adjacency, cells: Cells) -> int:
    """k, the number of cells whose counts one change can move."""
    return most_changed(adjacency, cells.max_cells, len(cells))


def most_changed(adjacency: Adjacency, max_cells: int, cells: int) -> int:
    """The same for so many cells, in at most `max_cells` of which a row, or a unit, counts.

    Adding or removing it moves those; replacing it moves those where it was and those where it is.
    """
    touched = max_cells * (2 if adjacency is Adjacency.REPLACE_ONE else 1)
    return min(touched, cells)


@dataclass(frozen=True)
class TablePromise:
    """The promise of a table.

    Attributes:
        cell: of the draw of one cell.
        changed: how many cells one change can affect.
    """

    cell: EpsilonDelta
    changed: int

    @property
    def table(self) -> EpsilonDelta:
        """Of all cells together, which is also what it costs; rounded up where it is too long to keep exactly.

        Raises:
            InvalidParameter: a delta that would be rounded up to 1, which promises nothing.
        """
        delta = any_of(self.cell.delta, self.changed)
        if not delta < 1:
            rule = f"smaller: one change affects up to {self.changed:,} cells, and for all of them it comes to 1"
            raise InvalidParameter("delta", None, rule)
        return EpsilonDelta(_kept(self.changed * self.cell.epsilon), delta)


def any_of(delta: Fraction, times: int) -> Fraction:
    """1 - (1 - delta)^times, the chance of at least one of so many independent events of chance delta, >= 0 and < 1.

    Exact, or rounded up (to 1 at most) where that would be too long to keep.
    """
    if delta == 0:
        return delta
    if times * max(delta.numerator.bit_length(), delta.denominator.bit_length()) <= LARGEST_BITS:
        return 1 - (1 - delta) ** times
    return min(_upper(delta, times), Fraction(1))


def _kept(number: Fraction) -> Fraction:
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    return number if bits <= LARGEST_BITS else rounded_up(number, _DIGITS)


def _upper(delta: Fraction, k: int) -> Fraction:
    """At least 1 - (1 - delta)^k and at most k delta, up to the last digits."""
    from flint import arb, ctx, fmpq

    with ctx.workprec(LARGEST_BITS):
        kept = arb(fmpq(delta.numerator, delta.denominator))
        # expm1 and log1p, for 1 - (1 - delta)^k would lose a small delta
        upper = (-(k * (-kept).log1p()).expm1()).upper()
        mantissa, exponent = upper.man_exp()
    return rounded_up(Fraction(int(mantissa)) * Fraction(2) ** int(exponent), _DIGITS)
