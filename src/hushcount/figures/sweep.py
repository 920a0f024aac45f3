"""Sweeps: what a grid of points shows, one curve for each combination of what varies besides the x axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.figures.curves import Curves
from hushcount.figures.errors import NOT_PRIVATE
from hushcount.figures.medium import MOST_MEDIA, MediumCurve, plot_medium
from hushcount.figures.parameters import number
from hushcount.figures.style import MOST_CURVES, checked_scale, counted, in_fixed_style
from hushcount.inputs.arguments import listed
from hushcount.numbers.exact import exact
from hushcount.sweeps.columns import nearest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.sweeps import MechanismRow, MediumRow, MuRow

    Rows = Sequence[MediumRow] | Sequence[MechanismRow] | Sequence[MuRow]

__all__ = ["X_AXES", "Y_AXES", "plot_sweep"]

X_AXES = {
    "epsilon": "epsilon, nats",
    "es_n0_db": "Es/N0, dB",
    "eb_n0_db": "Eb/N0, dB",
    "p": "error probability of the channel",
    "n": "n, the largest count",
    "delta": "delta",
    "mu": "mu",
    "rho": "rho",
    "multiple": "multiple",
}
"""What may be the x axis; by default the first of those with most values."""

Y_AXES = {
    "upper": "chance to be wrong, worst case",
    "absolute_error": "expected |error|, worst case",
    "squared_error": "expected squared error, worst case",
    "bias": "largest |bias|",
    "within_1": "least chance to be within 1",
    "needs_epsilon_upper": "epsilon that it needs",
    "needs_delta_upper": "delta that it needs",
    "needs_mu_upper": "mu that it needs",
    "gap": "what the medium costs",
    "medium_error_probability": "chance that the medium errs, worst case",
    "l": "chance to be wrong of any mechanism, at least",
    "u0": "chance to be wrong if the medium is ignored (u0)",
    "least_bound": "chance to be wrong, best of the schemes u0 to u5",
}
"""What may be the y axis: columns of a sweep."""

_SHORT = {"es_n0_db": "Es/N0", "eb_n0_db": "Eb/N0"}


@in_fixed_style
def plot_sweep(
    rows: Rows,
    ax: Axes | None = None,
    *,
    x: str | None = None,
    y: str = "upper",
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draw the rows of a sweep (`hushcount.sweep`): one column against another, a curve for each combination of what
    else varies.

    The error probability has a band from its lower to its upper bound, where these can be told apart. Behind a medium
    and against epsilon, with one n and delta, the picture is that of `plot_medium`, with its bounds. Missing and
    infinite values are gaps. The column `gap` of a medium that is proved lossless is drawn as 0, which a logarithmic
    scale leaves out. The legend marks mechanisms that an audit found not to be private (in mu: not mu-GDP), in every
    row or in some, and not because of the rounding of floats alone.

    Args:
        rows: all behind a medium, all without one, or all in mu or rho; in any order.
        ax: where to draw; by default the axes of a new figure.
        x: epsilon, es_n0_db, eb_n0_db, p, n, delta, mu, rho or multiple; by default the first of those with most
            values.
        y: upper (the certified error probability) or absolute_error; without a medium also squared_error, bias,
            within_1, needs_epsilon_upper or needs_delta_upper, or in mu needs_mu_upper; behind one also gap,
            medium_error_probability, l, u0 or least_bound.
        scale: the scale of the y axis: linear or log.
        title: above the picture, as it is; "" for none. By default it says what the rows have in common.

    Returns:
        The axes.

    Raises:
        InvalidParameter: a bad argument, naming it; more than 11 curves (8 media), which could not be told apart.
        BadUse: matplotlib is not installed.
    """
    drawn = _checked(rows)
    checked_scale(scale)
    counts = {name: len({getattr(row, name) for row in drawn}) for name in _point(drawn[0])}
    varying = {name: count for name, count in counts.items() if count > 1}
    along = _along(x, varying, counts)
    if not (isinstance(y, str) and y in Y_AXES and hasattr(drawn[0], y)):
        allowed = [name for name in Y_AXES if hasattr(drawn[0], name)]
        raise InvalidParameter("y", y, f"one of {', '.join(allowed)}")
    others = [name for name in varying if name != along]
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in sorted(drawn, key=lambda row: _place(row, along)):
        groups.setdefault(tuple(getattr(row, name) for name in others), []).append(row)
    is_of_media = along == "epsilon" and y == "upper" and not {"n", "delta"} & set(others)
    is_of_media = is_of_media and hasattr(drawn[0], "medium")
    most = MOST_MEDIA if is_of_media else MOST_CURVES
    if not len(groups) <= most:
        seen = ", ".join(f"{name} ({varying[name]} values)" for name in others)
        raise InvalidParameter("the number of curves", len(groups), f"at most {most}; keep fewer values of {seen}")
    labelled = {_label(others, key, drawn[0]) + _privacy(group): group for key, group in groups.items()}
    common = ", ".join(_told(name, getattr(drawn[0], name)) for name in counts if _is_told(name, drawn[0], varying))
    if is_of_media:
        curves = [_medium_curve(label, group) for label, group in labelled.items()]
        return plot_medium(
            curves, ax, scale=scale, title=f"What a fixed medium costs: {common}" if title is None else title
        )
    default = f"{Y_AXES[y][0].upper()}{Y_AXES[y][1:]}" + (f": {common}" if common else "")
    return _plot(labelled, ax, along, y, scale, default if title is None else title)


def _plot(groups: dict[str, list[Any]], ax: Axes | None, along: str, y: str, scale: str, title: str) -> Axes:
    curves = Curves(ax, len(groups))
    for (label, group), look in zip(groups.items(), curves.looks, strict=True):
        places, heights = np.array([_place(row, along) for row in group]), _finite(group, y)
        if y == "upper":
            low = _finite(group, "lower")
            curves.ax.fill_between(places, low, heights, color=look.colour, alpha=0.3, linewidth=0)
        curves.add(places, heights, label, whole=f"{label}, {title}")
    if along in ("n", "multiple"):
        counted(curves.ax.xaxis, max(_place(row, along) for group in groups.values() for row in group))
    curves.name(X_AXES[along], Y_AXES[y], scale=scale)
    return curves.finish(title, title)


def _checked(rows: Iterable[Any]) -> list[Any]:
    from hushcount.sweeps import MechanismRow, MediumRow, MuRow

    drawn = listed(rows, "rows", "a list of the rows of a sweep")
    if not (drawn and any(all(isinstance(row, kind) for row in drawn) for kind in (MediumRow, MechanismRow, MuRow))):
        raise InvalidParameter("rows", None, "rows of one sweep, at least one")
    if not len({row.point for row in drawn}) == len(drawn):
        raise InvalidParameter("rows", None, "rows of one sweep, each point once")
    return drawn


def _point(row: Any) -> list[str]:
    """Return the fields that say where a row is."""
    return [field.name for field in fields(row.point)]


def _along(x: str | None, varying: dict[str, int], columns: Iterable[str]) -> str:
    if x is None:
        known = [name for name in X_AXES if name in columns]
        return max(known, key=lambda name: varying.get(name, 1))  # the first of those with most values
    if not (isinstance(x, str) and x in X_AXES):
        raise InvalidParameter("x", x, f"one of {', '.join(X_AXES)}")
    if x not in varying and not (x == "epsilon" and x in columns):
        raise InvalidParameter(
            "x", x, f"something that varies: {', '.join(name for name in X_AXES if name in varying)}"
        )
    return x


def _place(row: Any, along: str) -> float:
    value = getattr(row, along)
    return float("inf") if value in (None, "inf") else nearest(exact(value, along))


def _finite(group: list[Any], name: str) -> Any:
    values = np.array([np.nan if (value := _value(row, name)) is None else value for row in group], dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _value(row: Any, name: str) -> Any:
    """Return what is in the column; a proof that the medium is lossless says more of the gap than the numbers do."""
    return 0.0 if name == "gap" and row.verdict == "LOSSLESS" else getattr(row, name)


def _privacy(group: list[Any]) -> str:
    """Return what the legend adds: whether an audit found the rows not to be private."""
    broken = [getattr(row, "verdict", None) == "NOT_PRIVATE" and not row.by_rounding for row in group]
    told = "(not mu-GDP)" if hasattr(group[0], "needs_mu_upper") else NOT_PRIVATE
    return "" if not any(broken) else f" {told}" if all(broken) else f" (in part {told[1:]}"


def _is_told(name: str, row: Any, varying: dict[str, int]) -> bool:
    """Return whether the title says what a column has in all rows."""
    return name not in varying and getattr(row, name) is not None and not (name == "delta" and row.delta == "0")


def _told(name: str, value: Any) -> str:
    """Return `psk`, `n = 7` or `Es/N0 = 10 dB`."""
    if name in ("mechanism", "medium"):
        return str(value)
    spelled = str(value) if value == "inf" or name in ("fading", "labels", "to", "coherent") else number(exact(value))
    return f"{_SHORT.get(name, name)} = {spelled}{' dB' if name in _SHORT else ''}"


def _label(others: list[str], key: tuple[Any, ...], row: Any) -> str:
    """Return `nearest, n = 7`: what varies, and how; where nothing does, what the rows are of."""
    parts = [_told(name, value) for name, value in zip(others, key, strict=True) if value is not None]
    return ", ".join(parts) or str(getattr(row, "medium", None) or row.mechanism)


def _medium_curve(label: str, group: list[Any]) -> MediumCurve:
    general = np.array([_finite(group, name) for name in ("u0", "u1", "u2", "u3")])
    return MediumCurve(
        label,
        [_place(row, "epsilon") for row in group],
        _finite(group, "lower"),
        _finite(group, "upper"),
        _finite(group, "without_medium_upper"),
        np.fmin.reduce(general),
        _finite(group, "u4"),
    )
