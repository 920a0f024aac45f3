"""Where a falling function of floats changes sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

__all__ = ["root_near", "root_of_falling"]


def root_near(
    value_at: Callable[[float], float], guess: float, step: float, close: float, least: float = -math.inf
) -> float:
    """Return where a falling function changes sign, or `least` if above it nowhere; it is sought around a guess."""
    value_at = cache(value_at)
    low = high = max(guess, least)
    if value_at(high) > 0:
        while value_at(high) > 0:
            low, high, step = high, high + step, 4 * step
    else:
        while low > least and value_at(low) <= 0:
            low, high, step = max(low - step, least), low, 4 * step
    return root_of_falling(value_at, low, high, close)


def root_of_falling(value_at: Callable[[float], float], low: float, high: float, close: float = 2.0**-52) -> float:
    """Return where a falling function changes sign between low and high (Chandrupatla's method); an end if nowhere.

    It is as close as `close` times its size.
    """
    a, b = high, low
    fa, fb, t = value_at(a), value_at(b), 0.5
    if fa >= 0 or fb <= 0:
        return a if fa >= 0 else b
    for _ in range(100):
        middle = a + t * (b - a)
        value = value_at(middle)
        if (value > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = middle, value
        room = close * max(abs(a), abs(b)) / abs(b - a)
        if fa == 0 or room > 0.5:
            break
        ratio, share = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if share**2 < ratio and (1 - share) ** 2 < 1 - ratio:
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            t = 0.5
        t = min(max(t, room), 1 - room)
    return a
