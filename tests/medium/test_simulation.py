"""The modulations as they are: points, noise, gains and decisions in numpy.

Each chi-square test rejects what is right with a chance below 1e-6, and an SNR 3 dB off for certain."""

import numpy as np
import pytest
from scipy.stats import chi2

from hushcount.medium import apsk, constellation, cross_qam, fsk, pam, psk, qam

DRAWS = 200_000
THREE_DB = 10 * np.log10(2)


def nearest(points, sent, gains, noise):
    """The point nearest to what arrives, the gain undone."""
    arrived = points[sent] + noise / gains
    return np.argmin(np.abs(arrived[:, None] - points), axis=1)


def complex_noise(rng, shape):
    """Variance 1: 1/2 in each of I and Q."""
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)


def linear(points):
    """A constellation of mean energy 1 over noise of variance N0."""

    def simulate(rng, sent, snr, gains):
        scaled = points / np.sqrt(np.mean(np.abs(points) ** 2)) * np.sqrt(snr)
        return nearest(scaled, sent, np.abs(gains), complex_noise(rng, len(sent)))

    return simulate


def tones(order, coherent):
    def simulate(rng, sent, snr, gains):
        arrived = complex_noise(rng, (len(sent), order))
        arrived[np.arange(len(sent)), sent] += np.sqrt(snr) * gains
        if coherent:
            return np.argmax((arrived * np.conj(gains / np.abs(gains))[:, None]).real, axis=1)
        return np.argmax(np.abs(arrived), axis=1)

    return simulate


def levels(M):
    return 2.0 * np.arange(M) - (M - 1)


def grid(L):
    return (levels(L)[:, None] * 1j + levels(L)).ravel()


RINGS = np.concatenate([radius * np.exp(2j * np.pi * (np.arange(m) + 0.5) / m) for m, radius in ((4, 1), (12, 2.57))])
RINGS = RINGS[np.lexsort([RINGS.real.round(9), RINGS.imag.round(9)])]
IRREGULAR = np.array([0.3 + 0.1j, -1.2 + 0.4j, 0.9 - 1.1j, 2.5 + 0.2j, -0.4 - 2.0j, 0.1 + 1.7j])
SYSTEMS = {
    "2-PSK": (psk(2, es_n0_db=2), psk(2, es_n0_db=2, fading="rayleigh"), linear(np.array([1, -1]) + 0j), 2),
    "5-PSK": (
        psk(5, es_n0_db=6),
        psk(5, es_n0_db=6, fading="rayleigh"),
        linear(np.exp(2j * np.pi * np.arange(5) / 5)),
        6,
    ),
    "8-PSK": (
        psk(8, es_n0_db=10),
        psk(8, es_n0_db=10, fading="rayleigh"),
        linear(np.exp(2j * np.pi * np.arange(8) / 8)),
        10,
    ),
    "4-PAM": (pam(4, es_n0_db=9), pam(4, es_n0_db=9, fading="rayleigh"), linear(levels(4) + 0j), 9),
    "16-QAM": (qam(16, es_n0_db=12), qam(16, es_n0_db=12, fading="rayleigh"), linear(grid(4)), 12),
    "9-QAM": (qam(9, es_n0_db=8), qam(9, es_n0_db=8, fading="rayleigh"), linear(grid(3)), 8),
    "16-APSK": (apsk(16, es_n0_db=11), apsk(16, es_n0_db=11, fading="rayleigh"), linear(RINGS), 11),
    "32-cross-QAM": (
        cross_qam(32, es_n0_db=14),
        cross_qam(32, es_n0_db=14, fading="rayleigh"),
        linear(np.array([p for p in grid(6) if abs(p) < 7])),
        14,
    ),
    "irregular": (
        constellation(IRREGULAR, es_n0_db=7),
        constellation(IRREGULAR, es_n0_db=7, fading="rayleigh"),
        linear(IRREGULAR),
        7,
    ),
    "4-FSK": (fsk(4, es_n0_db=6), fsk(4, es_n0_db=6, fading="rayleigh"), tones(4, True), 6),
    "4-FSK non-coherent": (
        fsk(4, es_n0_db=6, coherent=False),
        fsk(4, es_n0_db=6, coherent=False, fading="rayleigh"),
        tones(4, False),
        6,
    ),
}


def p_value(medium, simulate, db, fading, seed):
    """Over all sent symbols at once: outcomes are (sent, received)."""
    rng = np.random.default_rng(seed)
    sent = rng.integers(medium.order, size=DRAWS)
    gains = complex_noise(rng, DRAWS) if fading else np.exp(2j * np.pi * rng.random(DRAWS))
    received = simulate(rng, sent, 10 ** (db / 10), gains)
    counts = np.bincount(sent * medium.order + received, minlength=medium.order**2)
    return pooled_chi_square(counts, medium.matrix.ravel() * DRAWS / medium.order)


def pooled_chi_square(counts, expected):
    """The rarest outcomes are put together until 10 or more are expected."""
    rarest = np.argsort(expected)
    pooled = int(np.searchsorted(np.cumsum(expected[rarest]), 10)) + 1
    starts = [0, *range(pooled, len(expected))]
    counts, expected = (np.add.reduceat(values[rarest], starts) for values in (counts, expected))
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("fading", [False, True])
def test_matrix_is_the_law_of_the_simulation(name, fading):
    still, faded, simulate, db = SYSTEMS[name]
    medium = faded if fading else still
    assert p_value(medium, simulate, db, fading, seed=1) > 1e-6
    for wrong in (db - THREE_DB, db + THREE_DB):
        assert p_value(medium, simulate, wrong, fading, seed=2) < 1e-12


def test_fading_is_no_mere_loss_of_power():
    """The same mean SNR without fading is rejected."""
    still, faded, simulate, db = SYSTEMS["8-PSK"]
    assert p_value(still, simulate, db, True, seed=3) < 1e-12
    assert p_value(faded, simulate, db, False, seed=3) < 1e-12
