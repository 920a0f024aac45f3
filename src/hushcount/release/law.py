"""How counts are drawn: from the largest count to the mechanism, with all else settled before any data is seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import one_of
from hushcount.mechanisms import Mechanism, within
from hushcount.mechanisms.chain.never_invented import check_hides
from hushcount.mechanisms.names import NEVER_INVENTED, ROUNDED_GAUSSIAN, distance_of, is_proven
from hushcount.mechanisms.optima.canonical import Canonical
from hushcount.mechanisms.optima.nearest import Nearest, nearest
from hushcount.mechanisms.peers.rounded_gaussian import rounded_gaussian
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.release.aim import Aim
from hushcount.release.findings import Findings

__all__ = ["PROVEN", "Law"]

PROVEN: dict[str, type[Nearest | Canonical]] = {"nearest": Nearest, "canonical": Canonical}
"""The mechanisms that go by name: private by proof, at any n. So do within:T, for each T, never-invented and, for
mu, rounded-gaussian."""

_NAMES = f"{', '.join(PROVEN)}, {NEVER_INVENTED}, {ROUNDED_GAUSSIAN}, within:T"
_NOT_CANONICAL = (
    "nearest or within:T, which are private by proof, or a saved mechanism: canonical is for one epsilon and delta"
)


@dataclass(frozen=True)
class Law:
    """How counts are drawn; made by `Law.of`.

    Attributes:
        name: the name in receipts: one of `PROVEN`, never-invented, within:T, or "audited" for a user's own mechanism.
        promise: the promise of one count, whatever one change does to it.
        rows: how far one change may move a count: the most rows of a unit that count, or 1.
        own: the user's own mechanism, with `audit`, what was found of it.
        aim: where an accuracy is asked for, from which the promise will follow (`reaching`); until then `promise` is
            one of its kind, and nothing is drawn.
    """

    name: str
    promise: Curve
    own: Mechanism | None = None
    audit: Findings | None = None
    aim: Aim | None = None
    rows: int = 1

    @classmethod
    def of(cls, mechanism: str | Mechanism, promise: Curve | Aim, rows: int = 1) -> Law:
        """Return the law that `mechanism` stands for; everything but n is judged at once.

        Args:
            mechanism: "nearest", "canonical", "never-invented", "rounded-gaussian" or "within:T", which are private by
                proof at any n, or a mechanism of one n, which is audited here and refused for another n. Canonical is
                for one epsilon and delta only, never-invented for one or several, every delta above 0, and
                rounded-gaussian for mu; for an accuracy there are nearest and within:T.
            rows: as above; what draws then keeps `promise.per_row(rows)` between counts at distance 1.

        Raises:
            InvalidParameter: something else, or a mechanism that does not keep the promise.
            TooLarge: a mechanism in closed form that is too large for an audit.
        """
        if isinstance(promise, Aim):
            promise.accuracy.check_mechanism(mechanism)
            assert isinstance(mechanism, str)
            return cls(mechanism, promise.kind, aim=promise.for_rows(rows), rows=rows)
        if isinstance(mechanism, Mechanism):
            from hushcount.release.admission import admitted  # audits take long to load, and few releases need one

            return cls("audited", promise, mechanism, admitted(mechanism, promise.per_row(rows)), rows=rows)
        if not isinstance(mechanism, str) or not is_proven(mechanism):
            one_of(mechanism, "mechanism", PROVEN, f"one of {_NAMES}, or a saved mechanism")
        if not isinstance(promise, EpsilonDelta) and mechanism == "canonical":
            raise InvalidParameter("mechanism", mechanism, _NOT_CANONICAL)
        if not isinstance(promise, GaussianDP) and mechanism == ROUNDED_GAUSSIAN:
            raise InvalidParameter(
                "mechanism", mechanism, "another one where no mu or rho is promised: its noise is for these"
            )
        if mechanism == NEVER_INVENTED:
            check_hides(promise, mechanism)
            if not promise.per_row(rows).starts_above_zero:
                rule = "fewer, or epsilon smaller: the delta of one row would be too small to keep"
                raise InvalidParameter("rows_per_unit", rows, rule)
        return cls(mechanism, promise, rows=rows)

    @property
    def drawn_at(self) -> Curve:
        """The promise between counts at distance 1, at which the mechanism is made."""
        return self.promise.per_row(self.rows)

    def reaching(self, tops: Iterable[int]) -> Law:
        """Return the law with the promise that follows from an accuracy for counts up to each of `tops`; itself where
        none is asked for.

        Raises:
            InvalidParameter: no promise is enough.
        """
        return self if self.aim is None else replace(self, promise=self.aim.promise(tops, self.name), aim=None)

    def at(self, n: int) -> Mechanism:
        """Return the mechanism that draws from 0..n.

        Raises:
            InvalidParameter: the user's own mechanism has another range.
        """
        assert self.aim is None, "the promise is not known yet"
        if self.own is None:
            return _named(self.name, n, self.drawn_at)
        if self.own.n != n:
            rule = f"one for the range of the release, 0 to {n}: its own is 0 to {self.own.n}"
            raise InvalidParameter("mechanism", self.own.name, rule)
        return self.own

    @property
    def full_name(self) -> str:
        """A name that no other mechanism of the same range and price has."""
        if self.audit is None:
            return self.name
        sha256 = self.audit.matrix_sha256
        return f"{self.audit.name} ({repr(self.own) if sha256 is None else f'matrix SHA-256 {sha256}'})"


def _named(name: str, n: int, promise: Curve) -> Mechanism:
    if name == NEVER_INVENTED:
        return nearest(n, promise, never_invented=True)
    distance = distance_of(name)
    if distance is not None:
        return within(n, promise, distance)
    if name == ROUNDED_GAUSSIAN:
        return rounded_gaussian(n, promise)
    return PROVEN[name](n, promise) if isinstance(promise, EpsilonDelta) else nearest(n, promise)
