"""Predicates put to Spark so that its answers follow the one rule."""

from __future__ import annotations

from hushcount.counting.meaning.case_mapping import case_mapping
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import Dialect, Expression, call

__all__ = ["SparkConditions"]


class SparkConditions(Conditions):
    """What Spark, and Java below it, do otherwise, corrected."""

    dialect = Dialect("spark", {"TEXT": "STRING"})
    backslash = "\\\\"

    def in_case(self, text: Expression, case: str) -> Expression:
        return call("TRANSLATE", text, *map(self.text, case_mapping(case)))

    def digest(self, text: Expression) -> Expression:
        return call("SHA2", text)
