"""A grid of mechanisms, n and promises, without a medium."""

from __future__ import annotations

from hushcount.errors import InvalidParameter, TooLarge
from hushcount.inputs.grid import Values, grid_integers, grid_texts, grid_values
from hushcount.mechanisms import clamped_gaussian
from hushcount.mechanisms.by_name import ANALYTIC, GAUSSIAN, MECHANISMS, NEEDS_DELTA, implied_epsilon
from hushcount.numbers.exact import exact_text
from hushcount.privacy.mu.closed_form import ClosedFormMu
from hushcount.privacy.subjects import LARGEST_EPSILON
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import one_given
from hushcount.sweeps.grid import Grid, promises
from hushcount.sweeps.mechanism_row import MechanismRow
from hushcount.sweeps.mu_row import MuRow

__all__ = ["mechanism_grid"]

LARGEST_N = 2**14 - 1
"""The largest n that is swept over mu; a row takes a second or two there, and minutes for millions of counts."""

LARGEST_MU = 1000
"""The largest mu that is swept: it is so large that nothing is protected."""


def mechanism_grid(
    names: str | list[str] | None,
    n: Values,
    epsilon: Values | None = None,
    delta: Values = 0,
    *,
    mu: Values | None = None,
    rho: Values | None = None,
) -> Grid:
    """Return the grid mechanism x n x epsilon x delta, or mechanism x n x mu (or rho), without a medium.

    Args:
        names: some of `MECHANISMS`, or in mu of `GAUSSIAN`; None for all, of which those that need delta > 0 are left
            out at delta 0, and analytic-gaussian where the epsilon that mu implies at delta 1e-6 is 0.

    Raises:
        InvalidParameter, BadUse, TooLarge: an unknown mechanism, a bad value, or not exactly one of epsilon, mu and
            rho.
    """
    chosen = one_given(epsilon=epsilon, mu=mu, rho=rho)
    if chosen == "epsilon":
        if epsilon is None:
            raise InvalidParameter("epsilon", None, "given, or else mu or rho")
        return _in_epsilon(names, n, epsilon, delta)
    if any(grid_values(delta, "delta")):
        raise InvalidParameter("delta", None, f"left out beside {chosen}, which promises something at every delta")
    return _in_mu(names, n, mu, rho)


def _in_epsilon(names: str | list[str] | None, n: Values, epsilon: Values, delta: Values) -> Grid:
    known = grid_texts(MECHANISMS if names is None else names, "mechanism", MECHANISMS)
    axes: dict[str, tuple[str | int, ...]] = {
        "mechanism": known,
        "n": grid_integers(n, "n", least=0),
        **promises(epsilon, delta),
    }
    optional = NEEDS_DELTA if names is None else ()
    if not (largest := max(grid_values(epsilon, "epsilon"))) <= LARGEST_EPSILON:
        raise InvalidParameter("epsilon", largest, f"at most {LARGEST_EPSILON:,}, as for an audit")
    if "clamped-gaussian" in known:
        deltas = [value for value in grid_values(delta, "delta") if value or not optional]
        if deltas:
            clamped_gaussian(0, largest, min(deltas))  # raises an error for large epsilons, and for delta 0
    return Grid(MechanismRow, {}, axes, tuple((name, "0") for name in optional if "0" in axes["delta"]))


def _in_mu(names: str | list[str] | None, n: Values, mu: Values | None, rho: Values | None) -> Grid:
    known, ns = grid_texts(GAUSSIAN if names is None else names, "mechanism", GAUSSIAN), grid_integers(n, "n", least=0)
    argument, given = ("rho", rho) if mu is None else ("mu", mu)
    assert given is not None
    if not max(ns) <= LARGEST_N:
        raise TooLarge(f"over {argument}, n may be at most {LARGEST_N:,} (got {max(ns):,}); ask `explain` for more")
    promised = GaussianDP.of_rho if mu is None else GaussianDP.of
    values = {exact_text(value): promised(value) for value in grid_values(given, argument)}
    for text, promise in values.items():
        if not promise.mu_squared <= LARGEST_MU**2:
            raise InvalidParameter(argument, text, f"such that mu is at most {LARGEST_MU:,}")
    without = [text for text, promise in values.items() if not implied_epsilon(promise)] if ANALYTIC in known else []
    if without and names is not None:
        rule = f"larger for {ANALYTIC}, which needs the epsilon that mu implies at delta 1e-6 to be above 0"
        raise InvalidParameter(argument, without[0], rule)
    for name in known:
        made = [promise for text, promise in values.items() if not (name == ANALYTIC and text in without)]
        for promise in {made[0], made[-1]} if made else ():
            ClosedFormMu(GAUSSIAN[name](max(ns), promise), 1)  # raises an error where n is too large for an audit
    axes: dict[str, tuple[str | int, ...]] = {"mechanism": known, "n": ns, argument: tuple(values)}
    return Grid(MuRow, {"mu" if mu is None else "rho": None}, axes, tuple((ANALYTIC, text) for text in without))
