"""Section VI: M-PSK over additive white Gaussian noise, and what Fig. 2 shows of 8-PSK."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import pairwise, product
from math import erfc, pi, sin, sqrt

import numpy as np

from hushcount.medium import psk
from hushcount.numbers.arrays import Floats
from hushcount.paper.grid import Grid
from hushcount.paper.media import PROVED, behind, invertible_media, loss, psk_media, words_of
from hushcount.paper.statement import Case, Claim, Statement, Tolerance, largest
from hushcount.paper.statements.lower_bounds import lower_bound
from hushcount.paper.tolerances import RECEIVED

__all__ = ["STATEMENTS", "curve_epsilons"]

_SAME_DELTAS = (0.0, 0.05)
"""The paper shows the figure for delta = 0, and says that others look alike."""

_NODES = 200
"""The nodes of a Gauss-Legendre rule, which is exact to rounding for the integrals here."""

_WITHOUT_PRIVACY = 40.0
"""An epsilon at which privacy asks for almost nothing."""


def curve_epsilons(grid: Grid) -> list[float]:
    """Return epsilons evenly spaced from 0.05 to 6."""
    points: list[float] = np.linspace(0.05, 6, grid.curve_epsilons).round(10).tolist()
    return points


def _symbol_errors(M: int, decibels: float) -> Floats:
    """Return the first row of T for M = 2 and 4 in closed form: a point is missed along each axis with chance Q."""
    snr = 10 ** (decibels / 10)
    if M == 2:
        miss = erfc(sqrt(snr)) / 2
        return np.array([1 - miss, miss])
    miss = erfc(sqrt(snr / 2)) / 2
    return np.array([(1 - miss) ** 2, miss * (1 - miss), miss**2, miss * (1 - miss)])


def _m_psk(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check T against the integral over the angle, by quadrature, for M = 2 and 4; T is circulant for every M."""
    for M, decibels in product((2, 4), grid.decibels):
        stated, generic = claim(M, decibels), _by_quadrature(M, decibels)
        off = [float(np.abs(stated - each).max()) for each in (generic, psk(M, es_n0_db=decibels).matrix[0])]
        yield Case(f"M = {M}, Es/N0 = {decibels:g} dB", largest(*off))
    for M, decibels in product((3, 5, 8), grid.decibels):
        away = np.abs(psk(M, es_n0_db=decibels).matrix[0] - _by_quadrature(M, decibels))
        yield Case(f"M = {M}, Es/N0 = {decibels:g} dB, hushcount", float(away.max()))


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    """Return nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _by_quadrature(M: int, decibels: float) -> Floats:
    """Return P_j = H(2 j - 1) - H(2 j + 1), where H(k) is the chance that the angle exceeds k pi / M: 1/(2 pi)
    int_0^(pi - k pi/M) exp(-snr sin^2(k pi/M) / sin^2 t) dt ([SA05] 8.29), and H(k) = -H(2 M - k) for k > M."""
    snr = 10 ** (decibels / 10)
    nodes, weights = _rule()

    def beyond(k: int) -> float:
        if k > M:
            return -beyond(2 * M - k)
        end = pi - k * pi / M
        if end <= 0:
            return 0.0
        t = end * (nodes + 1) / 2
        return float(weights @ np.exp(-snr * sin(k * pi / M) ** 2 / np.sin(t) ** 2)) * end / (4 * pi)

    row = [beyond(2 * j - 1) - beyond(2 * j + 1) for j in range(1, M)]
    return np.array([1 - sum(row), *row])


def _without_loss() -> tuple[tuple[float, float], ...]:
    """Return pairs (SNR in dB, epsilon): from that SNR up, nothing is lost up to that epsilon."""
    return (0.0, 0.3), (10.0, 2.0)


def _high_privacy(claim: Claim, grid: Grid) -> Iterator[Case]:
    for (decibels, reach), (snr, T) in product(claim(), zip(grid.decibels, psk_media(grid), strict=True)):
        if snr >= decibels:
            for epsilon in sorted({*(e for e in curve_epsilons(grid) if e <= reach), reach}):
                yield Case(words_of(T, epsilon, 0.0), loss(T, epsilon, 0.0))


def _rising(decibels: tuple[float, ...]) -> tuple[float, ...]:
    """Return the SNRs in the order in which p_e*(T) does not grow."""
    return tuple(sorted(decibels))


def _order(claim: Claim, grid: Grid) -> Iterator[Case]:
    """Check, by proof, that the upper end at an SNR is not above the lower end at the one before."""
    media = dict(zip(grid.decibels, psk_media(grid), strict=True))
    steps = pairwise(claim(grid.decibels))
    for (noisier, clearer), epsilon, delta in product(steps, curve_epsilons(grid), _SAME_DELTAS):
        before, after = (behind(media[decibels], epsilon, delta) for decibels in (noisier, clearer))
        words = f"{noisier:g} to {clearer:g} dB, epsilon = {epsilon:g}, delta = {delta:g}"
        yield Case(words, largest(after.upper - before.lower))


def _saturation(claim: Claim, grid: Grid) -> Iterator[Case]:
    for T in invertible_media(grid):
        best, level = behind(T, _WITHOUT_PRIVACY, 0.0), claim(T.shares)
        shown = f"p_e*(T) from {best.lower:.10g} to {best.upper:.10g}, l(T) = {level:.10g}"
        yield Case(words_of(T, _WITHOUT_PRIVACY, 0.0), largest(abs(best.upper - level), abs(best.lower - level)), shown)


_PSK, _TESTS = "tests/medium/test_psk.py::", "tests/medium/test_theorem_2.py::"

_of_figure_2 = partial(
    Statement,
    locator="section VI",
    compared_with=PROVED,
    tolerance=RECEIVED,
    implemented_by=("hushcount.medium.optimum", "hushcount.medium.psk"),
    tested_by=("tests/medium/test_reference_optima.py::test_bounds_and_optimum",),
)

STATEMENTS = (
    Statement(
        name="M-PSK",
        locator="section VI",
        formula="T of 2-PSK and of 4-PSK in closed form, from Q(sqrt(2 Es/N0)) and Q(sqrt(Es/N0))",
        compared_with="the integral over the angle, by quadrature, also for M = 3, 5 and 8",
        claim=_symbol_errors,
        check=_m_psk,
        tolerance=Tolerance(1e-13, "Sums of 200 terms of a quadrature in floats, and differences of two."),
        implemented_by=("hushcount.medium.psk",),
        tested_by=(f"{_PSK}test_bpsk_and_qpsk_in_closed_form", f"{_PSK}test_reference"),
    ),
    _of_figure_2(
        name="Fig. 2, high privacy",
        formula="8-PSK, delta = 0: p_e*(T) = p_e* up to epsilon = 2 from 10 dB on, and up to some epsilon, here 0.3, "
        "from 0 dB on",
        claim=_without_loss,
        check=_high_privacy,
        implemented_by=(
            "hushcount.medium.is_lossless",
            "hushcount.medium.largest_lossless_epsilon",
            "hushcount.medium.required_snr",
        ),
        tested_by=(f"{_TESTS}test_beyond_10_db_nothing_is_gained_for_8_psk_up_to_epsilon_2",),
        remark="Seen at the SNRs and epsilons of the figure. Where it holds, no channel does better, by (24); that it "
        "holds at every larger SNR and smaller epsilon as well is not proved.",
    ),
    _of_figure_2(
        name="Fig. 2, order of the curves",
        formula="8-PSK: p_e*(T) does not grow with the SNR; delta = 0, and 0.05",
        compared_with=f"{PROVED}, at each epsilon of the curves",
        claim=_rising,
        check=_order,
        remark="Seen at the SNRs and epsilons of the figure; it is not proved in general.",
    ),
    _of_figure_2(
        name="Fig. 2, asymptotes",
        formula="p_e*(T) tends to l(T) as epsilon grows",
        compared_with=f"{PROVED}, at epsilon = 40",
        claim=lower_bound,
        check=_saturation,
    ),
)
