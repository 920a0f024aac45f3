"""`hushcount plot medium`: what fixed media cost, against epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount.cli.medium import maker
from hushcount.cli.options import Delta, whole
from hushcount.cli.plot.options import SIZE, At, Output, Picture, Scale, Size, Title
from hushcount.errors import BadUse

if TYPE_CHECKING:
    from hushcount.medium import Medium

__all__ = ["medium"]

_VARIED = ("es_n0_db", "eb_n0_db", "p")


def medium(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="psk, pam, qam, fsk, binary-symmetric, binary-erasure, z-channel, symmetric, rounding or file, as for "
            "hushcount medium.",
        ),
    ],
    epsilon: At,
    output: Output,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="For file: a .csv, .npy or .parquet matrix.")
    ] = None,
    delta: Delta = "0",
    order: Annotated[
        str | None, typer.Option(metavar="COUNT", help="How many symbols: n + 1 for the counts 0..n.")
    ] = None,
    es_n0_db: Annotated[
        str | None,
        typer.Option(
            "--snr-db", metavar="VALUES", help="Es/N0 of a modulation in dB, a curve for each; inf for no noise."
        ),
    ] = None,
    eb_n0_db: Annotated[
        str | None, typer.Option("--eb-n0-db", metavar="VALUES", help="Eb/N0 in dB, instead of --snr-db.")
    ] = None,
    fading: Annotated[str | None, typer.Option(metavar="rayleigh", help="Flat Rayleigh fading as well.")] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="LABELS", help="qam: row-major or gray. Binary channels: natural or gray."),
    ] = None,
    non_coherent: Annotated[bool, typer.Option("--non-coherent", help="fsk: non-coherent detection.")] = False,
    bits: Annotated[str | None, typer.Option(metavar="COUNT", help="Uses of a binary channel: 2^bits symbols.")] = None,
    p: Annotated[
        str | None,
        typer.Option("--p", metavar="VALUES", help="The error probability of a channel, a curve for each."),
    ] = None,
    multiple: Annotated[str | None, typer.Option(metavar="COUNT", help="rounding: to multiples of this.")] = None,
    to: Annotated[str | None, typer.Option(metavar="nearest|below|random", help="rounding: which multiple.")] = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="file: divide each row by its sum first.")] = False,
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw the least worst-case chance that what arrives is wrong, against epsilon, for one or more media.

    Solid: the certified optimum behind each medium. Dashed: the least of the bounds u0 to u3. Dotted: the bound u4 of a
    circulant medium. Black with triangles: the least without a medium.

    Example: hushcount plot medium psk --order 8 --snr-db 0:20:5 --epsilon 0.05:6:0.05 --output psk.svg
    """
    from hushcount.figures import medium_curve, plot_medium
    from hushcount.figures.errors import checked_epsilons
    from hushcount.figures.medium import MOST_MEDIA

    picture = Picture.of(output, size, title, *([] if file is None else [file]))
    asked = checked_epsilons(epsilon, "epsilon")
    given = {
        "file": file,
        "order": None if order is None else whole(order, "order"),
        "es_n0_db": es_n0_db,
        "eb_n0_db": eb_n0_db,
        "fading": fading,
        "labels": labels,
        "non_coherent": non_coherent or None,
        "bits": None if bits is None else whole(bits, "bits"),
        "p": p,
        "multiple": None if multiple is None else whole(multiple, "multiple"),
        "to": to,
        "normalise": normalise or None,
    }
    media = list(_media(kind, {name: value for name, value in given.items() if value is not None}, MOST_MEDIA))
    return picture.draw(plot_medium, [medium_curve(each, asked, delta) for each in media], scale=scale)


def _media(kind: str, given: dict[str, Any], most: int) -> Iterator[Medium]:
    """One medium for each value of what varies."""
    from hushcount.sweeps.values import grid_values

    maker(kind, given)  # the options first, then their values
    varied = [name for name in _VARIED if name in given]
    if kind in ("psk", "pam", "qam", "fsk") and len(varied) != 1:
        raise BadUse(f"{kind} needs one of --snr-db and --eb-n0-db")
    if not varied:
        yield maker(kind, given)()
        return
    (name,) = varied
    parts = [part.strip(" ") for part in given[name].split(",")]
    values = [value for part in parts for value in ([part] if part == "inf" else grid_values(part, name))]
    if not len(values) <= most:
        raise BadUse(f"a picture shows at most {most} media (got {len(values)})")
    for value in values:
        yield maker(kind, {**given, name: value})()
