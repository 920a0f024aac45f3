"""The parts of receipts: how a source was read, what an audit found, what a ledger says, whom a row belongs to."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hushcount.counting.declared.units import MOST_ROWS
from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact, exact_text
from hushcount.numbers.text import amount_text
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.mu_delta import MuDelta, left_in_words
from hushcount.promise.several import SeveralPairs
from hushcount.release.guarantee import DISTANCES
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.counting import ReadOptions
    from hushcount.ledger import Charge

__all__ = [
    "FROZEN",
    "AuditFindings",
    "Chance",
    "Count",
    "Distance",
    "LedgerFacts",
    "PairFacts",
    "Reading",
    "UnitFacts",
    "exact_parameter",
    "exactly_the_distances",
    "only_of",
]

FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

Count = Annotated[int, Field(ge=0)]
Chance = Annotated[float, Field(ge=0, le=1)]
Distance = Annotated[int, Field(strict=False)]  # the keys of a JSON object are strings


def exactly_the_distances(schema: dict[str, Any]) -> None:
    """Give the JSON schema of the chances of being off exactly these distances."""
    chance = schema.pop("additionalProperties")
    schema["properties"] = {str(distance): chance for distance in DISTANCES}
    schema["required"] = [str(distance) for distance in DISTANCES]
    schema["additionalProperties"] = False
    schema.pop("propertyNames", None)


class PairFacts(BaseModel):
    """One of several pairs that are promised at once."""

    model_config = FROZEN

    epsilon: str = Field(description="Its epsilon, exactly.")
    delta: str = Field(description="Its delta, exactly.")

    @field_validator("epsilon", "delta")
    @classmethod
    def _exact(cls, text: str) -> str:
        return exact_parameter(text)


def only_of(description: str) -> Any:
    """A field that is left out where its value is null: only promises of one kind have it."""
    return Field(default=None, exclude_if=lambda value: value is None, description=description)


def exact_parameter(text: str) -> str:
    """Return the text of an epsilon or a delta, if it is in its one normal form."""
    number = exact(text)
    if not (number >= 0 and exact_text(number) == text):
        raise InvalidParameter("the parameter", text, "a number >= 0 in its normal form")
    return text


class Reading(BaseModel):
    """How the source was read: the options as they were declared, defaults included."""

    model_config = FROZEN

    format: str = Field(description='The declared file format; "auto" means by its first bytes.')
    header: bool = Field(description="Whether the first record of a text file was declared to hold the column names.")
    delimiter: str = Field(description="The declared character between the fields of a text file.")
    encoding: str = Field(description="The declared character encoding of a text file.")
    null: str = Field(description="The unquoted text that was declared to stand for a missing value in a text file.")
    decimal: str = Field(description="The declared decimal mark of the numbers in a text file.")
    date_format: str = Field(description="The declared format of the dates in a text file, in strftime notation.")
    types: dict[str, str] = Field(
        description="The declared types of columns, by column name; other types are inferred."
    )
    trailing_delimiter: bool = Field(
        default=False,
        exclude_if=lambda value: not value,
        description="Whether every record of a text file was declared to end with a delimiter.",
    )

    @classmethod
    def of(cls, options: ReadOptions) -> Self:
        """Return the part of the options that a receipt repeats; the table has a place of its own."""
        declared = {name: getattr(options, name) for name in cls.model_fields if name != "types"}
        return cls(types=dict(options.types), **declared)


class AuditFindings(BaseModel):
    """What an audit found, before the release, of a mechanism that was brought along."""

    model_config = FROZEN

    name: str = Field(min_length=1, description="What the mechanism is called, by whoever made it.")
    matrix_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        description="SHA-256 of its matrix: of the entries row by row, each as a little-endian IEEE 754 double, with "
        "-0.0 as 0.0. Or of its thresholds, if it is told by these (docs/mechanism-files.md); null for a mechanism "
        "that is held as neither.",
    )
    least_delta: Chance | None = only_of(
        "The least delta at which it is private at this epsilon, between true counts 1 apart: at most the delta of the "
        "release (with rows_per_unit, epsilon and delta are those of one row), and rounded up to the next double. Left "
        "out for a promise in mu or of several pairs."
    )
    least_mu: Annotated[float, Field(ge=0)] | None = only_of(
        "The least mu between true counts 1 apart: at most that of the release, and rounded up to the next double. "
        "Left out for another promise than one in mu."
    )

    def keeps(self, promise: Curve) -> bool:
        """Return whether what was found is what such a promise asks for.

        A finding is the next double above a number that is at most what is promised.
        """
        if isinstance(promise, EpsilonDelta) and self.least_delta is not None and self.least_mu is None:
            return math.nextafter(self.least_delta, 0) <= promise.delta
        if isinstance(promise, GaussianDP) and self.least_mu is not None and self.least_delta is None:
            return Fraction(math.nextafter(self.least_mu, 0)) ** 2 <= promise.mu_squared
        return isinstance(promise, SeveralPairs) and self.least_delta is self.least_mu is None


class LedgerFacts(BaseModel):
    """What a ledger says about a charge."""

    model_config = FROZEN

    budget: str = Field(min_length=1, description="The name of the budget that the release was charged to.")
    request_id: str = Field(min_length=1, description="The id of the charge: asked with it, the ledger answers again.")
    entry: Annotated[int, Field(ge=1)] = Field(description="The number of the charge's entry in the ledger.")
    entry_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] = Field(
        description="The hash of that entry, which binds all entries before it."
    )
    left_epsilon: str | None = Field(
        description="What was left of the budget's epsilon after the charge, exactly; null under tight composition."
    )
    left_delta: str | None = Field(
        description="What was left of the budget's delta after the charge, exactly; null under tight composition."
    )
    left_mu_squared: str | None = only_of(
        "What was left of the mu^2 of a budget in mu, exactly, in place of left_epsilon, which is null then."
    )

    @field_validator("left_epsilon", "left_delta", "left_mu_squared")
    @classmethod
    def _exact_or_none(cls, text: str | None) -> str | None:
        return None if text is None else exact_parameter(text)

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if self.left_epsilon is not None and self.left_mu_squared is not None:
            raise ValueError("what is left must be given of epsilon or of mu_squared, not of both")
        if (self.left_epsilon is None and self.left_mu_squared is None) != (self.left_delta is None):
            raise ValueError("what is left must be given of both epsilon and delta, or of neither")
        _ = self.left  # raises an error now if it is no promise
        return self

    @classmethod
    def of(cls, charge: Charge) -> Self:
        """Return the facts in the words of a receipt."""
        left = {} if charge.left is None else charge.left.to_fields("left_")
        return cls(
            budget=charge.budget,
            request_id=charge.request_id,
            entry=charge.number,
            entry_sha256=charge.hash,
            **{"left_epsilon": None, "left_delta": None, **left},
        )

    @property
    def left(self) -> EpsilonDelta | MuDelta | None:
        """What was left of the budget after the charge; None under tight composition."""
        if self.left_mu_squared is not None:
            return MuDelta.from_fields(vars(self), "left_")
        return None if self.left_epsilon is None else EpsilonDelta.from_fields(vars(self), "left_")

    def in_words(self) -> list[str]:
        """Return the charge in lines for people."""
        left = "" if self.left is None else f", with {left_in_words(self.left, amount_text)} left"
        return [
            f"Charged to the budget {printable(self.budget)}{left}",
            f"Entry {self.entry} of the ledger, request {printable(self.request_id)}",
        ]


class UnitFacts(BaseModel):
    """Whom a row belongs to, where units are counted, or so many rows of each at most."""

    model_config = FROZEN

    column: str = Field(min_length=1, description="The column whose values identify the units.")
    without: Literal["error", "one-unit"] = Field(
        description='What a row without a unit was declared to be: an error, or, all together, "one-unit".'
    )
    rows_per_unit: Annotated[int, Field(ge=1, le=MOST_ROWS)] | None = only_of(
        "The most rows of a unit that were counted, in all cells of a table together: then rows were counted, and the "
        "promise of one row is such that so many together keep the one stated. Left out where units were counted."
    )
