"""Sweeps: what a grid of points shows, one curve for each combination of what varies beside the x axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushcount.arguments import listed, path_text
from hushcount.errors import BadData, InvalidParameter
from hushcount.exact import exact
from hushcount.figures.medium import MediumCurve, plot_medium
from hushcount.figures.style import axes_or_new, axis_names, chances, checked_scale, legend, looks, spaced, titled
from hushcount.number_text import short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.sweeps import MechanismRow, MediumRow

    Rows = Sequence[MediumRow] | Sequence[MechanismRow]

__all__ = ["X_AXES", "Y_AXES", "plot_sweep", "read_sweep"]

X_AXES = {
    "epsilon": "epsilon, nats",
    "es_n0_db": "Es/N0, dB",
    "eb_n0_db": "Eb/N0, dB",
    "p": "error probability of the channel",
    "n": "n, the largest count",
    "delta": "delta",
    "multiple": "multiple",
}
"""What may be the x axis; without a wish, the first of those with most values."""

Y_AXES = {
    "upper": "chance to be wrong, worst case",
    "absolute_error": "expected |error|, worst case",
    "squared_error": "expected squared error, worst case",
    "bias": "largest |bias|",
    "within_1": "least chance to be within 1",
    "needs_epsilon_upper": "epsilon that it needs",
    "needs_delta_upper": "delta that it needs",
    "gap": "what the medium costs",
}
"""What may be the y axis: columns of a sweep."""

_SHORT = {"es_n0_db": "Es/N0", "eb_n0_db": "Eb/N0"}


def plot_sweep(
    rows: Rows,
    ax: Axes | None = None,
    *,
    x: str | None = None,
    y: str = "upper",
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draws the rows of a sweep (`hushcount.sweep`): a column against one that varies, a curve for each combination of
    the others that vary.

    The chance to be wrong has a band from its lower to its upper bound, where these can be told apart. Behind a medium
    and against epsilon, with one n and delta, the picture is that of `plot_medium`, with its bounds. Rows without a
    value, and infinite ones, are gaps.

    Args:
        rows: all behind a medium, or all without one; in any order.
        ax: where to draw; by default the axes of a new figure.
        x: epsilon, es_n0_db, eb_n0_db, p, n, delta or multiple; by default the first of these that has most values.
        y: upper (the certified chance to be wrong), absolute_error, and without a medium squared_error, bias, within_1,
            needs_epsilon_upper, needs_delta_upper; behind one gap.
        scale: of the y axis: linear or log.
        title: above the picture, as it is; "" for none.

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
    along = _along(x, varying)
    if y not in Y_AXES or not hasattr(drawn[0], y):
        allowed = [name for name in Y_AXES if hasattr(drawn[0], name)]
        raise InvalidParameter("y", y, f"one of {', '.join(allowed)}")
    others = [name for name in varying if name != along]
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in sorted(drawn, key=lambda row: _place(row, along)):
        groups.setdefault(tuple(getattr(row, name) for name in others), []).append(row)
    labelled = {_label(others, key, drawn[0]): group for key, group in groups.items()}
    if along == "epsilon" and y == "upper" and not {"n", "delta"} & set(others) and hasattr(drawn[0], "medium"):
        curves = [_medium_curve(label, group) for label, group in labelled.items()]
        return plot_medium(curves, ax, scale=scale, title=title)
    return _plot(labelled, axes_or_new(ax), along, y, scale, title)


def _plot(groups: dict[str, list[Any]], ax: Axes, along: str, y: str, scale: str, title: str | None) -> Axes:
    styles = looks(len(groups))
    entries: list[tuple[Any, str]] = []
    values = []
    for number, (label, group) in enumerate(groups.items()):
        places, heights = np.array([_place(row, along) for row in group]), _finite(group, y)
        values.append(heights)
        if y == "upper":
            ax.fill_between(
                places, _finite(group, "lower"), heights, color=styles[number].colour, alpha=0.3, linewidth=0
            )
        every = spaced(len(places), number)
        (line,) = ax.plot(places, heights, **styles[number].options, markevery=every)
        entries.append((line, label))
    axis_names(ax, X_AXES[along], Y_AXES[y])
    if along in ("n", "multiple"):
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    chances(ax, scale, values)
    legend(ax, entries)
    titled(ax, title, f"{Y_AXES[y][0].upper()}{Y_AXES[y][1:]}")
    return ax


def read_sweep(path: str | PathLike[str]) -> Rows:
    """The rows in a table that `hushcount sweep` wrote.

    Raises:
        InvalidParameter: not a path, or another ending than .csv or .parquet.
        BadData: it cannot be read, or holds something else.
    """
    from hushcount.sweeps import MechanismRow, MediumRow
    from hushcount.sweeps.files import read_rows

    where = Path(path_text(path, "path"))
    form = where.suffix.lower()
    if form not in (".csv", ".parquet"):
        raise InvalidParameter("path", str(where), "a file name that ends in .csv or .parquet")
    try:
        where.open("rb").close()
    except (OSError, ValueError) as error:
        raise BadData(f"{where}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    for row_class in (MediumRow, MechanismRow):
        try:
            return read_rows(where, form, row_class)  # type: ignore[return-value]
        except BadData:
            continue
    raise BadData(f"{where}: is not a table that hushcount sweep wrote")


def _checked(rows: Iterable[Any]) -> list[Any]:
    from hushcount.sweeps import MechanismRow, MediumRow

    drawn = listed(rows, "rows", "a list of the rows of a sweep")
    if not (drawn and any(all(isinstance(row, kind) for row in drawn) for kind in (MediumRow, MechanismRow))):
        raise InvalidParameter("rows", None, "rows of one sweep, at least one")
    return drawn


def _point(row: Any) -> list[str]:
    """The fields that say where a row is."""
    return [field.name for field in fields(row.point)]


def _along(x: str | None, varying: dict[str, int]) -> str:
    if x is None:
        return max(X_AXES, key=lambda name: varying.get(name, 1))  # the first of those with most values
    if x not in X_AXES:
        raise InvalidParameter("x", x, f"one of {', '.join(X_AXES)}")
    if x not in varying and x != "epsilon":
        raise InvalidParameter(
            "x", x, f"something that varies: {', '.join(name for name in X_AXES if name in varying)}"
        )
    return x


def _place(row: Any, along: str) -> float:
    value = getattr(row, along)
    return float("inf") if value in (None, "inf") else float(exact(value, along))


def _finite(group: list[Any], name: str) -> Any:
    values = np.array([np.nan if (value := getattr(row, name)) is None else value for row in group], dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _label(others: list[str], key: tuple[Any, ...], row: Any) -> str:
    """`nearest, n = 7`: what varies, and how; what the rows are of, where nothing does."""
    parts = []
    for name, value in zip(others, key, strict=True):
        if name in ("mechanism", "medium"):
            parts.append(str(value))
        elif value is not None:
            spelled = value if value == "inf" or name in ("fading", "labels", "to", "coherent") else short(exact(value))
            unit = " dB" if name in _SHORT else ""
            parts.append(f"{_SHORT.get(name, name)} = {spelled}{unit}")
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
