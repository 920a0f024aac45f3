"""A fixed medium after the mechanism: channels and modulations as stochastic matrices, rows = sent."""

from hushcount.medium.bits import binary_erasure, binary_symmetric, z_channel
from hushcount.medium.bounds import Bound, bounds
from hushcount.medium.fsk import fsk
from hushcount.medium.given import medium_from_matrix, read_medium
from hushcount.medium.gray import gray_code
from hushcount.medium.lossless import Losslessness, LosslessVerdict, is_lossless
from hushcount.medium.measured import MeasuredMedium, medium_from_counts, read_counts
from hushcount.medium.medium import Medium
from hushcount.medium.optimum import MediumBasis, MediumOptimum, optimum
from hushcount.medium.pam import pam
from hushcount.medium.psk import psk
from hushcount.medium.qam import qam
from hushcount.medium.rounding import rounding
from hushcount.medium.statement import Conclusion, Statement
from hushcount.medium.symmetric import symmetric_channel
from hushcount.medium.theorem_2 import (
    canonical_fits,
    corollary_2_1,
    statement_1,
    statement_1_with_radius,
    statement_2_max_norm,
    statement_2_row_norm,
    statement_3,
    statement_4,
    statement_5,
    statement_6,
)
from hushcount.medium.thresholds import Threshold, largest_lossless_epsilon, required_snr

__all__ = [
    "Bound",
    "Conclusion",
    "LosslessVerdict",
    "Losslessness",
    "MeasuredMedium",
    "Medium",
    "MediumBasis",
    "MediumOptimum",
    "Statement",
    "Threshold",
    "binary_erasure",
    "binary_symmetric",
    "bounds",
    "canonical_fits",
    "corollary_2_1",
    "fsk",
    "gray_code",
    "is_lossless",
    "largest_lossless_epsilon",
    "medium_from_counts",
    "medium_from_matrix",
    "optimum",
    "pam",
    "psk",
    "qam",
    "read_counts",
    "read_medium",
    "required_snr",
    "rounding",
    "statement_1",
    "statement_1_with_radius",
    "statement_2_max_norm",
    "statement_2_row_norm",
    "statement_3",
    "statement_4",
    "statement_5",
    "statement_6",
    "symmetric_channel",
    "z_channel",
]
