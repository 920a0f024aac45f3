"""The answer of an audit, as an object, as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hushcount.inputs.arguments import listed
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import DIGITS, rounded_up, short, typed, upper_text
from hushcount.privacy.findings import BY_ROUNDING, AuditVerdict, Finding, Gap
from hushcount.privacy.report import NO_CLAIM, Row, chance_text, claim_line, page, row
from hushcount.privacy.subjects import Subject, checked_epsilon, least_delta
from hushcount.promise.at_distance import AtDistance
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.words.paragraphs import labelled

__all__ = ["Audit", "ProfilePoint"]

_NO_PAIRS = "none: no two true counts are that far apart"


@dataclass(frozen=True)
class ProfilePoint:
    """One point of the privacy profile: the least delta at an epsilon."""

    epsilon: Fraction
    least_delta: Finding

    def to_dict(self) -> dict[str, Any]:
        return {"epsilon": exact_text(self.epsilon), "least_delta": self.least_delta.to_dict()}


@dataclass(frozen=True)
class Audit:
    """The result of `audit`; `print` it for a table.

    Attributes:
        epsilon, delta: the claim that was judged, exactly; epsilon is None where there was none.
        distance: the distance between the true counts of each pair.
        pairs: how many ordered pairs of true counts there are at that distance; with none, every claim holds.
        least_delta: the least delta at `epsilon`, with its witness; None without an epsilon.
        least_epsilon: the least epsilon at `delta`, with its witness; its bounds are infinite where no epsilon is
            enough.
        finite_from: where `least_epsilon` is infinite, the least delta at epsilon = 10^9: the probability of outcomes
            that the other row (almost) never has. From its upper end up, some finite epsilon is enough. None elsewhere.
        verdict: the verdict on the claim; None without a claim.
        gap: `least_delta` less `delta`, as exact bounds: where positive, by how much the claim fails; where negative,
            how much is to spare; None without a claim.
        by_rounding: whether the claim fails by no more than the rounding of a matrix to floats explains; see `audit`.
    """

    epsilon: Fraction | None
    delta: Fraction
    distance: int
    pairs: int
    least_delta: Finding | None
    least_epsilon: Finding
    finite_from: Finding | None
    verdict: AuditVerdict | None
    gap: Gap | None = field(repr=False)
    by_rounding: bool
    _subject: Subject = field(repr=False, compare=False)

    @property
    def explanation(self) -> str | None:
        """The verdict as a sentence for people."""
        if self.verdict is None:
            return None
        return BY_ROUNDING if self.by_rounding else self.verdict.value

    @property
    def covering_delta(self) -> Fraction | None:
        """The larger delta with which the claim surely holds at its epsilon, of few digits; None where there is none
        below 1, or no claim that fails."""
        if self.gap is None or self.verdict is AuditVerdict.PRIVATE:
            return None
        exceeded, digits = self.gap.exact_upper, 1 if self.by_rounding else DIGITS
        enough = self.delta + exceeded
        if not enough < 1:
            return None
        delta = rounded_up(enough, digits)
        while not (delta < 1 and delta - self.delta <= 2 * exceeded):  # 0.01 and a gap of 4e-17 must not become 0.02
            digits += 1
            delta = rounded_up(enough, digits)
        return delta

    @property
    def sufficient(self) -> tuple[EpsilonDelta, ...]:
        """Claims of few digits that surely hold.

        They are the claimed epsilon with a larger delta (unless the claim itself holds), and the least epsilon, rounded
        up, with the claimed delta. One that is not found is left out.
        """
        found = []
        covering = self.covering_delta
        if self.epsilon is not None and covering is not None:
            found.append(EpsilonDelta(self.epsilon, covering))
        least = self.least_epsilon.interval.exact_upper
        if least is not None:
            found.append(EpsilonDelta(rounded_up(least), self.delta))
        return tuple(found)

    def profile(self, epsilons: Iterable[Number]) -> tuple[ProfilePoint, ...]:
        """Return the privacy profile: the least delta at each epsilon >= 0, with its witness.

        Raises:
            InvalidParameter: not a list, or an epsilon that is not a number >= 0.
        """
        rule = "a list of numbers >= 0"
        kept = [checked_epsilon(epsilon, "epsilons") for epsilon in listed(epsilons, "epsilons", rule)]
        return tuple(ProfilePoint(epsilon, least_delta(self._subject, epsilon)) for epsilon in kept)

    def to_dict(self) -> dict[str, Any]:
        """Return the audit, ready for JSON: exact numbers are text; infinity and what was not asked for are null."""
        return {
            "epsilon": None if self.epsilon is None else exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "distance": self.distance,
            "pairs": self.pairs,
            "least_delta": None if self.least_delta is None else self.least_delta.to_dict(),
            "least_epsilon": self.least_epsilon.to_dict(),
            "finite_from": None if self.finite_from is None else self.finite_from.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.name,
            "by_rounding": self.by_rounding,
            "explanation": self.explanation,
            "gap": None if self.gap is None else self.gap.to_dict(),
            "sufficient": [
                {"epsilon": exact_text(claim.epsilon), "delta": exact_text(claim.delta)} for claim in self.sufficient
            ],
        }

    def to_text(self, profile: Iterable[ProfilePoint] = ()) -> str:
        """Return the claim and the verdict, a table of what is needed, and what that means, without a newline at the
        end."""
        points = {} if self.epsilon is None else {self.epsilon: self.least_delta}
        points |= {point.epsilon: point.least_delta for point in profile if point.epsilon not in points}
        deltas = [_needed(f"delta at epsilon {short(at)}", least) for at, least in points.items() if least is not None]
        claimed = 0 if self.epsilon is None else 1
        epsilon = _needed(f"epsilon at delta {short(self.delta)}", self.least_epsilon)
        head = [claim_line(self.epsilon, self.delta, self.distance), *_verdict_lines(self)]
        if not self.pairs:
            head.append(labelled("Pairs", _NO_PAIRS))
        told = NO_CLAIM if self.explanation is None else self.explanation
        rows = [*deltas[:claimed], epsilon, *deltas[claimed:]]
        return page(head, "needs", rows, [told, *_infinite(self), *_at_distance(self)])

    def __str__(self) -> str:
        return self.to_text()


def _verdict_lines(found: Audit) -> list[str]:
    if found.verdict is None or found.gap is None:
        return []
    word = found.verdict.name.lower().replace("_", " ")
    if found.verdict is AuditVerdict.PRIVATE:
        return [labelled("Verdict", word)]
    if found.by_rounding:
        covering = found.covering_delta
        covered = "no delta covers it" if covering is None else f"delta {typed(covering)} covers it"
        word = f"{word}, by rounding only (gap {found.gap}): {covered}"
    else:
        word = f"{word}: delta exceeded by {'at most ' * (found.verdict is AuditVerdict.UNDECIDED)}{found.gap}"
    instead = [
        f"epsilon {_beside(held.epsilon, found.epsilon)}, delta {_beside(held.delta, found.delta)}"
        for held in found.sufficient
    ]
    return [labelled("Verdict", word), *([labelled("Private at", "; or ".join(instead))] if instead else [])]


def _beside(number: Fraction, claimed: Fraction | None) -> str:
    """Return the number in full, so that it can be claimed, unless it is what was claimed."""
    return short(number) if number == claimed else typed(number)


def _infinite(found: Audit) -> list[str]:
    if found.finite_from is None:
        return []
    witness, (_, enough) = found.least_epsilon.witness, found.finite_from.interval.known
    why = "" if witness is None else f": true count {witness.true} has outcomes that {witness.other} never has"
    return [
        f"No epsilon is enough at delta {short(found.delta)}{why}. From delta {upper_text(enough)} on, some epsilon is."
    ]


def _at_distance(found: Audit) -> list[str]:
    """Return what the same claim between neighbors comes to; a claim is judged at the distance it was made for."""
    s = found.distance
    if s == 1:
        return []
    if found.epsilon is None:
        return [f"A mechanism that is epsilon-DP between true counts 1 apart promises {s:,} epsilon here."]
    epsilon = s * found.epsilon
    claim = EpsilonDelta(found.epsilon, found.delta)
    delta, own = AtDistance(claim, s).least_delta(epsilon), claim.in_words(short)
    promised = f"epsilon {short(epsilon)}, delta {upper_text(delta)}" if delta < 1 else "nothing"
    return [f"A mechanism that keeps {own} between true counts 1 apart promises {promised} here."]


def _needed(what: str, found: Finding) -> Row:
    chances: list[str] = []
    if found.witness is not None and found.witness.probability and found.witness.other_probability:
        both = found.witness.probability.known, found.witness.other_probability.known
        chances = [chance_text((low + high) / 2) for low, high in both]
    return row(what, found.interval.to_text(), found.witness, *chances)
