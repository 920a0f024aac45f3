"""How every figure looks: curves and areas that can be told apart in color, by the color-blind, and in gray.

A curve is told by three things at once: its color, its dashes and its marker. The six colors differ in luminance as
well, so a copier keeps them apart, and each stands out from white (contrast at least 3 to 1). Other settings of a
user's own axes (fonts, sizes, grid) are left alone. A picture on new axes looks the same whatever the settings of
matplotlib.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from math import gcd
from typing import TYPE_CHECKING, Any, ParamSpec
from unicodedata import combining
from weakref import WeakSet

import numpy as np

from hushcount.errors import BadUse, InvalidParameter
from hushcount.figures.fonts import legible, width_of
from hushcount.inputs.arguments import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = [
    "COLOURS",
    "HATCHED",
    "MARGIN",
    "MOST_CURVES",
    "PALE",
    "SCALES",
    "SIZE",
    "Curve",
    "axes_or_new",
    "axis_names",
    "chances",
    "checked_scale",
    "counted",
    "fixed_style",
    "in_fixed_style",
    "is_alone",
    "is_own",
    "looks",
    "luminance",
    "needs_matplotlib",
    "spaced",
    "titled",
    "widen",
]

COLOURS = ("#2b1f7a", "#e06a00", "#7a1f4f", "#0077bb", "#000000", "#775533")
"""The colors of curves, in order of use: neighbors differ in lightness by 18 or more of 100, any two by 9 or more."""

DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (1, 1)),
    (0, (9, 2)),
    (0, (5, 1.2, 1, 1.2, 1, 1.2)),
)
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "*", "<", ">", "h")

MOST_CURVES = len(MARKERS)
"""The most curves in one picture; more could not be told apart."""

PALE = "#b9cbe8"
"""The color of an area with black text on it."""

HATCHED: dict[str, Any] = {"facecolor": "white", "edgecolor": "#8a8a8a", "hatch": "////", "linewidth": 0.0}
"""An area that has no color of the scale: what is exactly 0, or what differs."""

SCALES = ("linear", "log")
SIZE = (6.4, 4.8)
"""The size of a new figure, in inches."""

MARGIN = 0.015
"""The margin left and right of a title, as a fraction of the width."""

_FEW = 20
"""Below this many points of a curve that is alone, all are marked."""

_EXACT_TICKS = 10**7
"""Counts from here up are too long to stand in full at each tick."""

_ROOM = 1.05
"""By how much an axis goes beyond what is drawn."""

_OF_HEIGHT = 0.5
"""What the name of an axis may take of the figure's height, from which title and legend take too."""


@dataclass(frozen=True)
class Curve:
    """What tells one curve from the others."""

    colour: str
    dashes: Any
    marker: str

    @property
    def options(self) -> dict[str, Any]:
        """Return the arguments for `Axes.plot`."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker,
            "markersize": 4.5,
            "linewidth": 1.4,
            "markeredgewidth": 0.0,
        }


def looks(count: int, ax: Axes | None = None) -> list[Curve]:
    """Return what tells so many curves apart, and apart from those already on the axes.

    Raises:
        InvalidParameter: there are too many.
    """
    used = {(line.get_color(), line.get_marker()) for line in getattr(ax, "lines", ())}
    turns = [number // len(COLOURS) for number in range(MOST_CURVES)]
    free = [
        look
        for number, turn in enumerate(turns)
        if (look := Curve(COLOURS[number % len(COLOURS)], DASHES[(number + turn) % len(DASHES)], MARKERS[number]))
        and (look.colour, look.marker) not in used
    ]
    if not count <= len(free):
        total = count + MOST_CURVES - len(free)
        raise InvalidParameter("the number of curves", total, f"at most {MOST_CURVES}: more cannot be told apart")
    return free[:count]


def needs_matplotlib() -> None:
    """Raise an error that says so where matplotlib is not installed, or where its settings keep it from starting.

    Raises:
        BadUse: it cannot be imported.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise BadUse("figures need the package matplotlib: pip install 'hushcount[figures]'") from None
    except (ValueError, OSError) as error:  # an unknown backend, or a file that cannot be read
        raise BadUse(
            f"matplotlib does not start with its settings, the variable MPLBACKEND and the file matplotlibrc: {error}"
        ) from None


def axes_or_new(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Return `ax`, or the axes of a new figure of `size` inches, which needs neither pyplot nor a display.

    Raises:
        InvalidParameter: `ax` is not axes, is not flat and rectangular (polar, geographic, three-dimensional), or was
            removed from its figure.
        BadUse: matplotlib is not installed.
    """
    needs_matplotlib()
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if ax is None:
        made = Figure(figsize=size, layout="constrained")
        _OWN.add(made)
        return made.subplots()
    if not isinstance(ax, Axes):
        raise InvalidParameter("ax", ax, "the Axes of a matplotlib figure")
    if not (ax.name == "rectilinear" and ax.figure is not None):
        raise InvalidParameter("ax", ax, "plain Axes, without a projection, that are in a figure")
    return ax


_OWN: WeakSet[Figure] = WeakSet()
"""The figures that were made here."""

_Given = ParamSpec("_Given")


@contextmanager
def fixed_style() -> Iterator[None]:
    """Use the settings that matplotlib comes with, whatever the user's are."""
    from matplotlib import style

    with style.context("default"):
        yield


def in_fixed_style(plot: Callable[_Given, Axes]) -> Callable[_Given, Axes]:
    """Return `plot`, drawing in the fixed style where it is given no axes `ax`."""
    known = signature(plot)

    @wraps(plot)
    def drawn(*args: _Given.args, **kwargs: _Given.kwargs) -> Axes:
        if known.bind(*args, **kwargs).arguments.get("ax") is not None:
            return plot(*args, **kwargs)
        needs_matplotlib()
        with fixed_style():
            return plot(*args, **kwargs)

    return drawn


def is_own(figure: Figure) -> bool:
    """Return whether the figure was made here, and so is to be drawn in the fixed style."""
    return figure in _OWN


def checked_scale(scale: str) -> str:
    """Return `scale` if it is linear or log.

    Raises:
        InvalidParameter: neither linear nor log.
    """
    one_of(scale, "scale", SCALES)
    return scale


def luminance(colour: Iterable[float] | str) -> float:
    """Return the relative luminance of an sRGB color, 0 (black) to 1 (white), as WCAG 2 defines it."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]  # type: ignore[arg-type]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def spaced(points: int, number: int = 0, curves: int = 1) -> tuple[int, int]:
    """Return which points of a curve bear a marker (`markevery`).

    About ten do, or fewer where there are many curves, and others than those of the curves before, so that curves that
    coincide are all seen. They are the same again only where a curve would have fewer than three markers. Of fewer than
    20 points of a curve that is alone each bears one.
    """
    step = max(1, points // 10 if points >= _FEW else 1, min(curves, points // 3))
    stride = next(size for size in range(max(1, round(0.4 * step)), step + 1) if gcd(size, step) == 1)
    return number * stride % step, step


def chances(ax: Axes, scale: str, drawn: Iterable[Any]) -> None:
    """Set the y axis of chances: linear from 0, or logarithmic from about the least above 0. It holds what is
    already on the axes as well."""
    values = np.concatenate([np.ravel(each) for each in drawn])
    above = values[values > 0]
    if scale == "log" and above.size:
        ax.set_yscale("log", nonpositive="mask")
        if not ax.get_autoscaley_on():  # where it is on, matplotlib makes room itself
            low, high = sorted(ax.get_ylim())
            ax.set_ylim(min(low, above.min() / _ROOM), max(high, _ROOM * above.max()))
    elif above.size:
        widen(ax, y=(0, _ROOM * above.max()))
        if _EXACT_TICKS > above.max() >= 1000:
            ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.grid(visible=True, linewidth=0.4, color="#cccccc")
    ax.set_axisbelow(True)


def widen(ax: Axes, x: tuple[float, float] | None = None, y: tuple[float, float] | None = None) -> None:
    """Set limits, and widen them where limits set before, or other data on these or shared axes, need it.

    Only where nothing does may the limits be given from high to low, for an axis that points down.
    """
    for name, wanted, is_automatic in (("x", x, ax.get_autoscalex_on()), ("y", y, ax.get_autoscaley_on())):
        if wanted is None:
            continue
        together = getattr(ax, f"get_shared_{name}_axes")().get_siblings(ax)
        known = [getattr(each.dataLim, f"interval{name}") for each in together]
        if not is_automatic:
            known.append(getattr(ax, f"get_{name}lim")())
        ends = [*wanted, *(end for pair in known if np.isfinite(pair).all() for end in pair)]
        low, high = min(ends), max(ends)
        getattr(ax, f"set_{name}lim")(*((low, high) if wanted[0] <= wanted[1] else (high, low)))


def counted(axis: Axis, largest: float, nbins: int = 8) -> None:
    """Set ticks at whole counts, with commas between thousands."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=nbins, integer=True, min_n_ticks=1))
    if largest < _EXACT_TICKS:
        axis.set_major_formatter("{x:,.0f}")


def is_alone(ax: Axes) -> bool:
    """Return whether the axes are the only ones of a figure that makes room for what stands around them.

    A figure made here does. Title and legend then have the whole width.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return len(ax.figure.axes) == 1 and isinstance(ax.figure.get_layout_engine(), ConstrainedLayoutEngine)


def titled(ax: Axes, title: str | None, default: str) -> None:
    """Set the title, at the left, literally; None gives `default`.

    It is the figure's where the axes are alone in it, in as many lines as the width takes, and stands above the axes
    elsewhere.

    Raises:
        InvalidParameter: the title is not a text, or cannot be drawn (`fonts.legible`).
    """
    text = default if title is None else title
    if not isinstance(text, str):
        raise InvalidParameter("title", title, "a text")
    if is_alone(ax):
        figure = ax.figure
        made = figure.suptitle(text, x=MARGIN, ha="left", fontsize="medium")
        legible(made, "title")
        width = (1 - 2 * MARGIN) * figure.bbox.width / figure.dpi * 72
        made.set_text("\n".join(line for part in text.split("\n") for line in _wrapped(part, made, width)))
    else:
        legible(ax.set_title(text, loc="left", fontsize="medium"), "title")


def _wrapped(text: str, like: Text, width: float) -> Iterator[str]:
    """Yield lines of at most `width` points, broken between words, and within a word that alone is too long."""
    line = ""
    for word in re.findall(r" *[^ ]+| +$", text):
        if width_of(line + word, like) <= width:
            line += word
            continue
        if line:
            yield line
        line = word.lstrip(" ")
        while width_of(line, like) > width:
            fitting = _fitting(line, like, width)
            yield line[:fitting]
            line = line[fitting:]
    yield line


def _fitting(word: str, like: Text, width: float) -> int:
    """Return how many characters fit into the width, at least one; no accent is parted from its letter."""
    length = max(1, bisect_right(range(1, len(word)), width, key=lambda first: width_of(word[:first], like)))
    while length > 1 and combining(word[length]):
        length -= 1
    return length


def axis_names(ax: Axes, x: str, y: str) -> None:
    """Name the axes; the name of a low y axis is broken into two lines."""
    ax.set_xlabel(x, fontsize="small")
    name = ax.set_ylabel(y, fontsize="small")
    height = ax.figure.bbox.height / ax.figure.dpi * 72
    words = y.split(" ")
    if len(words) > 1 and width_of(y, name) > _OF_HEIGHT * height:
        name.set_text(
            min((" ".join(words[:k]) + "\n" + " ".join(words[k:]) for k in range(1, len(words))), key=_longest)
        )
    ax.tick_params(labelsize="small", which="both")
    ax.xaxis.get_offset_text().set_fontsize("small")


def _longest(lines: str) -> int:
    return max(map(len, lines.split("\n")))
