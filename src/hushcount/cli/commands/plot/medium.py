"""`hushcount plot medium`: what fixed media cost, against epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.options.groups import PICTURE
from hushcount.cli.options.medium import MODULATIONS, Kind, NoiseValues, OneMedium, maker, noise_values, varied
from hushcount.cli.options.picture import At, Canvas, Scale
from hushcount.cli.options.privacy import Delta
from hushcount.errors import BadUse

if TYPE_CHECKING:
    from hushcount.medium import Medium

__all__ = ["medium"]


def medium(
    kind: Kind,
    medium: OneMedium,
    noise: NoiseValues,
    epsilon: At,
    canvas: Canvas,
    delta: Delta = "0",
    no_bounds: Annotated[
        bool, PICTURE.option("--no-bounds", help="Draw the certified optimum alone, without u0 to u4.")
    ] = False,
    scale: Scale = "linear",
) -> str:
    """Draw what fixed media cost against epsilon.

    Draws the least worst-case error probability of what arrives, for at most 8 media: one for each value of --snr-db,
    --eb-n0-db or --p. Solid (dash-dotted after the fifth): the certified optimum behind each; dashes in turn where
    media coincide. Black with triangles: the least without a medium. Dashed: the best of the simple schemes u0 to u3
    (the best mechanism without a medium, as it is or mixed with something), which may rise with epsilon. Dotted: the
    best circulant scheme, u4. Both are left out where they are as good as the optimum.

    Example: hushcount plot medium psk --order 8 --snr-db 0:20:5 --epsilon 0.05:6:0.05 --output psk.svg
    """
    from hushcount.figures import medium_curve, plot_medium
    from hushcount.figures.errors import checked_epsilons
    from hushcount.figures.medium import MOST_MEDIA

    picture = canvas.picture(medium.file)
    asked = checked_epsilons(epsilon, "epsilon")
    given = medium.given(**vars(noise))
    media = list(_media(kind, given, MOST_MEDIA))
    curves = [medium_curve(each, asked, delta) for each in media]
    return picture.draw(plot_medium, curves, bounds=not no_bounds, scale=scale)


def _media(kind: str, given: dict[str, Any], most: int) -> Iterator[Medium]:
    """Yield one medium for each value of what varies."""
    maker(kind, given)  # the options first, then their values
    levels = varied(given)
    if kind in MODULATIONS and len(levels) != 1:
        raise BadUse(
            "give only one of --snr-db and --eb-n0-db" if levels else f"{kind} needs one of --snr-db and --eb-n0-db"
        )
    if not levels:
        yield maker(kind, given)()
        return
    (name,) = levels
    values = noise_values(given[name], name)
    if not len(values) <= most:
        raise BadUse(f"a picture shows at most {most} media (got {len(values)})")
    for value in values:
        yield maker(kind, {**given, name: value})()
