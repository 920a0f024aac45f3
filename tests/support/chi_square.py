"""How well draws fit a law."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2


def p_value(draws: np.ndarray, probabilities: np.ndarray) -> float:
    """Of Pearson's chi-square. Cells of fewer than 10 expected draws are put together, or, where even these would be
    fewer than 10, left out. An outcome of probability 0 must not occur at all."""
    counts = np.bincount(draws, minlength=len(probabilities))
    expected = probabilities * len(draws)
    assert not counts[expected == 0].any()
    small = expected < 10
    if expected[small].sum() >= 10:
        counts = np.append(counts[~small], counts[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
    else:
        assert counts[small].sum() < 100
        counts, expected = counts[~small], expected[~small]
        expected = expected * counts.sum() / expected.sum()
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))
