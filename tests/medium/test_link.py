"""SNR and fading between modulator and demodulator."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from hushcount.errors import BadUse, InvalidParameter
from hushcount.medium.channels.link import Link


@pytest.mark.parametrize("decibels", [3, 3.0, "3", Decimal(3), Fraction(3)])
def test_decibels_are_exact(decibels):
    link = Link.of(8, decibels, None, None)
    assert link.decibels == 3
    assert float(link.snr()) == pytest.approx(10**0.3, rel=1e-15)


def test_per_bit():
    assert float(Link.of(8, None, 0, None).snr()) == pytest.approx(3, rel=1e-15)
    assert Link.of(8, None, 0, None).text == "Eb/N0 = 0 dB (Es/N0 = 4.7712 dB)"


@pytest.mark.parametrize("infinite", [math.inf, Decimal("Infinity")])
def test_no_noise(infinite):
    link = Link.of(8, infinite, None, "rayleigh")
    assert link.is_noiseless
    assert link.text == "Es/N0 = infinite, flat Rayleigh fading"


@pytest.mark.parametrize("given", [(None, None), (1, 1)])
def test_one_of_the_two(given):
    with pytest.raises(BadUse, match=r"^give either es_n0_db or eb_n0_db"):
        Link.of(8, *given, None)  # type: ignore[call-arg]


@pytest.mark.parametrize("bad", [math.nan, -math.inf, 1000.5, -1001, "loud", "inf dB", True, [3]])
@pytest.mark.parametrize("argument", ["es_n0_db", "eb_n0_db"])
def test_bad_decibels(bad, argument):
    given = (bad, None) if argument == "es_n0_db" else (None, bad)
    with pytest.raises(InvalidParameter, match=rf"^{argument} must be a number from -1,000 to 1,000, or infinity"):
        Link.of(8, *given, None)  # type: ignore[call-arg]


@pytest.mark.parametrize("bad", ["Rayleigh", "", 1, True])
def test_bad_fading(bad):
    with pytest.raises(InvalidParameter, match=r"^fading must be None or 'rayleigh'"):
        Link.of(8, 3, None, bad)
