"""Trade-off curves: how well an adversary can tell two neighboring true counts apart."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.figures.curves import Curves
from hushcount.figures.named import by_label, size_in_common
from hushcount.figures.parameters import numbers_of, parameters
from hushcount.figures.style import axis_names, in_fixed_style, widen
from hushcount.figures.tradeoff_points import tradeoff_points
from hushcount.inputs.arguments import listed
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.normal_floats import quantiles, upper_tails

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism
    from hushcount.numbers.arrays import Floats
    from hushcount.numbers.exact import Number

__all__ = ["plot_tradeoff"]

LARGEST_DRAWN = 512
"""The most outcomes; a curve takes two points for each pair of rows and each outcome."""

_SIZE = (5.4, 5.8)
_STEPS = 400


@in_fixed_style
def plot_tradeoff(
    mechanisms: Mechanism | Mapping[str, Mechanism | ArrayLike],
    ax: Axes | None = None,
    *,
    claim: tuple[Number, Number] | EpsilonDelta | GaussianDP | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the trade-off curves of mechanisms ([DRS22]).

    A test that takes one true count for its neighbor with chance x takes the neighbor for it with chance at least y.
    The nearer the curve is to the diagonal, the more private the mechanism.

    Args:
        mechanisms: one mechanism, or up to 11 mechanisms or square matrices by label; up to 512 outcomes.
        ax: where to draw; by default the axes of a new figure.
        claim: (epsilon, delta), or a promise such as `GaussianDP.of(1)`, whose own curve is drawn as well; a mechanism
            that keeps the claim is nowhere below it. By default what the mechanisms promise, where all promise the
            same.
        title: above the picture, as it is; "" for none.

    Returns:
        The axes.

    Raises:
        InvalidParameter, BadUse: a bad argument, naming it.
        TooLarge: more than 512 outcomes.
        BadUse: matplotlib is not installed.
    """
    shown = by_label(mechanisms)
    privacy = _claimed(claim) if claim is not None else _common(list(shown.values()))
    for mechanism in shown.values():
        if not mechanism.n < LARGEST_DRAWN:
            raise TooLarge(f"trade-off curves have at most {LARGEST_DRAWN} outcomes (got {mechanism.n + 1:,})")
    curves = Curves(ax, len(shown), _SIZE)
    ax = curves.ax
    points = [tradeoff_points(mechanism.matrix()) for mechanism in shown.values()]
    for label, (x, y) in zip(shown, points, strict=True):
        curves.add(x, y, label, markevery=max(1, len(x) // 12))
    if privacy is not None:
        x, y = _least(privacy)
        (line,) = ax.plot(x, y, color="#555555", linestyle=(0, (4, 2)), linewidth=2.4, zorder=1.5)
        curves.explain(line, f"least for {parameters(**numbers_of(privacy))}")
    (line,) = ax.plot([0, 1], [1, 0], color="#8a8a8a", linewidth=0.8, zorder=1.4)
    curves.explain(line, "nothing given away")
    ax.set(xscale="linear", yscale="linear")
    widen(ax, (0, 1), (0, 1))
    ax.set_aspect("equal")
    ax.grid(visible=True, linewidth=0.4, color="#cccccc")
    axis_names(ax, "chance to take the count for its neighbor", "chance to take the neighbor for the count")
    return curves.finish(title, f"Trade-off of an adversary's errors{size_in_common(shown.values())}")


def _claimed(claim: tuple[Number, Number] | EpsilonDelta | GaussianDP) -> EpsilonDelta | GaussianDP:
    if isinstance(claim, (EpsilonDelta, GaussianDP)):
        return claim
    rule = "(epsilon, delta), two numbers"
    given = listed(claim, "claim", rule)
    if len(given) != 2:
        raise InvalidParameter("claim", claim, rule)
    return EpsilonDelta.of(*given)


def _common(mechanisms: list[Mechanism]) -> EpsilonDelta | GaussianDP | None:
    """Return what all of them promise; None where they differ, or one promises nothing of the kind."""
    first, *others = (_promised(mechanism) for mechanism in mechanisms)
    return first if all(other == first for other in others) else None


def _promised(mechanism: Mechanism) -> EpsilonDelta | GaussianDP | None:
    if isinstance(mechanism.proven_privacy, GaussianDP):
        return mechanism.proven_privacy
    if mechanism.epsilon is None:
        return None
    return EpsilonDelta(mechanism.epsilon, mechanism.delta or Fraction(0))


def _least(privacy: EpsilonDelta | GaussianDP) -> tuple[Floats, Floats]:
    """Return points of g(1 - x), which are joined: the corners of an (epsilon, delta), or a fine grid."""
    if isinstance(privacy, GaussianDP):
        x = np.linspace(0, 1, _STEPS + 1)
        return x, upper_tails(float(privacy) - quantiles(1 - x))
    # where its two lines meet, and where it reaches 0
    delta, q = float(privacy.delta), privacy.shrinkage
    x = np.unique([0.0, q * (1 - delta) / (1 + q), 1 - delta, 1.0])
    return x, np.array([privacy.least(1 - each) for each in x])
