"""Legends that hide no data, and that grow as more is drawn on the same axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hushcount.figures.fonts import legible, width_of
from hushcount.figures.style import MARGIN, is_alone

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

__all__ = ["legend"]

_SMALL, _SMALLER, _NARROW = 8.0, 7.0, 380.0
"""Points: the text of a legend below a picture, the text below a narrow picture, and the width that counts as
narrow."""

_SAMPLE = 3.4
"""The length of a curve's sample in a legend, in units of the font's size: enough to tell its dashes."""

_HANDLE = _SAMPLE + 2.8
"""What the sample and the gaps around it take, in units of the font's size."""

_BELOW = 34.0
"""Points below the axes that the numbers and the name of the x axis take."""

_ENTRIES: WeakKeyDictionary[Legend, list[tuple[Any, str]]] = WeakKeyDictionary()
"""The entries of the legends that were made here."""


def legend(ax: Axes, entries: Iterable[tuple[Artist, str]]) -> None:
    """Place the legend where it hides no data, and take its text literally.

    It stands below the picture where the axes are alone in it. It stands below the axes where they are among others in
    a figure that makes room for what stands around them (a layout). Elsewhere it stands inside the axes, where there is
    most room.

    A legend that is already there is extended. Where different entries would have the same name, they get the labels of
    their artists.

    Raises:
        InvalidParameter: a label that cannot be drawn (`fonts.legible`).
    """
    together = _merged([*_taken_up(ax), *entries])
    artists, labels = zip(*together, strict=True)
    if not is_alone(ax) and ax.figure.get_layout_engine() is None:
        made = ax.legend(artists, labels, fontsize="small", handlelength=_SAMPLE)
        for text in made.get_texts():
            legible(text, "label")
    else:
        made = _legend_below(ax, artists, labels)
    _ENTRIES[made] = together


def _legend_below(ax: Axes, artists: tuple[Any, ...], labels: tuple[str, ...]) -> Legend:
    from matplotlib.text import Text
    from matplotlib.transforms import ScaledTranslation

    figure, box = ax.figure, ax.figure.bbox if is_alone(ax) else ax.bbox
    width = float(box.width / figure.dpi * 72)
    size = _SMALL if width >= _NARROW or not is_alone(ax) else _SMALLER
    measured = [Text(text=label, fontsize=size, parse_math=False) for label in labels]
    for text in measured:
        legible(text, "label")
    widest = max(width_of(text.get_text(), text) for text in measured) + _HANDLE * size
    options: dict[str, Any] = {
        "fontsize": size,
        "frameon": False,
        "ncols": max(1, min(len(labels), int(width * (1 - 2 * MARGIN) / widest))),
        "columnspacing": 1.5,
        "labelspacing": 0.3,
        "handlelength": _SAMPLE,
    }
    if is_alone(ax):
        made = figure.legend(artists, labels, loc="outside lower center", **options)
    else:
        if ax.get_aspect() != "auto":
            ax.set_anchor("S")  # a layout takes what is below the axes to be below the room that they leave empty
        place = ax.transAxes + ScaledTranslation(0, -_BELOW / 72, figure.dpi_scale_trans)
        made = ax.legend(
            artists,
            labels,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=place,
            borderaxespad=0.0,
            **options,
        )
    for text, like in zip(made.get_texts(), measured, strict=True):
        text.set(parse_math=False, fontfamily=like.get_fontfamily())
    return made


def _taken_up(ax: Axes) -> list[tuple[Any, str]]:
    """Remove the legend made here before for these axes, and return its entries."""
    own = ax.get_legend()
    there = [*(ax.figure.legends if is_alone(ax) else []), *([] if own is None else [own])]
    before = [each for each in there if each in _ENTRIES]
    found = [entry for each in before for entry in _ENTRIES[each]]
    for each in before:
        each.remove()
    return found


def _merged(entries: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Return entries that look alike under one label once; where a label has several meanings, use the whole labels."""
    wholes: dict[str, set[str]] = {}
    for artist, label in entries:
        wholes.setdefault(label, set()).add(_whole(artist, label))
    found: dict[tuple[str, Any], tuple[Any, str]] = {}
    for artist, label in entries:
        shown = _whole(artist, label) if len(wholes[label]) > 1 else label
        found.setdefault((shown, _look(artist)), (artist, shown))
    return list(found.values())


def _whole(artist: Artist, label: str) -> str:
    """Return the name beside others of the same label: the artist's own label, if it was given one."""
    own = str(artist.get_label())
    return label if own.startswith("_") or not own else own


def _look(artist: Any) -> Any:
    from matplotlib.lines import Line2D

    if not isinstance(artist, Line2D):
        return None
    return str((artist.get_color(), artist.get_linestyle(), artist.get_marker(), artist.get_markeredgecolor()))
