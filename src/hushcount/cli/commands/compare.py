"""`hushcount compare`: the mechanisms for one (n, epsilon, delta) side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import QUESTION
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Promise
from hushcount.cli.options.values import whole

if TYPE_CHECKING:
    from hushcount.privacy.comparison import ComparisonRow

__all__ = ["compare"]

_TIE = 1e-9
"""The relative difference up to which two numbers count as equal: their error and more."""

_PROPERTIES = {
    "fairness": ("fair", ""),
    "weak_honesty": ("weak", "hon."),
    "row_honesty": ("row", "hon."),
    "column_honesty": ("col.", "hon."),
    "row_monotonicity": ("row", "mono"),
    "column_monotonicity": ("col.", "mono"),
    "symmetry": ("sym.", ""),
}

_LEGEND = "(fairness, honesty, monotonicity, symmetry: docs/properties.md)"

_HELD = {"HOLDS": "yes", "WITHIN_ROUNDING": "~", "FAILS": "-"}
_ROUNDED = "~ It holds up to the rounding of the probabilities to floats; beyond n = 10 no more is decided."

_MARKS = {"PRIVATE": "", "NOT_PRIVATE": "*", "UNDECIDED": "?"}
"""What follows the name of a mechanism, by the audit's verdict."""

_MEASURES: dict[str, tuple[str, int]] = {
    "worst_error_probability": ("chance to be wrong, worst case", 1),
    "mean_error_probability": ("chance to be wrong, mean over true counts", 1),
    "worst_absolute_error": ("expected |error|, worst case", 1),
    "mean_absolute_error": ("expected |error|, mean over true counts", 1),
    "worst_bias": ("largest bias", 1),
    "within_1": ("chance to be within 1", -1),
    "within_2": ("chance to be within 2", -1),
    "within_5": ("chance to be within 5", -1),
}
"""The name of each measure in a sentence, and 1 where less is better."""

_PEERS = ("truncated-geometric", "clamped-canonical-noise")
"""What a user would otherwise pick; the second needs delta > 0."""


def compare(
    n: Annotated[str, QUESTION.option(metavar="COUNT", help="The largest possible count, at most 200.")],
    promise: Promise,
    as_json: Json = False,
) -> str:
    """Compare the mechanisms that could draw a count.

    Takes no data. Prints two tables with a row for each mechanism: its error over the true counts 0..n (worst case and
    mean), and the epsilon and delta that it needs (from an audit) with its properties. The epsilon that it needs is the
    least at --delta, and the delta the least at --epsilon. Below the tables are the cases in which nearest is worse
    than another. "fair", "hon.", "mono" and "sym." are fairness, weak, row and column honesty, row and column
    monotonicity, and symmetry, defined in docs/properties.md and in Python's help(hushcount.privacy.properties).

    One of them is geometric noise that is redrawn until it lands in range: for n >= 2 it is not private at its epsilon.
    At delta > 0 there are also two that need a delta, and the remarks name those that make no use of it.

    Example: hushcount compare --n 7 --epsilon 0.5
    """
    from hushcount.numbers.text import short
    from hushcount.privacy.comparison import compare as compared
    from hushcount.words.paragraphs import wrapped

    top, claim = whole(n, "n"), promise.promise()
    rows = compared(top, claim.epsilon, claim.delta)
    asked = claim.in_words(short)
    remarks = _remarks(rows, asked)
    if as_json:
        answer = {
            "n": top,
            **claim.to_fields(),
            "rows": [row.to_dict() for row in rows],
            "remarks": remarks,
        }
        return json_text(answer)
    head = f"True counts 0 to {top}, {asked}\nWorst case and mean are over the true counts; E is the expectation."
    privacy = _privacy(rows)
    rounded = [wrapped(_ROUNDED)] if any(_HELD["WITHIN_ROUNDING"] in line.split() for line in privacy) else []
    tables = [head, "", *_accuracy(rows), "", *privacy, _LEGEND, *rounded, ""]
    return "\n".join([*tables, *(f"{wrapped(remark)}\n" for remark in remarks)])


def _accuracy(rows: tuple[ComparisonRow, ...]) -> list[str]:
    from hushcount.cli.words.decimals import decimals

    lines = [
        f"{'':<24}{'chance wrong':>14}{'E |error|':>14}{'|bias|':>7}{'chance within':>21}",
        f"{'':<24}{'worst':>7}{'mean':>7}{'worst':>7}{'mean':>7}{'worst':>7}{'1':>7}{'2':>7}{'5':>7}",
    ]
    for row in rows:
        cells = [decimals(getattr(row, measure)) for measure in _MEASURES]
        lines.append(f"{_label(row):<24}" + "".join(f"{cell:>7}" for cell in cells))
    return lines


def _privacy(rows: tuple[ComparisonRow, ...]) -> list[str]:
    from hushcount.cli.words.decimals import at_most

    above, below = zip(*_PROPERTIES.values(), strict=True)
    lines = [
        f"{'':<24}{'needs':>10}{'':>10}" + "".join(f"{word:>5}" for word in above),
        (f"{'':<24}{'epsilon':>10}{'delta':>10}" + "".join(f"{word:>5}" for word in below)).rstrip(),
    ]
    for row in rows:
        marks = (_HELD[getattr(row.properties, name).name] for name in _PROPERTIES)
        real = f"{at_most(row.least_epsilon):>10}{at_most(row.least_delta):>10}"
        lines.append(f"{_label(row):<24}{real}" + "".join(f"{mark:>5}" for mark in marks))
    return lines


def _label(row: ComparisonRow) -> str:
    return f"{row.mechanism} {_MARKS[row.verdict.name]}".rstrip()


def _is_private(row: ComparisonRow) -> bool:
    return row.verdict.name == "PRIVATE"


def _has(row: ComparisonRow, name: str) -> bool:
    return bool(getattr(row.properties, name).name != "FAILS")


def _remarks(rows: tuple[ComparisonRow, ...], asked: str) -> list[str]:
    """Return what the tables show, in sentences; only mechanisms that keep the promise are compared with nearest."""
    ours, others = rows[0], [row for row in rows[1:] if _is_private(row)]
    found = [_caught(row, asked) for row in rows if not _is_private(row)]
    found += [_beside(ours, peer) for peer in others if peer.mechanism in _PEERS]
    return [*found, *_without_delta(rows), _where_worse(ours, others), *_lacking(ours, others)]


def _caught(row: ComparisonRow, asked: str) -> str:
    from hushcount.cli.words.decimals import at_most

    if row.verdict.name == "UNDECIDED":
        return (
            f"? Whether {row.mechanism} is private at {asked} could not be decided: at that epsilon it needs delta "
            f"{at_most(row.least_delta)}."
        )
    return (
        f"* {row.mechanism} is NOT private at {asked}: it needs epsilon {row.least_epsilon.to_text()} at that delta, "
        f"or delta {row.least_delta.to_text()} at that epsilon."
    )


def _beside(ours: ComparisonRow, peer: ComparisonRow) -> str:
    measures = ("worst_error_probability", "worst_absolute_error")
    parts = [f"{_MEASURES[name][0]}: {_against(name, ours, peer)}" for name in measures]
    return f"{ours.mechanism} beside {peer.mechanism}: {'; '.join(parts)}."


def _without_delta(rows: tuple[ComparisonRow, ...]) -> list[str]:
    """Return the mechanisms that would be the same at delta 0, and private there.

    At a delta that is tiny beside epsilon others need none either, but their law depends on it.
    """
    if not any(row.uses_delta for row in rows):
        return []
    names = [row.mechanism for row in rows if not row.uses_delta and row.least_delta.exact_upper == 0]
    return [f"Delta 0 is enough for {', '.join(names)}: what more is allowed is of no use to them."]


def _where_worse(ours: ComparisonRow, others: list[ComparisonRow]) -> str:
    parts = []
    for name, (words, sign) in _MEASURES.items():
        best = min(others, key=_signed(name, sign))
        mine, theirs = getattr(ours, name), getattr(best, name)
        if sign * (mine - theirs) > _TIE * max(mine, theirs):
            parts.append(f"{words}: {best.mechanism} is best, {_against(name, ours, best)}")
    if not parts:
        return f"No private mechanism here does better than {ours.mechanism} in any of these figures."
    return f"Where {ours.mechanism} is worse than another private mechanism: {'; '.join(parts)}."


def _signed(name: str, sign: int) -> Callable[[ComparisonRow], float]:
    return lambda row: sign * float(getattr(row, name))


def _against(name: str, ours: ComparisonRow, other: ComparisonRow) -> str:
    from hushcount.cli.words.decimals import decimals

    mine, theirs = getattr(ours, name), getattr(other, name)
    if abs(mine - theirs) <= _TIE * max(mine, theirs):
        return f"{decimals(mine)} both"
    spellings: list[Callable[[float], str]] = [decimals, "{:.6g}".format, repr]
    pairs = [(spell(mine), spell(theirs)) for spell in spellings]
    return "{} against {}".format(*next(pair for pair in pairs if len(set(pair)) == 2))


def _lacking(ours: ComparisonRow, others: list[ComparisonRow]) -> list[str]:
    missing = [name for name in _PROPERTIES if not _has(ours, name)]
    if not missing:
        unsure = any(getattr(ours.properties, name).name == "WITHIN_ROUNDING" for name in _PROPERTIES)
        return [f"{ours.mechanism} has all seven properties{', some of them up to rounding' if unsure else ''}."]
    words = ", ".join(name.replace("_", " ") for name in missing)
    holders = [row.mechanism for row in others if all(_has(row, name) for name in missing)]
    kept = f" {', '.join(holders)} {'has' if len(holders) == 1 else 'have'} all of these." if holders else ""
    return [f"{ours.mechanism} lacks {words}.{kept}"]
