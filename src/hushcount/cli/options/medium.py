"""The options that name a fixed medium, for every command that takes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import MEDIUM
from hushcount.cli.options.values import delimiter_of, whole
from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import one_of

if TYPE_CHECKING:
    from hushcount.medium import Medium
    from hushcount.medium.channels.decided import Decision

__all__ = ["MODULATIONS", "Kind", "Noise", "NoiseValues", "OneMedium", "Signal", "maker", "noise_values", "varied"]

MODULATIONS = ("psk", "pam", "qam", "fsk", "apsk", "cross-qam", "constellation")
_COUNTS = ("order", "bits", "multiple")
_LISTS = ("rings", "radii", "phases")
_OF_FILES = {
    "constellation": ("file", "es_n0_db", "eb_n0_db", "fading", "delimiter"),
    "file": ("file", "normalise", "delimiter", "decide"),
    "counts": ("file", "confidence", "delimiter"),
}
"""The options of media that are in files; the others take what their functions take (`takes`)."""
_NEEDED = ("order", "bits", "p", "multiple", "file")
_SPELLED = {"es_n0_db": "--snr-db", "file": "FILE"}

Kind = Annotated[
    str,
    MEDIUM.argument(
        metavar="KIND",
        help="psk, pam, qam, fsk, apsk, cross-qam: a modulation over additive white Gaussian noise. constellation: one "
        "with points of your own. binary-symmetric, binary-erasure, z-channel: several uses of a binary channel. "
        "symmetric: all errors equally likely. rounding: to multiples. file: a matrix of your own. counts: a table of "
        "trials.",
    ),
]


@dataclass(frozen=True)
class Signal:
    """How a count is sent and received; a command has one way."""

    fading: Annotated[str | None, MEDIUM.option(metavar="rayleigh", help="Flat Rayleigh fading as well.")] = None
    labels: Annotated[
        str | None,
        MEDIUM.option(
            metavar="LABELS",
            help="What a count is sent as. qam: row-major (default), snake (neighboring counts are neighboring "
            "points) or gray. Binary channels: natural (default) or gray. hushcount medium, of all but counts: search, "
            "the best labels found by swaps of two.",
        ),
    ] = None
    non_coherent: Annotated[bool, MEDIUM.option("--non-coherent", help="fsk: non-coherent detection.")] = False
    to: Annotated[
        str | None,
        MEDIUM.option(metavar="nearest|below|random", help="rounding: which multiple; nearest by default."),
    ] = None

    def __post_init__(self) -> None:
        if self.fading not in (None, "rayleigh"):
            raise InvalidParameter("fading", self.fading, "rayleigh, or left out")


@dataclass(frozen=True)
class OneMedium(Signal):
    """A medium without its noise."""

    file: Annotated[
        str | None,
        MEDIUM.argument(
            metavar="FILE",
            help="For file: a matrix of probabilities. For counts: how often each count was received in trials. A "
            ".csv, .npy or .parquet file with a row for each count sent and a column for each received. For "
            "constellation: a .csv, .json, .npy or .parquet file with the point of each count, as its real and its "
            "imaginary part, or as a text such as 1-2j.",
        ),
    ] = None
    order: Annotated[
        str | None, MEDIUM.option(metavar="COUNT", help="The number of symbols: n + 1 for the counts 0..n.")
    ] = None
    rings: Annotated[
        str | None,
        MEDIUM.option(
            metavar="COUNTS",
            help="apsk: how many points each ring has, such as 4,12. By default those of DVB-S2, for 16 or 32 points.",
        ),
    ] = None
    radii: Annotated[
        str | None, MEDIUM.option(metavar="NUMBERS", help="apsk: the radius of each ring; only ratios matter.")
    ] = None
    phases: Annotated[
        str | None,
        MEDIUM.option(
            metavar="DEGREES", help="apsk: the angle of a point of each ring; by default half a step of the ring."
        ),
    ] = None
    bits: Annotated[
        str | None, MEDIUM.option(metavar="COUNT", help="The number of uses of a binary channel: 2^bits symbols.")
    ] = None
    multiple: Annotated[str | None, MEDIUM.option(metavar="COUNT", help="rounding: to multiples of this.")] = None
    normalise: Annotated[bool, MEDIUM.option("--normalise", help="file: divide each row by its sum first.")] = False
    confidence: Annotated[
        str | None,
        MEDIUM.option(
            metavar="NUMBER",
            help="counts: the confidence level of the bounds on all entries together; 0.999 by default.",
        ),
    ] = None
    decide: Annotated[
        str | None,
        MEDIUM.option(
            metavar="DECISION",
            help="What is read as a count, after it must be private. file: likeliest (the default for more columns "
            "than rows), or the count of each column, such as 0,0,1. binary-erasure: guess (default; erased bits are "
            "guessed before anybody hears them), or likeliest (erasures are heard).",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        MEDIUM.option(
            metavar="CHARACTER",
            help="file, counts, constellation: the character between the numbers of a CSV file; tab or \\t stands "
            "for the tab character. A comma by default.",
        ),
    ] = None

    def given(self, **noise: str | None) -> dict[str, Any]:
        """Return what was given, by name; counts as numbers, all else as it was typed.

        Raises:
            InvalidParameter: a count that is not a whole number.
        """
        found = {field.name: getattr(self, field.name) for field in fields(self)} | noise
        return {
            name: whole(value, name) if name in _COUNTS else value
            for name, value in found.items()
            if value is not None and value is not False
        }


def maker(kind: str, given: dict[str, Any], *, sought: str | None = None) -> Callable[..., Medium]:
    """Return the function that makes the medium, with what was given for it, and without what is sought.

    Raises:
        InvalidParameter, BadUse: an unknown kind, an option that it does not take, or a missing one that it needs.
    """
    from hushcount.medium import read_counts, read_medium
    from hushcount.medium.channels.by_name import MEDIA, takes

    one_of(kind, "kind", [*MEDIA, *_OF_FILES])
    taken = _OF_FILES.get(kind) or tuple("non_coherent" if name == "coherent" else name for name in takes(kind))
    for name in given:
        if name not in taken:
            raise BadUse(f"{_spelled(name)} is not for {kind}, which takes {', '.join(map(_spelled, taken))}")
    for name in taken:
        if name in _NEEDED and name not in given and name != sought:
            raise BadUse(f"{kind} needs {_spelled(name)}")
    delimiter = delimiter_of(given.get("delimiter"))
    if kind == "file":
        decide = _decision(given.get("decide"))
        return partial(read_medium, given["file"], normalise="normalise" in given, delimiter=delimiter, decide=decide)
    if kind == "counts":
        return partial(
            read_counts, given["file"], confidence=given.get("confidence", "0.999"), all_rows=True, delimiter=delimiter
        )
    options = {("coherent" if name == "non_coherent" else name): value for name, value in given.items()}
    if "coherent" in options:
        options["coherent"] = False
    for name in ("es_n0_db", "eb_n0_db"):
        if str(options.get(name)).lower() in ("inf", "infinity"):
            options[name] = float("inf")
    for name in _LISTS:
        if name in options:
            parts = [part.strip(" ") for part in options[name].split(",")]
            options[name] = [whole(part, name) for part in parts] if name == "rings" else parts
    if kind == "constellation":
        return partial(_of_points, **{**options, "delimiter": delimiter})
    return partial(MEDIA[kind], **options)


def _of_points(file: str, delimiter: str, **options: Any) -> Medium:
    from hushcount.medium import constellation, read_points

    points = read_points(file, delimiter=delimiter)
    return constellation(points, description=f"the {len(points)} points in {Path(file).name!r}", **options)


def varied(given: dict[str, Any]) -> list[str]:
    """Return the names of the noise levels that were given; more than one is a mistake."""
    return [name for name in ("es_n0_db", "eb_n0_db", "p") if name in given]


def noise_values(text: str, name: str) -> list[str]:
    """Return the noise levels in a text of numbers and ranges, each as a text; `inf` is an SNR without noise.

    Raises:
        InvalidParameter: see `grid_values`.
    """
    from hushcount.inputs.grid import grid_values
    from hushcount.numbers.exact import exact_text

    parts = [part.strip(" ") for part in text.split(",")]
    return [
        value for part in parts for value in ([part] if part == "inf" else map(exact_text, grid_values(part, name)))
    ]


def _decision(text: str | None) -> Decision | None:
    if text is None or text == "likeliest":
        return None if text is None else "likeliest"
    return [whole(part.strip(" "), "decide") for part in text.split(",")]


def _spelled(name: str) -> str:
    return _SPELLED.get(name, "--" + name.replace("_", "-"))


@dataclass(frozen=True)
class Noise:
    """How noisy a medium is."""

    es_n0_db: Annotated[
        str | None, MEDIUM.option("--snr-db", metavar="DB", help="Es/N0 of a modulation in dB; inf for no noise.")
    ] = None
    eb_n0_db: Annotated[
        str | None, MEDIUM.option("--eb-n0-db", metavar="DB", help="Eb/N0 in dB, instead of --snr-db.")
    ] = None
    p: Annotated[
        str | None,
        MEDIUM.option(
            "--p",
            metavar="NUMBER",
            help="The probability of an error: of a bit (binary-symmetric: flipped; binary-erasure: erased; "
            "z-channel: of a 1 read as 0), or of a symbol (symmetric).",
        ),
    ] = None


@dataclass(frozen=True)
class NoiseValues:
    """Several noise levels of a medium."""

    es_n0_db: Annotated[
        str | None,
        MEDIUM.option(
            "--snr-db", metavar="VALUES", help="The values of Es/N0 of a modulation, in dB; inf for no noise."
        ),
    ] = None
    eb_n0_db: Annotated[
        str | None, MEDIUM.option("--eb-n0-db", metavar="VALUES", help="Eb/N0 in dB, instead of --snr-db.")
    ] = None
    p: Annotated[str | None, MEDIUM.option("--p", metavar="VALUES", help="The error probabilities of a channel.")] = (
        None
    )
