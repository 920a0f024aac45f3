"""How every figure looks: curves and areas that are told apart in colour, by the colour-blind, and in grey.

A curve is told by three things at once: its colour, its dashes and its marker. The five colours differ in luminance as
well, so that a copier keeps them apart, and each stands out from white (contrast at least 3 to 1). What a user's own
axes look like otherwise (fonts, sizes, grid) is left to the user.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import combining

import numpy as np

from hushcount.errors import BadUse, InvalidParameter
from hushcount.figures.fonts import legible, width_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text

__all__ = [
    "COLOURS",
    "HATCHED",
    "MOST_CURVES",
    "PALE",
    "SCALES",
    "Curve",
    "axes_or_new",
    "axis_names",
    "chances",
    "checked_scale",
    "is_alone",
    "legend",
    "looks",
    "luminance",
    "needs_matplotlib",
    "spaced",
    "titled",
]

COLOURS = ("#2b1f7a", "#e06a00", "#7a1f4f", "#0077bb", "#000000")
"""Of curves, in the order of use: neighbours differ in lightness by 18 or more of 100, any two by 9 or more."""

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1, 1)), (0, (9, 2)))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "*", "<", ">", "h")

MOST_CURVES = len(MARKERS)
"""Curves in one picture; more could not be told apart."""

PALE = "#b9cbe8"
"""An area with black text on it."""

HATCHED: dict[str, Any] = {"facecolor": "white", "edgecolor": "#8a8a8a", "hatch": "////", "linewidth": 0.0}
"""An area that is not filled with any colour of a scale: what is exactly 0, what differs."""

SCALES = ("linear", "log")
SIZE = (6.4, 4.8)
"""Inches, of a figure of its own."""

_MARGIN = 0.015
"""Of the width, left of a title and right of it."""

_SMALL, _SMALLER, _NARROW = 8.0, 7.0, 380.0
"""Points: the text of a legend below a picture, and below one narrower than that."""

_HANDLE = 4.8
"""Of a font's size: what the sample of a curve and the gaps around it take in a legend."""

_OF_HEIGHT = 0.5
"""What the name of an axis may take of the height of the figure, which title and legend take from as well."""


@dataclass(frozen=True)
class Curve:
    """What tells one curve from the others."""

    colour: str
    dashes: Any
    marker: str

    @property
    def options(self) -> dict[str, Any]:
        """For `Axes.plot`."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker,
            "markersize": 4.5,
            "linewidth": 1.4,
            "markeredgewidth": 0.0,
        }


def looks(count: int) -> list[Curve]:
    """What tells so many curves apart.

    Raises:
        InvalidParameter: there are too many.
    """
    if not count <= MOST_CURVES:
        raise InvalidParameter("the number of curves", count, f"at most {MOST_CURVES}: more cannot be told apart")
    turns = [number // len(COLOURS) for number in range(count)]
    return [
        Curve(COLOURS[number % len(COLOURS)], DASHES[(number + turn) % len(DASHES)], MARKERS[number])
        for number, turn in enumerate(turns)
    ]


def needs_matplotlib() -> None:
    """Say what is missing where matplotlib is not installed.

    Raises:
        BadUse: it cannot be imported.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise BadUse("figures need the package matplotlib: pip install 'hushcount[figures]'") from None


def axes_or_new(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """`ax` itself, or the axes of a new figure of `size` inches, which needs neither pyplot nor a display.

    Raises:
        InvalidParameter: something else than axes.
        BadUse: matplotlib is not installed.
    """
    needs_matplotlib()
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if ax is None:
        return Figure(figsize=size, layout="constrained").subplots()
    if not isinstance(ax, Axes):
        raise InvalidParameter("ax", ax, "the Axes of a matplotlib figure")
    return ax


def checked_scale(scale: str) -> str:
    """`scale` itself.

    Raises:
        InvalidParameter: neither linear nor log.
    """
    if scale not in SCALES:
        raise InvalidParameter("scale", scale, f"one of {', '.join(SCALES)}")
    return scale


def luminance(colour: Iterable[float] | str) -> float:
    """Relative luminance of an sRGB colour, 0 (black) to 1 (white), as WCAG 2 has it."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]  # type: ignore[arg-type]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def spaced(points: int, number: int = 0) -> tuple[int, int]:
    """Which points of a curve bear a marker (`markevery`): about ten, and others than those of the curves before, so
    that curves that coincide are all seen."""
    step = max(1, points // 10)
    return (number * max(1, step // 3)) % step, step


def chances(ax: Axes, scale: str, drawn: Iterable[Any]) -> None:
    """The y axis of chances: linear from 0, or logarithmic from about the least that is above 0."""
    values = np.concatenate([np.ravel(each) for each in drawn])
    above = values[values > 0]
    if scale == "log" and above.size:
        ax.set_yscale("log", nonpositive="mask")
    elif above.size:
        ax.set_ylim(0, 1.05 * above.max())
    ax.grid(visible=True, linewidth=0.4, color="#cccccc")
    ax.set_axisbelow(True)


def is_alone(ax: Axes) -> bool:
    """Whether the axes are the only ones of a figure that makes room for what stands around them (a figure of its own
    does): then title and legend have the whole width."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return len(ax.figure.axes) == 1 and isinstance(ax.figure.get_layout_engine(), ConstrainedLayoutEngine)


def titled(ax: Axes, title: str | None, default: str) -> None:
    """The title, at the left: of the figure where the axes are alone in it, in as many lines as its width takes;
    above the axes elsewhere. `title` as it is; None for the default.

    Raises:
        InvalidParameter: not a text, or one that cannot be drawn (`fonts.legible`).
    """
    text = default if title is None else title
    if not isinstance(text, str):
        raise InvalidParameter("title", title, "a text")
    if is_alone(ax):
        figure = ax.figure
        made = figure.suptitle(text, x=_MARGIN, ha="left", fontsize="medium")
        legible(made, "title")
        width = (1 - 2 * _MARGIN) * figure.bbox.width / figure.dpi * 72
        made.set_text("\n".join(line for part in text.split("\n") for line in _wrapped(part, made, width)))
    else:
        legible(ax.set_title(text, loc="left", fontsize="medium"), "title")


def _wrapped(text: str, like: Text, width: float) -> Iterator[str]:
    """Lines of at most `width` points, broken between words, and within one where it alone is too long."""
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
    """How many characters fit into the width, at least one; no accent is parted from its letter."""
    length = max(1, bisect_right(range(1, len(word)), width, key=lambda first: width_of(word[:first], like)))
    while length > 1 and combining(word[length]):
        length -= 1
    return length


def legend(ax: Axes, entries: Iterable[tuple[Artist | tuple[Artist, ...], str]]) -> None:
    """The legend, of text as it is: below the picture where the axes are alone in it, so that it hides no data;
    inside the axes, where there is most room, elsewhere.

    Raises:
        InvalidParameter: a label that cannot be drawn (`fonts.legible`).
    """
    artists, labels = zip(*entries, strict=True)
    if is_alone(ax):
        from matplotlib.text import Text

        width = float(ax.figure.bbox.width / ax.figure.dpi * 72)
        size = _SMALL if width >= _NARROW else _SMALLER
        measured = [Text(text=label, fontsize=size, parse_math=False) for label in labels]
        for text in measured:
            legible(text, "label")
        widest = max(width_of(text.get_text(), text) for text in measured) + _HANDLE * size
        made = ax.figure.legend(
            artists,
            labels,
            loc="outside lower center",
            fontsize=size,
            frameon=False,
            ncols=max(1, min(len(labels), int(width * (1 - 2 * _MARGIN) / widest))),
            columnspacing=1.5,
            labelspacing=0.3,
        )
        for text, like in zip(made.get_texts(), measured, strict=True):
            text.set(parse_math=False, fontfamily=like.get_fontfamily())
    else:
        for text in ax.legend(artists, labels, fontsize="small").get_texts():
            legible(text, "label")


def axis_names(ax: Axes, x: str, y: str) -> None:
    """What the axes show; the name of a low y axis is broken into two lines."""
    ax.set_xlabel(x, fontsize="small")
    name = ax.set_ylabel(y, fontsize="small")
    height = ax.figure.bbox.height / ax.figure.dpi * 72
    if width_of(y, name) > _OF_HEIGHT * height:
        words = y.split(" ")
        name.set_text(
            min((" ".join(words[:k]) + "\n" + " ".join(words[k:]) for k in range(1, len(words))), key=_longest)
        )
    ax.tick_params(labelsize="small")


def _longest(lines: str) -> int:
    return max(map(len, lines.split("\n")))
