"""The peers' ways of drawing a noisy count, each as its documentation shows it. Built once, outside the clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "diffprivlib_truncated",
    "numpy_gaussian_line",
    "numpy_line",
    "opendp_scalar",
    "opendp_threshold",
    "opendp_vector",
    "pipeline_dp_groups",
]

Groups = dict[str, int]
"""How many units are in each group, by its key; of what is told, only the groups that are shown."""


def diffprivlib_truncated(n: int, epsilon: float) -> Callable[[int], int]:
    """Truncated geometric noise by inverting a float's logarithm: not exact."""
    from diffprivlib.mechanisms import GeometricTruncated

    return GeometricTruncated(epsilon=epsilon, lower=0, upper=n).randomise


def opendp_scalar(epsilon: float, bounds: tuple[int, int] | None = None) -> Callable[[int], int]:
    """Exact geometric noise on one integer; with `bounds` truncated, in nearly constant time."""
    dp = _opendp()
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    return dp.m.make_geometric(*space, scale=1 / epsilon, bounds=bounds)


def opendp_vector(epsilon: float) -> Callable[[Any], Any]:
    """Exact geometric noise on a vector, unbounded: OpenDP's bounded vector takes more than ten times as long."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_geometric(*space, scale=1 / epsilon)


def opendp_threshold(epsilon: float, threshold: int) -> Callable[[Groups], Groups]:
    """Exact geometric noise on each group, and a threshold that what is told has reached."""
    dp = _opendp()
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i32"))
    metric = dp.l01inf_distance(dp.absolute_distance(T="i32"))
    return dp.m.make_laplace_threshold(domain, metric, scale=1 / epsilon, threshold=threshold)


def pipeline_dp_groups(epsilon: float, delta: float) -> Callable[[Groups], dict[str, float]]:
    """Half of epsilon chooses which groups are told, the other half pays for Laplace noise on their counts."""
    import pipeline_dp

    def told(groups: Groups) -> dict[str, float]:
        budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
        result = pipeline_dp.DPEngine(budget, pipeline_dp.LocalBackend()).aggregate(
            [(key, f"{key}-{unit}") for key, units in groups.items() for unit in range(units)],
            pipeline_dp.AggregateParams(
                metrics=[pipeline_dp.Metrics.COUNT],
                noise_kind=pipeline_dp.NoiseKind.LAPLACE,
                max_partitions_contributed=1,
                max_contributions_per_partition=1,
            ),
            pipeline_dp.DataExtractors(
                partition_extractor=lambda row: row[0],
                privacy_id_extractor=lambda row: row[1],
                value_extractor=lambda row: 0,
            ),
        )
        budget.compute_budgets()
        return {key: metrics.count for key, metrics in result}

    return told


def numpy_line(n: int, epsilon: float) -> Callable[[Any], Any]:
    """What one would write without thinking of attacks: the clipped difference of two geometrics, by floats."""
    rng = np.random.default_rng()
    p = -math.expm1(-epsilon)

    def noisy(counts: Any) -> Any:
        return np.clip(counts + rng.geometric(p, counts.size) - rng.geometric(p, counts.size), 0, n)

    return noisy


def numpy_gaussian_line(n: int, mu: float) -> Callable[[Any], Any]:
    """Gaussian noise of a float, rounded and clipped."""
    rng = np.random.default_rng()

    def noisy(counts: Any) -> Any:
        return np.clip(np.rint(counts + rng.normal(0, 1 / mu, counts.size)), 0, n)

    return noisy


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp
