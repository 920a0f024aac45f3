"""The privacy profile: the least delta at each epsilon, as it is rather than as claimed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.figures.curves import Curves
from hushcount.figures.errors import checked_epsilons
from hushcount.figures.named import by_label, size_in_common
from hushcount.figures.style import checked_scale, in_fixed_style
from hushcount.numbers.text import upper_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.inputs.grid import Values
    from hushcount.mechanisms import Mechanism

__all__ = ["plot_privacy_profile"]

_CROSS: dict[str, Any] = {
    "linestyle": "none",
    "marker": "x",
    "markersize": 8.0,
    "markeredgewidth": 1.8,
    "clip_on": False,
}


@in_fixed_style
def plot_privacy_profile(
    mechanisms: Mechanism | Mapping[str, Mechanism | ArrayLike],
    epsilons: Values,
    ax: Axes | None = None,
    *,
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draw the least delta at each epsilon, found by an audit (`Audit.profile`), rounded up.

    A cross marks what a mechanism promises; it is private as promised if its curve does not pass above the cross. The
    legend says from which epsilon delta is 0, which a logarithmic scale cannot show.

    Args:
        mechanisms: one mechanism, or up to 11 mechanisms or square matrices by label.
        epsilons: >= 0 in nats, in rising order, a list or a text such as "0:3:0.1".
        ax: where to draw; by default the axes of a new figure.
        scale: the scale of delta: linear or log.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter, BadUse, TooLarge: a bad argument, naming it; see `hushcount.audit`.
        BadUse: matplotlib is not installed.
    """
    from hushcount.privacy import audit

    shown, asked = by_label(mechanisms), checked_epsilons(epsilons)
    checked_scale(scale)
    curves = Curves(ax, len(shown))
    audits = [audit(mechanism, delta=0) for mechanism in shown.values()]
    deltas = [[point.least_delta.interval.upper for point in found.profile(asked)] for found in audits]
    from matplotlib.lines import Line2D

    promised = []
    for (label, mechanism), found, heights in zip(shown.items(), audits, deltas, strict=True):
        least = found.least_epsilon.interval.exact_upper
        told = label if least is None else f"{label} (delta 0 from epsilon {upper_text(least, 3)} on)"
        look = curves.add(np.array(asked, dtype=float), heights, told)
        if mechanism.epsilon is not None:
            promised.append(float(mechanism.delta))
            cross = {**_CROSS, "markeredgecolor": look.colour}
            curves.ax.plot([float(mechanism.epsilon)], [promised[-1]], **cross)
    if promised:
        curves.explain(Line2D([], [], **{**_CROSS, "markeredgecolor": "black"}), "what is promised")
    curves.name("epsilon, nats", "least delta", scale=scale, others=promised)
    return curves.finish(title, f"Privacy profile{size_in_common(shown.values())}")
