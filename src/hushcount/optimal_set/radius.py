"""How far an optimum can be from the canonical one, in closed form ([RV26] Lemma 2).

The radius of the set of optima is Delta_M = max over optima P of max_ij |P - P*|_ij (Definition 1). All optima share
the diagonal gamma, and privacy from row to row keeps the entries of a column near it, so an entry off the diagonal lies
between phi_0 and Phi_0:

    Phi_0 = min(e^((M-1) epsilon) gamma + delta (1 + e^epsilon + ... + e^((M-2) epsilon)), p_e*)
    phi_0 = max(e^-((M-1) epsilon) (gamma - delta (1 + e^epsilon + ... + e^((M-2) epsilon))), 0)
    Delta_M <= R_M = max(Phi_0 - a q^floor(M/2), a q - phi_0)                                            ((22), (23))

with q = e^-epsilon and a = (1 - delta) alpha_M, so that a q and a q^floor(M/2) are the largest and the least entry of
P* off its diagonal. At epsilon = 0 the sums of powers are M - 1. With S(k) = 1 + q + ... + q^(k-1) the sum is
e^((M-1) epsilon) q S(M - 1), and nothing overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from hushcount.mechanisms.optima.kernel import Kernel
from hushcount.mechanisms.optima.optimum import Optimum
from hushcount.numbers.intervals import Interval, enclosing
from hushcount.optimal_set.shared import is_unique

__all__ = ["radius_bound"]

_NO_FLOAT = arb(2) ** -1080


def radius_bound(optimum: Optimum[Any]) -> float:
    """Return R_M (23), rounded up: no entry of any optimum differs from the canonical one's by more.

    Where the optimum is unique R_M is 0, exactly: for M = 2 both differences vanish, and at epsilon = delta = 0 all
    entries are 1 / M. (With one outcome there is no entry off the diagonal, and 0 is returned too.) Never above p_e*.
    """
    if is_unique(optimum):
        return 0.0

    def bound(K: Kernel) -> arb:
        return (_largest(K) - K.a * K.power(K.half)).max(K.a * K.q - _least(K))

    return _enclosed(optimum, bound).upper


def _largest(K: Kernel) -> arb:
    """Return Phi_0, no less than any entry off the diagonal of any optimum."""
    rest, lift = K.gamma + K.delta * K.q * K.series(K.M - 1), K.power(K.M - 1)
    if lift < rest:  # rest / lift > 1, which may overflow a ball
        return K.error
    return (rest / lift).min(K.error)


def _least(K: Kernel) -> arb:
    """Return phi_0, no more than any such entry."""
    return (K.power(K.M - 1) * K.gamma - K.delta * K.q * K.series(K.M - 1)).max(arb(0))


def _enclosed(optimum: Optimum[Any], evaluate: Callable[[Kernel], arb]) -> Interval:
    """Return an enclosure of a number >= 0, to 62 bits."""
    return enclosing(lambda p: evaluate(optimum._kernel(p)), lambda value: bool(value.upper() < _NO_FLOAT))
