"""Predicates as Spark has to be asked them, so that its answers are those of the one rule."""

from __future__ import annotations

from typing import Any

from hushcount.counting._case_mapping import case_mapping
from hushcount.counting._compile import Conditions

__all__ = ["SparkConditions"]


class SparkConditions(Conditions):
    """What Spark, and Java below it, do otherwise, put right."""

    def like(self, text: Any, pattern: str) -> Any:
        return text.like(pattern.replace("\\", "\\\\"))

    def in_case(self, text: Any, case: str) -> Any:
        return text.translate(*case_mapping(case))

    def trimmed(self, text: Any) -> Any:
        return text.re_replace(r"^ +| +\z", "")  # to Java, $ is also before a line break at the end
