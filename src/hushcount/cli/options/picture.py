"""The options that the pictures share, and how a picture gets into its file."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import OUTPUT, PICTURE, PRIVACY, QUESTION
from hushcount.cli.options.privacy import Mu, Rho
from hushcount.cli.options.source import NumberDelimiter
from hushcount.cli.options.values import delimiter_of, no_delimiter, whole
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hushcount.mechanisms import Mechanism
    from hushcount.promise.curve import Curve

__all__ = ["NEEDED", "At", "ByName", "Canvas", "Mechanisms", "OneMechanism", "Picture", "Scale", "Size", "matrix_in"]

NEEDED = "a mechanism takes --n, and --epsilon, --mu or --rho; or --matrix FILE"
SIZE = "6.4x4.8"
SMALLEST, LARGEST = 2, 40
"""The smallest and the largest side of a picture, in inches."""

Size = Annotated[
    str,
    PICTURE.option(metavar="WIDTHxHEIGHT", help="The size in inches, each from 2 to 40; a PNG has 200 dots per inch."),
]
Scale = Annotated[str, PICTURE.option(metavar="linear|log", help="The scale of what is drawn.")]
Mechanisms = Annotated[
    list[str] | None,
    QUESTION.option(
        "--mechanism", metavar="NAME", help="A mechanism of hushcount compare, for --n and --epsilon. May be repeated."
    ),
]
At = Annotated[
    str,
    PRIVACY.option(
        metavar="VALUES",
        help="The privacy parameters epsilon: numbers and ranges FIRST:LAST:STEP separated by commas, in rising order, "
        "such as 0.1:4:0.1. Taken exactly.",
    ),
]


@dataclass(frozen=True)
class Canvas:
    """The file of a picture, and what all pictures share."""

    output: Annotated[
        str,
        OUTPUT.option(
            metavar="FILE",
            help="The file of the picture: .png, .svg or .pdf. An existing file is replaced. The same command writes "
            "the same bytes.",
        ),
    ]
    title: Annotated[
        str | None,
        PICTURE.option(
            metavar="TEXT",
            help="The title above the picture, in any script that a font is installed for; '' for none.",
        ),
    ] = None
    size: Size = SIZE

    def picture(self, *inputs: str | None) -> Picture:
        """Return the picture; see `Picture.of`. `inputs` are the files that are read."""
        return Picture.of(self.output, self.size, self.title, *(path for path in inputs if path is not None))


@dataclass(frozen=True)
class ByName:
    """What a mechanism by name needs."""

    n: Annotated[str | None, QUESTION.option("--n", metavar="COUNT", help="The largest possible count.")] = None
    epsilon: Annotated[
        str | None,
        PRIVACY.option(
            "--epsilon",
            metavar="NUMBER",
            help="The privacy parameter epsilon, >= 0, of a mechanism by name. Taken exactly.",
        ),
    ] = None
    delta: Annotated[
        str | None,
        PRIVACY.option(
            "--delta",
            metavar="NUMBER",
            help="The privacy parameter delta, >= 0 and < 1, of a mechanism by name; 0 if left out. Taken exactly.",
        ),
    ] = None
    mu: Mu = None
    rho: Rho = None

    def promise(self) -> Curve | None:
        """Return what is promised of a mechanism by name; None where nothing is given.

        Raises:
            InvalidParameter: more than one of epsilon, mu and rho, or a number out of range.
            BadUse: a delta and no epsilon.
        """
        from hushcount.promise.given import promise_of  # with it comes flint, which --help does not need

        if self.epsilon is self.mu is self.rho is None:
            if self.delta is not None:
                raise BadUse("--delta goes with --epsilon")
            return None
        return promise_of(self.epsilon, self.delta or "0", mu=self.mu, rho=self.rho)


@dataclass(frozen=True)
class OneMechanism(ByName):
    """A mechanism, by name or from a file."""

    name: Annotated[
        str | None,
        QUESTION.option(
            "--mechanism",
            metavar="NAME",
            help="A mechanism of hushcount compare, for --n and --epsilon; nearest if left out.",
        ),
    ] = None
    matrix: Annotated[
        str | None,
        QUESTION.option(
            "--matrix",
            metavar="FILE",
            help="Instead of a name: a square matrix, one row per true count, in a .csv, .npy or .parquet file, or a "
            "saved mechanism in a .csv or .json file.",
        ),
    ] = None
    delimiter: NumberDelimiter = None

    def chosen(self) -> Mechanism:
        """Return the mechanism that is meant.

        Raises:
            BadUse: both, or neither; or a parameter is missing.
            BadData: the file cannot be read, or holds something else.
        """
        if self.matrix is not None:
            if any(given is not None for name, given in vars(self).items() if name not in ("matrix", "delimiter")):
                raise BadUse("--matrix is a mechanism already: leave out --mechanism, --n and what it promises")
            return matrix_in(self.matrix, self.delimiter)
        no_delimiter(self.delimiter)
        promise = self.promise()
        if self.n is None or promise is None:
            raise BadUse(NEEDED)
        from hushcount.mechanisms.by_name import named

        return named(self.name or "nearest", whole(self.n, "n"), promise)


_SIZE = re.compile(r"([0-9]{1,2}(?:\.[0-9]{1,4})?)x([0-9]{1,2}(?:\.[0-9]{1,4})?)", re.ASCII)


@dataclass(frozen=True)
class Picture:
    """Where a picture goes, once it is known to be writable; nothing has been computed yet.

    Raises:
        BadUse: matplotlib is not installed.
        InvalidParameter: a bad size, another ending, a place that cannot be written, or one of the files that are read.
    """

    output: str
    size: tuple[float, float]
    title: str | None

    @classmethod
    def of(cls, output: str, size: str, title: str | None, *inputs: str) -> Picture:
        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it reports on its font cache, on standard error
        from hushcount.figures.output import format_of
        from hushcount.figures.style import needs_matplotlib
        from hushcount.files.whole_files import checked_target

        needs_matplotlib()
        found = _SIZE.fullmatch(size)
        width, height = map(float, found.groups()) if found else (0.0, 0.0)
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            raise InvalidParameter(
                "size", size, f"WIDTHxHEIGHT in inches, each from {SMALLEST} to {LARGEST}, such as {SIZE}"
            )
        format_of(output, "output")
        checked_target(output, "output", *inputs)
        return cls(output, (width, height), title)

    def about(self, matrix: str | None, n: int) -> Picture:
        """Return the picture, titled by the file that a mechanism comes from where it has no other title."""
        if self.title is not None or matrix is None:
            return self
        from hushcount.figures.parameters import parameters

        return replace(self, title=f"{printable(Path(matrix).name)}: {parameters(n=n)}")

    def draw(self, plot: Callable[..., Axes], *data: Any, **options: Any) -> str:
        """Draw and save the picture, and return the line to print. The look is the same whatever the user's
        matplotlibrc says."""
        from matplotlib.figure import Figure

        from hushcount.figures.output import save_figure
        from hushcount.figures.style import fixed_style

        with fixed_style():
            figure = Figure(figsize=self.size, layout="constrained")
            plot(*data, ax=figure.subplots(), title=self.title, **options)
            save_figure(figure, self.output)
        return f"Saved to {printable(self.output)}\n"


def matrix_in(path: str, delimiter: str | None = None) -> Mechanism:
    """Return the mechanism in a file: a saved one, or a matrix.

    Args:
        delimiter: as it was typed; None is a comma.

    Raises:
        BadUse, BadData: another ending, a delimiter that the file has no use for, or the file cannot be read or holds
            no square stochastic matrix.
    """
    from hushcount.files.number_tables import read_matrix
    from hushcount.mechanisms import from_matrix
    from hushcount.saved.files import holds_mechanism, read_mechanism

    if holds_mechanism(path) or Path(path).suffix.lower() == ".json":
        no_delimiter(delimiter)
        return read_mechanism(path)
    found = read_matrix(path, delimiter=delimiter_of(delimiter))
    try:
        return from_matrix(found)
    except BadUse as error:
        raise BadData(f"{path}: {error}") from None
