"""The seeded door, for tests and simulations only.

No release comes through here: whoever knows the seed can subtract the noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.drawing.law import Law
from hushcount.drawing.sampler import _draw_from
from hushcount.errors import InvalidParameter
from hushcount.inputs.arrays import generator

__all__ = ["simulate"]


def simulate(mechanism: Law, true: int | ArrayLike, *, rng: np.random.Generator) -> Any:
    """Draw by the algorithm of `Mechanism.draw`, but repeatably and NOT privately: for tests, teaching and simulations.

    Args:
        mechanism: any mechanism.
        true: one true count, or an array of them of any shape.
        rng: a generator such as `numpy.random.default_rng(seed)`; it gives the bytes that a release takes from the
            operating system.

    Returns:
        An int, or an int64 array in the shape of `true`.

    Raises:
        InvalidParameter: `rng` is not a Generator, or a true count is outside 0..n.
    """
    if not isinstance(mechanism, Law):
        raise InvalidParameter("mechanism", mechanism, "a Mechanism")
    return _draw_from(generator(rng, "rng").bytes, mechanism, true).released
