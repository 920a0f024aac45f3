"""`hushcount plot medium`: what fixed media cost, against epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount.cli.medium import maker
from hushcount.cli.medium_options import (
    Bits,
    Fading,
    File,
    Labels,
    Multiple,
    NonCoherent,
    Normalise,
    Order,
    To,
    given_options,
)
from hushcount.cli.options import Delta
from hushcount.cli.plot.options import SIZE, At, Output, Picture, Scale, Size, Title
from hushcount.errors import BadUse, InvalidParameter

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
    file: File = None,
    delta: Delta = "0",
    order: Order = None,
    es_n0_db: Annotated[
        str | None,
        typer.Option(
            "--snr-db", metavar="VALUES", help="Es/N0 of a modulation in dB, a curve for each; inf for no noise."
        ),
    ] = None,
    eb_n0_db: Annotated[
        str | None, typer.Option("--eb-n0-db", metavar="VALUES", help="Eb/N0 in dB, instead of --snr-db.")
    ] = None,
    fading: Fading = None,
    labels: Labels = None,
    non_coherent: NonCoherent = False,
    bits: Bits = None,
    p: Annotated[
        str | None,
        typer.Option("--p", metavar="VALUES", help="The error probability of a channel, a curve for each."),
    ] = None,
    multiple: Multiple = None,
    to: To = None,
    normalise: Normalise = False,
    no_bounds: Annotated[
        bool, typer.Option("--no-bounds", help="Draw the certified optimum alone, without u0 to u4.")
    ] = False,
    scale: Scale = "linear",
    title: Title = None,
    size: Size = SIZE,
) -> str:
    """Draw the least worst-case chance that what arrives is wrong, against epsilon, for one or more media.

    Up to 8 media. Solid (from the sixth on dash-dotted): the certified optimum behind each. Dashed: the least of the
    bounds u0 to u3, which may rise with epsilon, since u1 to u3 each come from one scheme. Dotted: the bound u4 of a
    circulant medium. Black with triangles: the least without a medium.

    Example: hushcount plot medium psk --order 8 --snr-db 0:20:5 --epsilon 0.05:6:0.05 --output psk.svg
    """
    from hushcount.figures import medium_curve, plot_medium
    from hushcount.figures.errors import checked_epsilons
    from hushcount.figures.medium import MOST_MEDIA

    picture = Picture.of(output, size, title, *([] if file is None else [file]))
    asked = checked_epsilons(epsilon, "epsilon")
    given = given_options(
        file=file,
        order=order,
        es_n0_db=es_n0_db,
        eb_n0_db=eb_n0_db,
        fading=fading,
        labels=labels,
        non_coherent=non_coherent,
        bits=bits,
        p=p,
        multiple=multiple,
        to=to,
        normalise=normalise,
    )
    media = list(_media(kind, given, MOST_MEDIA))
    curves = [medium_curve(each, asked, delta) for each in media]
    return picture.draw(plot_medium, curves, bounds=not no_bounds, scale=scale)


def _media(kind: str, given: dict[str, Any], most: int) -> Iterator[Medium]:
    """One medium for each value of what varies."""
    from hushcount.sweeps.values import grid_values

    try:
        maker(kind, given)  # the options first, then their values
    except InvalidParameter as error:
        raise InvalidParameter("KIND", error.value, error.rule) if error.argument == "kind" else error from None
    varied = [name for name in _VARIED if name in given]
    if kind in ("psk", "pam", "qam", "fsk") and len(varied) != 1:
        raise BadUse(
            "give only one of --snr-db and --eb-n0-db" if varied else f"{kind} needs one of --snr-db and --eb-n0-db"
        )
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
