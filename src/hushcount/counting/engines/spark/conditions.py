"""Predicates put to Spark so that its answers follow the one rule."""

from __future__ import annotations

from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.case_mapping import case_mapping
from hushcount.counting.meaning.conditions import Conditions
from hushcount.counting.meaning.expression import Dialect, Expression, call, cases, constant
from hushcount.counting.meaning.types import ColumnType, Kind

__all__ = ["SparkConditions"]


class SparkConditions(Conditions):
    """What Spark, and Java below it, do otherwise, corrected."""

    dialect = Dialect("spark", {"TEXT": "STRING"})
    backslash = "\\\\"

    def in_case(self, text: Expression, case: str) -> Expression:
        return call("TRANSLATE", text, *map(self.text, case_mapping(case)))

    def spelled(self, value: Expression, kind: ColumnType) -> Expression:
        text = super().spelled(value, kind)
        if kind.kind is not Kind.DATE:
            return text
        # A year after 9999 has a plus here, and the year before 1 is 0 and not 1 (BC)
        year = (constant("1", t.INTEGER) - call("YEAR", value)).cast(t.TEXT)
        width = call("GREATEST", call("LENGTH", year), constant("4", t.INTEGER))
        year = call("LPAD", year, width, self.text("0"))
        before = call("||", call("||", year, call("RIGHT", text, constant("6", t.INTEGER))), self.text(" (BC)"))
        is_before = value < constant("0001-01-01", t.DATE)
        return cases([(is_before, before)], call("REPLACE", text, self.text("+"), self.text("")))

    def digest(self, text: Expression) -> Expression:
        return call("SHA2", text)
