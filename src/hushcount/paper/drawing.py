"""The two figures of the paper, drawn from what is computed here; they need matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hushcount.figures.medium import medium_curve, plot_medium
from hushcount.figures.shared_entries import plot_shared_entries
from hushcount.optimal_set import OptimalSet
from hushcount.paper.grid import FULL, Grid
from hushcount.paper.media import psk_media
from hushcount.paper.statements.section_6 import curve_epsilons

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "figure_1", "figure_2"]


def figure_1(grid: Grid = FULL) -> Figure:
    """Draw which entries all optima share at delta = 0, for M = 4 and M = 5, with the values at epsilon = 0.5.
    Counts are numbered from 0, the paper's outcomes from 1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    for M, ax in zip((4, 5), figure.subplots(1, 2), strict=True):
        plot_shared_entries(OptimalSet(M - 1, "0.5"), ax, title=f"M = {M}, epsilon = 0.5, delta = 0; counts from 0")
        legend = ax.get_legend()
        assert legend is not None
        handles, labels = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
        legend.remove()  # it would hide entries; one legend below both is enough
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    return figure


def figure_2(grid: Grid = FULL) -> Figure:
    """Draw p_e*(T) of 8-PSK against epsilon at several SNRs, with p_e*, the bound of Proposition 1 and u4; delta =
    0."""
    curves = [
        medium_curve(T, curve_epsilons(grid), label=f"Es/N0 = {decibels:g} dB")
        for decibels, T in zip(grid.decibels, psk_media(grid), strict=True)
    ]
    ax = plot_medium(curves, title="8-PSK over additive white Gaussian noise: M = 8, delta = 0")
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


FIGURES: dict[str, tuple[str, Callable[[Grid], Figure]]] = {
    "figure-1": ("Fig. 1", figure_1),
    "figure-2": ("Fig. 2", figure_2),
}
"""File name without ending -> how the names of its statements begin, and what draws it."""
