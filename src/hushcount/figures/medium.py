"""What a fixed medium costs, against epsilon ([RV26] Fig. 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import InvalidParameter
from hushcount.figures.curves import draw_in_turn, told_apart
from hushcount.figures.errors import checked_epsilons
from hushcount.figures.legend import legend
from hushcount.figures.style import (
    COLOURS,
    Curve,
    axes_or_new,
    axis_names,
    chances,
    checked_scale,
    in_fixed_style,
    spaced,
    titled,
)
from hushcount.inputs.arguments import listed
from hushcount.privacy.subjects import LARGEST_EPSILON

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.inputs.grid import Values
    from hushcount.medium import Medium
    from hushcount.numbers.exact import Number

__all__ = ["MediumCurve", "medium_curve", "plot_medium"]

_SIZE = (6.4, 5.4)
_COLOURS = tuple(colour for colour in COLOURS if colour != "#000000")
"""The colors of media; black, with triangles, is for p_e*."""

_TURNS: tuple[Any, ...] = ("-", (0, (4, 1.2, 1, 1.2)))
"""Solid, then dash-dotted where a color comes again; dashes alone and dots alone are for bounds."""

_MARKERS = ("o", "s", "D", "v", "X", "P", "*", "h")
MOST_MEDIA = len(_MARKERS)
"""The most media in one picture."""

_BOUNDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("bound", "best simple scheme (u0 to u3)", {"linestyle": (0, (5, 1.5)), "linewidth": 1.2}),
    ("circulant", "best circulant scheme (u4)", {"linestyle": (0, (1, 1.5)), "linewidth": 1.0}),
)
_ALONE: dict[str, Any] = {
    "color": "black",
    "linewidth": 3.6,
    "marker": "^",
    "markerfacecolor": "white",
    "markersize": 7,
    "zorder": 1.8,
}
"""The look of p_e*, a broad line below the media: where these cost nothing, both are seen."""

_SAME = 1e-9
"""The difference up to which two computations of p_e* count as one: far more than their rounding, less than a
picture shows."""


_GRAY = "#555555"
"""The color, in the legend, of what each medium has in its own."""

_TITLE = "What a fixed medium costs"


@dataclass(frozen=True, eq=False)
class MediumCurve:
    """Points of p_e*(T) of one medium, at epsilons in rising order; all arrays have one value for each epsilon.

    Attributes:
        label: what the legend calls the medium.
        epsilon: in nats.
        lower, upper: certified bounds, lower <= p_e*(T) <= upper.
        without: p_e* for the same number of outcomes without a medium; the same for every medium of a picture.
        bound: the least of the upper bounds u0 to u3; None to leave it out.
        circulant: u4; NaN where T is not circulant, None to leave it out.
    """

    label: str
    epsilon: ArrayLike
    lower: ArrayLike
    upper: ArrayLike
    without: ArrayLike
    bound: ArrayLike | None = None
    circulant: ArrayLike | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.label, str) and self.label):
            raise InvalidParameter("label", self.label, "a text")
        epsilon = _numbers("epsilon", self.epsilon)
        if not (epsilon.size and (np.abs(epsilon) <= LARGEST_EPSILON).all() and (np.diff(epsilon) > 0).all()):
            raise InvalidParameter("epsilon", None, f"numbers up to {LARGEST_EPSILON:,} in rising order, at least one")
        for name in ("epsilon", "lower", "upper", "without", "bound", "circulant"):
            if (given := getattr(self, name)) is not None:
                values = _numbers(name, given)
                if values.shape != epsilon.shape:
                    raise InvalidParameter(name, None, f"a number for each of the {len(epsilon)} epsilons")
                values.setflags(write=False)
                object.__setattr__(self, name, values)


def _numbers(name: str, given: ArrayLike) -> Any:
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(name, None, "a list of numbers") from None
    if values.ndim != 1:
        raise InvalidParameter(name, None, "a list of numbers")
    return values


def medium_curve(
    medium: Medium | ArrayLike, epsilons: Values, delta: Number = 0, *, label: str | None = None
) -> MediumCurve:
    """Compute the points of a medium: its certified optimum and the paper's bounds at each epsilon.

    Args:
        medium: a medium of up to 256 symbols, or its matrix.
        epsilons: >= 0 in nats, in rising order, a list or a text such as "0.05:6:0.05".
        delta: 0 <= delta < 1.
        label: by default the description of the medium.

    Raises:
        InvalidParameter, BadUse, TooLarge: see `hushcount.medium.optimum`.
    """
    from hushcount.medium.behind import Behind
    from hushcount.medium.channels.given import as_medium

    T, rows = as_medium(medium), []
    for at in [Behind.of(T, epsilon, delta) for epsilon in checked_epsilons(epsilons)]:
        best, circular = at.optimum, np.nan if at.u4.value is None else at.u4.value
        general = min(bound.value for bound in (at.u0, at.u1, at.u2, at.u3) if bound.value is not None)
        rows.append((float(at.privacy.epsilon), best.lower, best.upper, at.without.upper, general, circular))
    epsilon, lower, upper, without, bound, circulant = np.array(rows).reshape(-1, 6).T
    name = T.description if label is None else label
    return MediumCurve(name, epsilon, lower, upper, without, bound, circulant)


@in_fixed_style
def plot_medium(
    curves: Sequence[MediumCurve],
    ax: Axes | None = None,
    *,
    bounds: bool = True,
    scale: str = "linear",
    title: str | None = None,
) -> Axes:
    """Draw the least worst-case chance that what arrives is wrong, p_e*(T), against epsilon, for one or more media.

    Each medium has its color. Solid, with markers: the certified optimum p_e*(T) (a band where its two ends can be
    told apart; dash-dotted from the sixth medium on). Dashed: the least of the upper bounds u0 to u3, which come from
    P*, the canonical optimum without a medium: as it is (u0), and mixed with P* T^-1 (u1), a direction (u2) or the
    best inputs (u3). Dotted: the bound u4 of a circulant medium, from the best circulant mechanism. Black, with
    triangles: p_e*, the best without a medium.

    No line hides another. Media that coincide are drawn in dashes of each in turn. A bound is left out where it cannot
    be told from the optimum, or, if it is u4, from the least of u0 to u3.

    The optimum does not rise with epsilon, but a bound may: each of u1 to u3 comes from a scheme tied to P*, with a
    factor (lambda, theta, beta) that can fall as epsilon grows.

    Args:
        curves: from `medium_curve`, all with the same epsilons, or at least the same p_e*.
        ax: where to draw; by default the axes of a new figure.
        bounds: draw them as well.
        scale: the scale of the chance: linear or log.
        title: above the picture, as it is; "" for none. By default it says what the labels have in common, and the
            legend only where they differ.

    Returns:
        The axes.

    Raises:
        InvalidParameter: a bad argument, naming it; more curves than can be told apart.
        BadUse: matplotlib is not installed.
    """
    drawn = listed(curves, "curves", "a list of MediumCurve")
    if not (drawn and all(isinstance(each, MediumCurve) for each in drawn)):
        raise InvalidParameter("curves", None, "a list of MediumCurve, at least one")
    checked_scale(scale)
    epsilon, without = _without(drawn)
    ax = axes_or_new(ax, _SIZE)
    styles = _looks(len(drawn), ax)
    from matplotlib.lines import Line2D

    (line,) = ax.plot(epsilon, without, **_ALONE, markevery=spaced(len(epsilon), 0, len(drawn) + 1))
    entries: list[tuple[Any, str]] = [(line, "least without a medium (p_e*)")]
    common, labels = _parted([each.label for each in drawn]) if title is None else ("", [each.label for each in drawn])
    entries.append(
        (Line2D([], [], color=_GRAY, linewidth=styles[0].options["linewidth"]), "least behind the medium (p_e*(T))")
    )
    for number, (each, label, look) in enumerate(zip(drawn, labels, styles, strict=True)):
        _draw(ax, each, look.colour, _bounds_apart(each, scale) if bounds else {})
        every = spaced(len(np.asarray(each.epsilon)), number + 1, len(drawn) + 1)
        (line,) = ax.plot(each.epsilon, each.upper, **look.options, markevery=every, label=each.label)
        entries.append((line, label))
    _draw_in_turn(ax, drawn, styles, scale)
    for name, words, options in _BOUNDS if bounds else ():
        if any(getattr(each, name) is not None and not np.isnan(getattr(each, name)).all() for each in drawn):
            entries.append((Line2D([], [], color=_GRAY, **options), words))
    axis_names(ax, "epsilon, nats", "chance that what arrives is wrong, worst case")
    extra = [given for each in drawn for given in (each.bound, each.circulant) if bounds and given is not None]
    shown = [*(each.upper for each in drawn), *extra]
    chances(ax, scale, [without, *shown])
    legend(ax, entries)
    titled(ax, title, f"{_TITLE}: {common}" if common else _TITLE)
    return ax


def _looks(count: int, ax: Axes) -> list[Curve]:
    """Return what tells so many media apart, and apart from those already on the axes.

    Raises:
        InvalidParameter: there are too many media.
    """
    used = {(line.get_color(), line.get_marker()) for line in ax.lines}
    turns = [(number % len(_COLOURS), number // len(_COLOURS)) for number in range(MOST_MEDIA)]
    found = [
        Curve(_COLOURS[place], _TURNS[turn], marker) for (place, turn), marker in zip(turns, _MARKERS, strict=True)
    ]
    free = [look for look in found if (look.colour, look.marker) not in used]
    if not count <= len(free):
        total = count + MOST_MEDIA - len(free)
        raise InvalidParameter("the number of curves", total, f"at most {MOST_MEDIA}: more look alike")
    return free[:count]


def _parted(labels: list[str]) -> tuple[str, list[str]]:
    """Return what labels have in common, and what each has of its own.

    The first names what they differ in: `8-PSK, Es/N0 = 0 dB` and so on give `8-PSK, by Es/N0`, and `Es/N0 = 0 dB` and
    so on. Where they differ in more than one part between commas, it is empty and the labels are whole.
    """
    split = [label.split(", ") for label in labels]
    if len({len(parts) for parts in split}) > 1:
        return "", labels
    differing = [place for place, values in enumerate(zip(*split, strict=True)) if len(set(values)) > 1]
    if len(differing) != 1:
        return "", labels
    (place,) = differing
    common, found = split[0].copy(), [parts[place] for parts in split]
    names = {value.partition(" = ")[0] if " = " in value else "" for value in found}
    if len(names) == 1 and (name := names.pop()):
        common[place] = f"by {name}"
    else:
        del common[place]
    return ", ".join(common), found


def _bounds_apart(each: MediumCurve, scale: str) -> dict[str, Any]:
    """Return the bounds by name, where they are told from what lies below them."""
    found: dict[str, Any] = {}
    below = [np.asarray(each.upper)]
    for name, *_ in _BOUNDS:
        if (given := getattr(each, name)) is not None:
            found[name] = told_apart(np.asarray(given), below, scale)
            below.append(np.asarray(given))
    return found


def _draw_in_turn(ax: Axes, drawn: list[MediumCurve], styles: list[Curve], scale: str) -> None:
    """Draw media that coincide so that each is seen, as far as they have the same epsilons."""
    epsilon = np.asarray(drawn[0].epsilon)
    alike = [
        (np.asarray(each.upper), look.colour)
        for each, look in zip(drawn, styles, strict=True)
        if np.array_equal(np.asarray(each.epsilon), epsilon)
    ]
    curves, colours = zip(*alike, strict=True)
    draw_in_turn(ax, epsilon, curves, colours, styles[0].options["linewidth"], scale)


def _draw(ax: Axes, each: MediumCurve, colour: str, bounds: dict[str, Any]) -> None:
    """Draw the band, and the bounds."""
    epsilon = np.asarray(each.epsilon)
    ax.fill_between(epsilon, np.asarray(each.lower), np.asarray(each.upper), color=colour, alpha=0.3, linewidth=0)
    for name, _, look in _BOUNDS:
        if name in bounds:
            ax.plot(epsilon, bounds[name], color=colour, **look)


def _without(drawn: list[MediumCurve]) -> tuple[list[float], list[float]]:
    """Return all the epsilons together, and p_e* at each.

    Raises:
        InvalidParameter: two curves disagree, because their media have different sizes or delta differs.
    """
    found: dict[float, float] = {}
    for each in drawn:
        for epsilon, value in zip(np.asarray(each.epsilon).tolist(), np.asarray(each.without).tolist(), strict=True):
            if not abs(found.setdefault(epsilon, value) - value) <= _SAME:
                raise InvalidParameter("curves", None, "of media of as many symbols, at one delta: their p_e* differ")
    return sorted(found), [found[epsilon] for epsilon in sorted(found)]
