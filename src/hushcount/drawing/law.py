"""What a law must provide to be drawn from exactly."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from flint import arb
from numpy.typing import NDArray

from hushcount.numbers.arrays import Floats, Integers

__all__ = ["Guide", "Law"]


class Guide(Protocol):
    """What settles most draws from 16 leading bits."""

    def positions_at(self, true: Integers, leading: NDArray[np.uint16]) -> Integers:
        """Return the positions that the 16 leading bits settle for each true count, or -1."""


@runtime_checkable
class Law(Protocol):
    """For each true count 0..n, the probabilities of the outcomes 0..n, in an order of the law's own choice.

    An outcome's *position* is its place in that order. A uniform in [0, 1) has the position at whose cumulative
    probabilities it lies.

    The methods begin with an underscore, since every mechanism has them and `draw` alone calls them.
    """

    @property
    def n(self) -> int: ...

    def _below(self, true: int, position: int, precision: int) -> arb:
        """Enclose the probability of the first `position` outcomes, at `precision` bits.

        Raises:
            TooCoarse: the precision does not tell which formula holds.
        """

    def _outcome(self, true: int, position: int) -> int:
        """Return the outcome at a position."""

    def _outcomes(self, true: Integers, position: Integers) -> Integers:
        """Apply `_outcome` elementwise."""

    def _alike(self, true: Integers) -> tuple[Integers, Integers]:
        """Return (alike, shift): what `_locate_many` finds for `true` is what it finds for `alike`, plus `shift`.

        True counts with the same `alike` share a guide table. An unsure position of one may be sure for the other.
        """

    def _guide(self, true: Integers) -> Guide | None:
        """Return what settles most of these draws from their leading bits, or None if it would not pay."""

    def _locate(self, true: int, u: float) -> int:
        """Return the position that is sure for every uniform in [u, u + 2**-53], or -1."""

    def _locate_many(self, true: Integers, u: Floats) -> Integers:
        """Apply `_locate` elementwise."""

    def _checked_true(self, true: object) -> int:
        """Return `true` as an int from 0 to n.

        Raises:
            InvalidParameter: it is not such an integer; its value is not repeated.
        """
