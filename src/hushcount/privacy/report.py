"""Audits and compositions as text for people: what `str` of a result gives, and `hushcount audit` prints.

Figures are rounded to six digits: what a mechanism needs upwards, what draws certify downwards, so that each of them
can be claimed as it stands; chances are to nearest.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from hushcount.numbers.text import lower_text, nearest_text, short, typed, upper_text
from hushcount.privacy.findings import AuditVerdict, Finding, Witness
from hushcount.promise.at_distance import Promise

if TYPE_CHECKING:
    from hushcount.privacy.auditing import Audit, ProfilePoint
    from hushcount.privacy.composition import Composition
    from hushcount.privacy.samples import SampleAudit

__all__ = ["audit_text", "composition_text", "sample_text", "wrapped"]

_WIDTH = 78
_LABEL = 12
_CHANCE_DIGITS = 3
_SHORTEST_EVENT = 8
_HEAD = ("count", "chance", "other", "chance", "outcomes")
_NO_PAIRS = "none: no two true counts are so far apart"
_NO_CLAIM = "No claim was made, so none is judged; an epsilon makes one."

Row = tuple[str, ...]


def audit_text(found: Audit, profile: Iterable[ProfilePoint] = ()) -> str:
    """The claim and the verdict, a table of what is needed, and what that means; ends without a newline."""
    points = {} if found.epsilon is None else {found.epsilon: found.least_delta}
    points |= {point.epsilon: point.least_delta for point in profile if point.epsilon not in points}
    deltas = [_needed(f"delta at epsilon {short(at)}", least) for at, least in points.items() if least is not None]
    claimed = 0 if found.epsilon is None else 1
    epsilon = _needed(f"epsilon at delta {short(found.delta)}", found.least_epsilon)
    return _page(
        [
            *_claim(found.epsilon, found.delta, found.distance),
            *_verdict(found),
            *([] if found.pairs else [_line("Pairs", _NO_PAIRS)]),
        ],
        [("", "needs", *_HEAD), *deltas[:claimed], epsilon, *deltas[claimed:]],
        [_NO_CLAIM if found.explanation is None else found.explanation, *_infinite(found), *_at_distance(found)],
    )


def sample_text(found: SampleAudit) -> str:
    """Likewise, for draws."""
    label, least = f"epsilon at delta {short(found.delta)}", Fraction(found.epsilon_at_least)
    chances = ["-", "-"]
    if found.frequencies is not None:
        chances = [_chance(seen.share) for seen in found.frequencies]
    row = _row(label, lower_text(least), found.witness, *chances)
    head = _claim(found.epsilon, found.delta, found.distance)
    if found.verdict is not None:
        head.append(_line("Verdict", found.verdict.name.lower().replace("_", " ")))
    head.append(_line("Confidence", f"{typed(100 * found.confidence)}%"))
    if found.frequencies is not None:
        mine, theirs = (f"{f.hits:,} of {f.draws:,}" for f in found.frequencies)
        guess = "infinite"
        if found.estimate is not None and math.isfinite(found.estimate):
            guess = nearest_text(Fraction(found.estimate), 4)
        counts = f"the outcomes were released {mine} times, against {theirs}, in the draws set apart to test them"
        head.append(_line("Estimate", f"epsilon {guess}: {counts}"))
    return _page(head, [("", "at least", *_HEAD), row], [_NO_CLAIM if found.verdict is None else found.verdict.value])


def composition_text(found: Composition) -> str:
    """What is promised together; ends without a newline."""
    target = short(found.target_delta)
    together = f"no epsilon at delta {target}"
    if math.isfinite(found.epsilon):
        together = f"epsilon {upper_text(Fraction(found.epsilon))}, delta {target}"
    return "\n".join(
        [
            _line("Releases", f"{found.releases:,}"),
            _line("Together", together),
            _line("Sums", f"epsilon {short(found.basic_epsilon)}, delta {short(found.basic_delta)}"),
            "",
            wrapped(found.explanation),
        ]
    )


def wrapped(paragraph: str) -> str:
    """A paragraph in lines that fit on any terminal."""
    return textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False, break_long_words=False)


def _page(head: list[str], rows: list[Row], paragraphs: list[str]) -> str:
    said = [wrapped(paragraph) for paragraph in paragraphs]
    return "\n\n".join(["\n".join(head), "\n".join(_aligned(rows)), *said])


def _line(label: str, text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _claim(epsilon: Fraction | None, delta: Fraction, distance: int) -> list[str]:
    claim = "nothing claimed" if epsilon is None else f"epsilon {short(epsilon)}, delta {short(delta)}"
    return [_line("Claim", f"{claim}, between true counts {distance:,} apart")]


def _verdict(found: Audit) -> list[str]:
    if found.verdict is None or found.gap is None:
        return []
    word = found.verdict.name.lower().replace("_", " ")
    if found.verdict is AuditVerdict.PRIVATE:
        return [_line("Verdict", word)]
    if found.by_rounding:
        word = f"{word}, by rounding only (gap {found.gap}): delta {typed(found.sufficient[0].delta)} covers it"
    else:
        word = f"{word}: delta exceeded by {'at most ' * (found.verdict is AuditVerdict.UNDECIDED)}{found.gap}"
    instead = [
        f"epsilon {_beside(held.epsilon, found.epsilon)}, delta {_beside(held.delta, found.delta)}"
        for held in found.sufficient
    ]
    return [_line("Verdict", word), *([_line("Private at", "; or ".join(instead))] if instead else [])]


def _beside(number: Fraction, claimed: Fraction | None) -> str:
    """In full, so that it can be claimed, unless it is what was claimed."""
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
    """What the same claim between neighbours comes to; a claim is judged at the distance it was made for."""
    s = found.distance
    if s == 1:
        return []
    if found.epsilon is None:
        return [f"A mechanism that is epsilon-DP between true counts 1 apart promises {s:,} epsilon here."]
    epsilon = s * found.epsilon
    delta = Promise(found.epsilon, found.delta, s).least_delta(epsilon)
    own = f"epsilon {short(found.epsilon)}, delta {short(found.delta)}"
    promised = f"epsilon {short(epsilon)}, delta {upper_text(delta)}" if delta < 1 else "nothing"
    return [f"A mechanism that keeps {own} between true counts 1 apart promises {promised} here."]


def _needed(what: str, found: Finding) -> Row:
    chances = ["-", "-"]
    if found.witness is not None and found.witness.probability and found.witness.other_probability:
        both = found.witness.probability.known, found.witness.other_probability.known
        chances = [_chance((low + high) / 2) for low, high in both]
    return _row(what, found.interval.to_text(), found.witness, *chances)


def _chance(chance: Fraction) -> str:
    """Never 1 when it is only near."""
    shown = nearest_text(chance, _CHANCE_DIGITS)
    return lower_text(chance, _CHANCE_DIGITS) if shown == "1" and chance < 1 else shown


def _row(what: str, needs: str, witness: Witness | None, chance: str, other_chance: str) -> Row:
    if witness is None:
        return what, needs, "-", "-", "-", "-", "none exceeds"
    spans = [str(first) if first == last else f"{first}..{last}" for first, last in witness.outcomes]
    return what, needs, str(witness.true), chance, str(witness.other), other_chance, ", ".join(spans)


def _aligned(rows: list[Row]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    room = max(_SHORTEST_EVENT, _WIDTH - sum(widths) - 2 * len(widths))
    return ["  ".join([*map(_padded, row[:-1], widths, range(len(row))), _cut(row[-1], room)]).rstrip() for row in rows]


def _padded(cell: str, width: int, place: int) -> str:
    return cell.rjust(width) if place else cell.ljust(width)


def _cut(spans: str, room: int) -> str:
    """As many ranges as there is room for."""
    if len(spans) <= room or ", " not in spans:
        return spans
    return spans[: spans.rfind(", ", 0, max(room - 3, spans.find(", ") + 2)) + 2] + "..."
