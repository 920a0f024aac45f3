"""How far a check may be off, each with its reason."""

from __future__ import annotations

from hushcount.paper.statement import Tolerance

__all__ = ["EXACT", "FLOATS", "PROGRAMS", "RECEIVED"]

EXACT = Tolerance(0.0, "Yes or no, or exact arithmetic, or a bound that is certified.")

FLOATS = Tolerance(
    1e-12,
    "Formulas of up to 33 outcomes in floats: some hundred roundings of 1.1e-16 each, of numbers up to about 10.",
)

PROGRAMS = Tolerance(
    1e-9,
    "Bounds that a linear program certifies, which `hushcount.linear_program` accepts up to 1e-9 from the optimum; "
    "4e-11 is the most that was seen here.",
)

RECEIVED = Tolerance(
    1e-9,
    "The interval around p_e*(T) that `hushcount.medium.optimum` promises up to 16 symbols: its upper end, a mechanism "
    "that is private by proof, may be so far above the least.",
)
