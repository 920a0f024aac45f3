"""Amplitude and phase-shift keying (rings of points), and cross-shaped quadrature amplitude modulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType

from flint import arb, ctx, fmpq

from hushcount.errors import InvalidParameter
from hushcount.inputs.arguments import integer, listed
from hushcount.medium.channels.link import Fading, Link
from hushcount.medium.channels.plane.cells import Point
from hushcount.medium.channels.plane.constellation import cell_chances
from hushcount.medium.channels.plane.points import MOST_POINTS, check_apart
from hushcount.medium.medium import Medium, checked_order
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number, exact

__all__ = ["apsk", "cross_qam"]

_STANDARD: Mapping[int, tuple[tuple[int, ...], tuple[str, ...], tuple[int, ...]]] = MappingProxyType(
    {16: ((4, 12), ("1", "2.57"), (45, 15)), 32: ((4, 12, 16), ("1", "2.53", "4.30"), (45, 15, 0))}
)
"""Rings of DVB-S2, [EN302307] section 5.4, with the radii for its highest code rate, 9/10."""

_CORNERS = MappingProxyType({32: 1, 128: 2, 512: 4})
"""The side of the squares that a cross lacks at its corners."""

_POINT_BITS = 128
"""Points of rings are rounded to 2^-128 times the outer radius, 2^75 times as fine as floats."""


def apsk(
    order: int,
    *,
    rings: Iterable[int] | None = None,
    radii: Iterable[Number] | None = None,
    phases: Iterable[Number] | None = None,
    es_n0_db: Number | None = None,
    eb_n0_db: Number | None = None,
    fading: Fading | None = None,
) -> Medium:
    """Return the medium of uncoded M-APSK over additive white Gaussian noise, with nearest-point decisions.

    A ring of m points with radius r and phase a has the points r e^(i (a + 360 k / m)), angles in degrees. Counts are
    numbered from the lowest row of points to the highest, and from left to right in each, as with QAM: the matrix is
    mirrored, T[i, j] = T[n - i, n - j], if the points are.

    Args:
        order: M, from 2 to 1,024: 16 or 32, or the sum of `rings`.
        rings: how many points each ring has. By default those of DVB-S2 ([EN302307] section 5.4): 4 + 12 with radii 1
            and 2.57, and 4 + 12 + 16 with radii 1, 2.53 and 4.30, as for its code rate 9/10.
        radii: the radius of each ring, > 0; only ratios matter. Needed with `rings`.
        phases: the angle of a point of each ring, in degrees; half a step, 180 / m, by default (DVB-S2: 0 for the 16).
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol (its mean over the symbols) or per bit (Es = Eb log2 M),
            in dB, from -1,000 to 1,000, or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain; the SNR is then its mean.

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule; equal points are named.
    """
    M, link = _checked(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    counts, lengths, angles = _rings(M, rings, radii, phases)
    points = sorted(
        (
            _on_circle(length / max(lengths), angle / 360 + Fraction(k, count))
            for count, length, angle in zip(counts, lengths, angles, strict=True)
            for k in range(count)
        ),
        key=lambda point: (point.y, point.x),
    )
    check_apart(points)
    text = f"{M}-APSK ({' + '.join(map(str, counts))}), {link.text}"
    return Medium(cell_chances(points, link), text)


def _checked(order: int) -> int:
    M = checked_order(order)
    if not M <= MOST_POINTS:
        raise InvalidParameter("order", M, f"at most {MOST_POINTS:,}")
    return M


def _rings(
    M: int, rings: Iterable[int] | None, radii: Iterable[Number] | None, phases: Iterable[Number] | None
) -> tuple[list[int], list[Fraction], list[Fraction]]:
    if rings is None:
        if M not in _STANDARD:
            raise InvalidParameter("order", M, "16 or 32, unless rings are given")
        rings, standard_radii, standard_phases = _STANDARD[M]
        radii = standard_radii if radii is None else radii
        phases = standard_phases if phases is None else phases
    counts = [integer(count, "rings", least=1) for count in listed(rings, "rings", "a list of counts")]
    if sum(counts) != M:
        raise InvalidParameter("order", M, f"the sum of the rings, {sum(counts):,}")
    if radii is None:
        raise InvalidParameter("radii", None, "given with rings")
    lengths = _numbers(radii, "radii", len(counts))
    for length in lengths:
        if not length > 0:
            raise InvalidParameter("radii", length, "above 0")
    half_steps = [Fraction(180, count) for count in counts]
    return counts, lengths, half_steps if phases is None else _numbers(phases, "phases", len(counts))


def _numbers(given: Iterable[Number], argument: str, count: int) -> list[Fraction]:
    found = listed(given, argument, "a list of numbers")
    if len(found) != count:
        raise InvalidParameter(argument, len(found), f"as many as there are rings, {count}")
    return [exact(value, argument) for value in found]


def _on_circle(radius: Fraction, turn: Fraction) -> Point:
    """Return a point, from an angle below an eighth of a turn, so that symmetries are kept."""
    quarter, rest = divmod(turn * 4, 1)
    is_past = rest > Fraction(1, 2)
    angle = (1 - rest if is_past else rest) / 2
    with ctx.workprec(2 * _POINT_BITS):
        half_turns = fmpq(angle.numerator, angle.denominator)
        along, across = (_rounded(ball(radius) * of(half_turns)) for of in (arb.cos_pi_fmpq, arb.sin_pi_fmpq))
    x, y = (across, along) if is_past else (along, across)
    for _ in range(int(quarter) % 4):
        x, y = -y, x
    return Point(x, y)


def _rounded(value: arb) -> fmpq:
    whole = (value * arb(2) ** _POINT_BITS).mid().floor().unique_fmpz()
    assert whole is not None  # the floor of an exact number
    return fmpq(whole, 2**_POINT_BITS)


def cross_qam(
    order: int, *, es_n0_db: Number | None = None, eb_n0_db: Number | None = None, fading: Fading | None = None
) -> Medium:
    """Return the medium of uncoded cross-shaped M-QAM over additive white Gaussian noise, with nearest-point decisions.

    M = 32 c^2. The points are those of a square grid of 6c rows and columns without the c x c points at each corner.
    Counts are numbered from the lowest row to the highest, and from left to right in each (a mirrored matrix).

    Args:
        order: M: 32, 128 or 512.
        es_n0_db, eb_n0_db: one of the two: the SNR per symbol (its mean over the symbols) or per bit (Es = Eb log2 M),
            in dB, from -1,000 to 1,000, or `math.inf` (the identity).
        fading: None, or `"rayleigh"` for flat Rayleigh fading with a known gain, the same for both axes; the SNR is
            then its mean.

    Returns:
        A medium whose entries are right to one unit in the last place, and 0.0 below the least float.

    Raises:
        BadUse, InvalidParameter, TooLarge: naming the argument, its value and the rule.
    """
    M, link = checked_order(order), Link.of(order, es_n0_db, eb_n0_db, fading)
    if M not in _CORNERS:
        raise InvalidParameter("order", M, "32, 128 or 512")
    c = _CORNERS[M]
    levels = range(1 - 6 * c, 6 * c, 2)
    points = [Point(fmpq(x), fmpq(y)) for y in levels for x in levels if min(abs(x), abs(y)) < 4 * c]
    return Medium(cell_chances(points, link), f"{M}-cross-QAM, {link.text}")
