"""How often groups that were not declared are shown, and how well, beside others at the same promise."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from peers import opendp_threshold, pipeline_dp_groups
from rows import Peer, Row

from hushcount import nearest

EPSILON, DELTA = 1, 1e-5
SIZES = [1, 5, 8, 10, 11, 12, 13, 15, 20, 30, 50]
GROUPS = 2000
"""Of each size; the standard deviation of a chance is then 1.1 percentage points at most."""

THRESHOLD = 13
"""The least that keeps delta: a group of one reaches it with chance q^12 / (1 + q) = 4.5e-6, and 12 with 1.2e-5."""


def test_beside_opendp(found):
    beside(found, f"OpenDP make_laplace_threshold, {THRESHOLD}", lambda: opendp_threshold(EPSILON, THRESHOLD))


def test_beside_pipeline_dp(found):
    pytest.importorskip("pipeline_dp", reason="PipelineDP is not part of this environment")
    beside(found, "PipelineDP, Laplace", lambda: pipeline_dp_groups(EPSILON, DELTA))


@pytest.mark.parametrize("n", [50, 10**6])
def test_bulk(side_by_side, n):
    laws = nearest(n, EPSILON, DELTA, never_invented=True), nearest(n, EPSILON, DELTA)
    true = np.resize(np.arange(51), 10**6)
    side_by_side(
        f"10^6 draws, never-invented, n = {n:,}, true counts 0 to 50",
        lambda: laws[0].draw(true),
        Peer("nearest", lambda: laws[1].draw(true), limit=2),
        rounds=15,
    )


def beside(found, peer: str, made: Callable[[], Callable[[dict[str, int]], Mapping[str, float]]]) -> None:
    law, release = nearest(max(SIZES), EPSILON, DELTA, never_invented=True), made()
    groups = {f"{size}-{k}": size for size in SIZES for k in range(GROUPS)}
    true = np.array(list(groups.values()))

    def figures():
        drawn = law.draw(true)
        ours = {key: count for key, count in zip(groups, drawn.tolist(), strict=True) if count}
        return [shown(groups, told) for told in (ours, release(groups))]

    def rows(told):
        (ours, theirs), promise = told[0], f"epsilon = {EPSILON}, delta = {DELTA:g}"
        return [
            row
            for size in SIZES
            for row in (
                compared(f"a group of {size} is shown, {promise}", "%", peer, ours[size][0], theirs[size][0]),
                compared(f"mean error of a shown group of {size}, {promise}", "", peer, ours[size][1], theirs[size][1]),
            )
        ]

    found(figures, rows, rounds=1)


def shown(groups: Mapping[str, int], told: Mapping[str, float]) -> dict[int, tuple[float, float]]:
    """Return, by size, how many of a hundred groups are shown, and the mean |error| of those."""
    errors: dict[int, list[float]] = {size: [] for size in SIZES}
    for key, count in told.items():
        errors[groups[key]].append(abs(count - groups[key]))
    return {size: (100 * len(e) / GROUPS, float(np.mean(e)) if e else np.nan) for size, e in errors.items()}


def compared(case: str, unit: str, peer: str, ours: float, theirs: float) -> Row:
    """Compare two figures; a chance is to be no lower, up to three standard deviations of the difference."""
    ratio = ours / theirs if theirs > 0 else None
    target, met = ("at least the peer's", ours >= theirs - 5) if unit else (None, None)
    return Row(case, ours, unit, peer, theirs, ratio, target, met)
