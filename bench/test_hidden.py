"""How often groups that were not declared are shown, and how well, beside others at the same promise."""

from collections.abc import Callable, Mapping

import numpy as np
import peers
import pytest
from rows import Peer, Row

from hushcount import nearest

EPSILON, DELTA, CAP = 1, 1e-5, 1000
SIZES = [1, 5, 8, 10, 11, 12, 13, 15, 20, 50]
TOLD_BY_MOST = [12, 20, 50]
"""Sizes for errors."""

GROUPS = 2000
"""Of each size; the standard deviation of a chance is then 1.1 percentage points at most."""

PEERS: dict[str, tuple[str | None, Callable[[float, float], Callable[[dict[str, int]], Mapping[str, float]]]]] = {
    "OpenDP make_laplace_threshold, whole numbers": (None, peers.opendp_integer_threshold),
    "OpenDP make_laplace_threshold, doubles": (None, peers.opendp_threshold),
    "OpenDP make_gaussian_threshold, doubles": (None, peers.opendp_gaussian_threshold),
    "Google's selection and Laplace noise (PyDP)": ("pydp", peers.google_selection_and_noise),
    "Google's Laplace threshold (PyDP)": ("pydp", peers.google_threshold),
    "PipelineDP, as it comes": ("pipeline_dp", peers.pipeline_dp_selection),
    "PipelineDP, threshold after counting": ("pipeline_dp", peers.pipeline_dp_threshold),
}
"""The package that this environment may lack, and the way; all spend the same epsilon and delta in total."""


@pytest.mark.parametrize("peer", PEERS)
def test_groups_are_shown(found, peer):
    package, way = PEERS[peer]
    if package is not None:
        pytest.importorskip(package, reason=f"{package} is not part of this environment")
    law, release = nearest(CAP, EPSILON, DELTA, never_invented=True), way(EPSILON, DELTA)
    groups = {f"{size}-{k}": size for size in SIZES for k in range(GROUPS)}
    true = np.array(list(groups.values()))

    def figures():
        drawn = law.draw(true)
        ours = {key: count for key, count in zip(groups, drawn.tolist(), strict=True) if count}
        return [shown(groups, told) for told in (ours, release(groups))]

    def rows(told):
        (ours, theirs), promise = told[0], f"epsilon = {EPSILON}, delta = {DELTA:g}"
        chances = [
            compared(f"a group of {size} is shown, {promise}", "%", peer, ours[size][0], theirs[size][0])
            for size in SIZES
        ]
        errors = [
            compared(f"mean error of a shown group of {size}, {promise}", "", peer, ours[size][1], theirs[size][1])
            for size in TOLD_BY_MOST
        ]
        return chances + errors

    found(figures, rows, rounds=1)


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
