"""What `hushcount compare` prints for people: two tables, and what they show in sentences."""

from __future__ import annotations

from collections.abc import Callable

from hushcount.mechanisms.by_name import implied_epsilon
from hushcount.mechanisms.names import distance_of
from hushcount.numbers.intervals import Interval
from hushcount.numbers.text import short, typed
from hushcount.privacy.comparison.row import ComparisonRow
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import AT_DELTA
from hushcount.words.decimals import at_most, decimals
from hushcount.words.paragraphs import wrapped

__all__ = ["comparison_text", "remarks"]

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
}
"""The name of each measure in a sentence, and 1 where less is better; beside them, the chances to be within."""

_MOST_DISTANCES = 3
"""For which a table has room."""

_PEERS = ("truncated-geometric", "clamped-canonical-noise", "rounded-gaussian", "zcdp-gaussian")
"""What a user would otherwise pick; the second needs delta > 0, the last two mu."""


def comparison_text(
    rows: tuple[ComparisonRow, ...], n: int, privacy: EpsilonDelta | GaussianDP, remarks: list[str]
) -> str:
    """Return the tables of the errors and of the privacy of each mechanism, and the remarks."""
    head = (
        f"True counts 0 to {n}, {privacy.in_words(short)}\n"
        "Worst case and mean are over the true counts; E is the expectation."
    )
    kept = _privacy(rows, in_mu=isinstance(privacy, GaussianDP))
    rounded = [wrapped(_ROUNDED)] if any(_HELD["WITHIN_ROUNDING"] in line.split() for line in kept) else []
    tables = [head, "", *_accuracy(rows), "", *kept, _LEGEND, *rounded, ""]
    return "\n".join([*tables, "\n\n".join(map(wrapped, remarks))])


def remarks(rows: tuple[ComparisonRow, ...], privacy: EpsilonDelta | GaussianDP) -> list[str]:
    """Return what the tables show, in sentences; only mechanisms that keep the promise count as private."""
    asked = privacy.in_words(short)
    ours, others = rows[0], [row for row in rows[1:] if _is_private(row)]
    found = [_caught(row, asked) for row in rows if not _is_private(row)]
    if isinstance(privacy, GaussianDP):
        found += _about_gaussians(rows, privacy)
    else:
        found += _without_delta(rows)
    found += [_beside(ours, peer) for peer in rows[1:] if peer.mechanism in _PEERS]
    return [*found, _where_worse(ours, others, asked), *_lacking(ours, others)]


def _distances(rows: tuple[ComparisonRow, ...]) -> list[int]:
    """Return the distances of the table: those of the within:T, and others for which there is room."""
    asked = [t for row in rows if (t := distance_of(row.mechanism))]
    room = [t for t in rows[0].within if t not in asked][: max(0, _MOST_DISTANCES - len(asked))]
    return sorted({*asked, *room})


def _measures(row: ComparisonRow) -> dict[str, tuple[str, int]]:
    return _MEASURES | {f"within_{t}": (f"chance to be within {t:,}", -1) for t in row.within}


def _accuracy(rows: tuple[ComparisonRow, ...]) -> list[str]:
    distances = _distances(rows)
    lines = [
        f"{'':<24}{'chance wrong':>14}{'E |error|':>14}{'|bias|':>7}{'chance within':>{7 * len(distances)}}",
        f"{'':<24}{'worst':>7}{'mean':>7}{'worst':>7}{'mean':>7}{'worst':>7}" + "".join(f"{t:>7}" for t in distances),
    ]
    for row in rows:
        cells = [decimals(row.figures[measure]) for measure in (*_MEASURES, *(f"within_{t}" for t in distances))]
        lines.append(f"{_label(row):<24}" + "".join(f"{cell:>7}" for cell in cells))
    return lines


def _privacy(rows: tuple[ComparisonRow, ...], *, in_mu: bool) -> list[str]:
    above, below = zip(*_PROPERTIES.values(), strict=True)
    needed = ["mu"] if in_mu else ["epsilon", "delta"]
    lines = [
        f"{'':<24}{'needs':>10}{'':<{10 * len(needed) - 10}}" + "".join(f"{word:>5}" for word in above),
        (f"{'':<24}" + "".join(map("{:>10}".format, needed)) + "".join(f"{word:>5}" for word in below)).rstrip(),
    ]
    for row in rows:
        marks = (_HELD[getattr(row.properties, name).name] for name in _PROPERTIES)
        real = "".join(f"{at_most(interval):>10}" for interval in _needed(row))
        lines.append(f"{_label(row):<24}{real}" + "".join(f"{mark:>5}" for mark in marks))
    return lines


def _label(row: ComparisonRow) -> str:
    return f"{row.mechanism} {_MARKS[row.verdict.name]}".rstrip()


def _is_private(row: ComparisonRow) -> bool:
    return row.verdict.name == "PRIVATE"


def _has(row: ComparisonRow, name: str) -> bool:
    return bool(getattr(row.properties, name).name != "FAILS")


def _needed(row: ComparisonRow) -> list[Interval]:
    """Return the least mu, or else the least epsilon and the least delta."""
    return [found for found in (row.least_mu, row.least_epsilon, row.least_delta) if found is not None]


def _caught(row: ComparisonRow, asked: str) -> str:
    *epsilon, last = _needed(row)
    if row.verdict.name == "UNDECIDED":
        needed = f"at that epsilon it needs delta {at_most(last)}" if epsilon else f"it needs mu {at_most(last)}"
        return f"? Whether {row.mechanism} is private at {asked} could not be decided: {needed}."
    needed = f"mu {last.to_text()}"
    if epsilon:
        needed = f"epsilon {epsilon[0].to_text()} at that delta, or delta {last.to_text()} at that epsilon"
    return f"* {row.mechanism} is NOT private at {asked}: it needs {needed}."


def _about_gaussians(rows: tuple[ComparisonRow, ...], privacy: GaussianDP) -> list[str]:
    """Return what the Gaussian mechanisms promise that are not made from mu alone."""
    names = {row.mechanism for row in rows}
    found = []
    if "zcdp-gaussian" in names:
        found.append(
            "zcdp-gaussian, clamped discrete Gaussian noise with sigma^2 = 1 / mu^2, keeps rho-zCDP with rho "
            f"{short(privacy.rho)}. mu implies this rho, but rho does not imply mu: nothing that keeps rho alone may "
            "be charged to a budget in mu."
        )
    if "analytic-gaussian" in names:
        found.append(
            f"analytic-gaussian is made for epsilon {typed(implied_epsilon(privacy))} at delta {typed(AT_DELTA)}, "
            "which is what mu implies there, rounded down: up to this rounding it is rounded-gaussian."
        )
    return found


def _beside(ours: ComparisonRow, peer: ComparisonRow) -> str:
    measures = ["worst_error_probability", "worst_absolute_error"]
    if peer.least_mu is not None:
        measures.append("worst_bias")
    parts = [f"{_MEASURES[name][0]}: {_against(name, ours, peer)}" for name in measures]
    return f"{ours.mechanism} beside {peer.mechanism}: {'; '.join(parts)}."


def _without_delta(rows: tuple[ComparisonRow, ...]) -> list[str]:
    """Return the mechanisms that would be the same at delta 0, and private there.

    At a delta that is tiny beside epsilon others need none either, but their law depends on it.
    """
    if not any(row.uses_delta for row in rows):
        return []
    needs = {row.mechanism: row.least_delta for row in rows if not row.uses_delta}
    names = [name for name, least in needs.items() if least is not None and least.exact_upper == 0]
    if not names:
        return []
    return [f"Delta 0 is enough for {', '.join(names)}: what more is allowed is of no use to them."]


def _where_worse(ours: ComparisonRow, others: list[ComparisonRow], asked: str) -> str:
    parts = []
    for name, (words, sign) in _measures(ours).items() if others else ():
        best = min(others, key=_signed(name, sign))
        mine, theirs = ours.figures[name], best.figures[name]
        if sign * (mine - theirs) > _TIE * max(mine, theirs):
            parts.append(f"{words}: {best.mechanism} is best, {_against(name, ours, best)}")
    if not parts:
        return f"No mechanism here that keeps {asked} does better than {ours.mechanism} in any of these figures."
    return f"Where {ours.mechanism} is worse than another mechanism that keeps {asked}: {'; '.join(parts)}."


def _signed(name: str, sign: int) -> Callable[[ComparisonRow], float]:
    return lambda row: sign * row.figures[name]


def _against(name: str, ours: ComparisonRow, other: ComparisonRow) -> str:
    mine, theirs = ours.figures[name], other.figures[name]
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
