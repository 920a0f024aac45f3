"""One small picture of each kind, for what holds of all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from receipts import table_receipt_of

from hushcount import canonical, nearest, sweep
from hushcount.figures import (
    MediumCurve,
    plot_errors,
    plot_mechanism,
    plot_medium,
    plot_prices,
    plot_privacy_profile,
    plot_rows,
    plot_shared_entries,
    plot_sweep,
    plot_table,
    plot_tradeoff,
)
from hushcount.mechanisms import redrawn_geometric
from hushcount.mechanisms.by_name import MECHANISMS
from hushcount.optimal_set import OptimalSet

TRIANGLE = np.tri(8) / np.arange(1, 9)[:, None]
"""Half of it is exactly 0."""


def medium_curves() -> list[MediumCurve]:
    """Made up, with every part of the picture: two media, bounds, a band."""
    epsilon = np.linspace(0, 3, 7)
    without = 0.75 * np.exp(-epsilon)
    return [
        MediumCurve(
            f"Es/N0 = {10 * number} dB",
            epsilon,
            np.maximum(without, floor),
            np.maximum(without, floor) + 0.01,
            without,
            np.maximum(without, floor) + 0.05,
            np.maximum(without, floor) + (0.02 if number else np.nan),
        )
        for number, floor in enumerate((0.4, 0.2))
    ]


@cache
def swept() -> tuple[Any, ...]:
    return sweep("1:4", "0.5,1", mechanisms="nearest,canonical", jobs=1)


def several(n: int) -> dict[str, Any]:
    return {"nearest": nearest(n, 1, "0.01"), "canonical": canonical(n, 1), "redrawn": redrawn_geometric(n, 1)}


PICTURES: dict[str, Callable[..., Axes]] = {
    "mechanism": lambda **rest: plot_mechanism(nearest(7, 1), **rest),
    "mechanism-zeros": lambda **rest: plot_mechanism(TRIANGLE, scale="log", **rest),
    "mechanism-1": lambda **rest: plot_mechanism(nearest(1, 1), **rest),
    "mechanism-200": lambda **rest: plot_mechanism(nearest(200, 1), scale="log", **rest),
    "rows": lambda **rest: plot_rows(canonical(30, "0.5"), range(0, 31, 3), **rest),
    "rows-200": lambda **rest: plot_rows(nearest(200, 1), scale="log", **rest),
    "errors": lambda **rest: plot_errors(7, "0.5,1,2", delta="0.01", mechanisms=MECHANISMS, **rest),
    "errors-mu": lambda **rest: plot_errors(7, mus="0.5,1,2", **rest),
    "prices": lambda **rest: plot_prices(100, 5, "0.9", **rest),
    "optimal-set": lambda **rest: plot_shared_entries(OptimalSet(4, "0.5"), ranges=True, sums=True, **rest),
    "optimal-set-200": lambda **rest: plot_shared_entries(OptimalSet(200, 1, "0.01"), sums=True, **rest),
    "medium": lambda **rest: plot_medium(medium_curves(), **rest),
    "privacy-profile": lambda **rest: plot_privacy_profile(several(7), "0,0.5,1,1.5", scale="log", **rest),
    "trade-off": lambda **rest: plot_tradeoff(nearest(30, 1, "0.01"), **rest),
    "table": lambda **rest: plot_table(table_receipt_of(["k"], ["a", "b"], [3, 0, 9], 10), **rest),
    "table-bars": lambda **rest: plot_table(
        table_receipt_of(["k", "b"], [(k, None) for k in range(20)], range(20), 40, mechanism="canonical"),
        **{"kind": "bars", **rest},
    ),
    "sweep": lambda **rest: plot_sweep(swept(), **rest),
}
"""Each takes `ax` and `title`."""


def axes(size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    """Of a new figure, as `hushcount plot` makes it."""
    return Figure(figsize=size, layout="constrained").subplots()


def legend_of(ax: Axes) -> dict[str, Any]:
    """Its handles by label."""
    (found,) = ax.figure.legends or [ax.get_legend()]  # type: ignore[list-item]
    return dict(zip((text.get_text() for text in found.get_texts()), found.legend_handles, strict=True))


def curves_of(ax: Axes) -> dict[str, tuple[list[float], list[float]]]:
    """The points of each curve that the legend names, told by its looks."""
    found = {}
    for label, handle in legend_of(ax).items():
        for line in ax.lines:
            if looks_of(line) == looks_of(handle):
                found[label] = (
                    np.asarray(line.get_xdata(), float).tolist(),
                    np.asarray(line.get_ydata(), float).tolist(),
                )
                break
    return found


def looks_of(line: Any) -> tuple[Any, ...]:
    return line.get_color(), line.get_marker(), line.get_linestyle(), line.get_linewidth()


def cells_inside(area: Any, M: int) -> np.ndarray:
    """Which cells of an M x M matrix a patch covers, by their middles."""
    places = np.argwhere(np.ones((M, M)))[:, ::-1]
    return np.asarray(area.get_path().contains_points(places)).reshape(M, M)
