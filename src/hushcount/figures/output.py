"""Write a figure to a file: the format by its name, whole or not at all, and the same bytes for the same picture.

The bytes depend on the picture, on matplotlib and on the installed fonts; not on the time, the process, or what the
user's matplotlibrc says about files. They are those of a figure drawn for the first time: matplotlib lays out a figure
from where its parts were the last time, so a second file of it may differ by a fraction of a pixel.
"""

from __future__ import annotations

import io
import os
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushcount.errors import BadUse, InvalidParameter
from hushcount.figures.style import fixed_style, is_own, needs_matplotlib
from hushcount.files.whole_files import checked_target, write_whole
from hushcount.inputs.arguments import path_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["format_of", "save_figure"]

_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None},
}
"""What each format leaves out."""

_FILES = {
    "svg.hashsalt": "hushcount",  # names inside an SVG are hashes, salted at random by default
    "svg.fonttype": "path",  # text looks the same wherever the file is opened
    "pdf.fonttype": 42,  # whole glyphs; publishers refuse type 3
    "pdf.compression": 6,
    "savefig.bbox": None,
    "savefig.facecolor": "auto",  # the figure's own, on which its text is legible
    "savefig.edgecolor": "auto",
    "savefig.transparent": False,
}

_TOO_SMALL = "constrained_layout not applied"
"""The start of matplotlib's warning that no room is left for the axes."""

_DOTS = 200
"""Dots per inch of a PNG, and of images in the other formats."""


_MOST_DOTS = 100_000_000
"""The most dots of a figure, 50 by 50 inches; it is held in memory, at 4 bytes a dot."""


def save_figure(figure: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, on its own background; an earlier file of that name is replaced.

    Args:
        figure: the figure, or any axes of it.
        path: ends in .png (200 dots per inch), .svg or .pdf. No date is written.

    Raises:
        InvalidParameter: another ending, a place that cannot be written, or a figure of less than a dot either way
            or of more than 100 million dots.
        BadUse: matplotlib is not installed, the figure is too small for its legend, or the disk is full.
    """
    needs_matplotlib()
    from matplotlib import rc_context
    from matplotlib.artist import Artist

    if not (isinstance(figure, Artist) and (whole := figure.get_figure(root=True)) is not None):
        raise InvalidParameter("figure", figure, "a matplotlib figure, or axes of one")
    width, height = whole.get_size_inches() * _DOTS
    if not (width >= 1 and height >= 1 and width * height <= _MOST_DOTS):
        raise InvalidParameter("figure", whole, f"of 1 dot to {_MOST_DOTS:,} dots, {_DOTS} per inch")
    form, target = format_of(path), checked_target(path_text(path, "path"), "path")
    buffer = io.BytesIO()
    settings = fixed_style() if is_own(whole) else nullcontext()
    with settings, rc_context(_FILES), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("error", message=_TOO_SMALL)
        try:
            whole.savefig(buffer, format=form, dpi=_DOTS, metadata=_NO_DATES[form])
        except UserWarning:
            raise BadUse("the figure is too small for what stands around the data; make it larger") from None
        except RuntimeError as error:  # for example because LaTeX is not installed
            raise BadUse(f"matplotlib cannot draw the figure: {str(error).partition(chr(10))[0]}") from None
    try:
        write_whole(target, buffer.getvalue())
    except OSError as error:
        raise BadUse(f"{os.fspath(path)}: cannot be written ({error.strerror or error})") from None


def format_of(path: str | os.PathLike[str], argument: str = "path") -> str:
    """Return png, svg or pdf, by the name of a file.

    Raises:
        InvalidParameter: not a path, or another ending.
    """
    form = Path(path_text(path, argument)).suffix.lower().removeprefix(".")
    if form not in _NO_DATES:
        raise InvalidParameter(argument, path, "a file name that ends in .png, .svg or .pdf")
    return form
