"""The names of arrays of numbers, and how far a float is from the number that it stands for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT", "Floats", "Integers"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNIT = 2.0**-52
"""The relative distance of neighboring floats; rounding one operation costs at most half of it."""
