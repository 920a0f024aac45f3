"""The receipt of a release: what was asked, what was promised and what was released, and nothing else about the data.

A receipt holds no content hash of the source, no true count and, under `add-remove`, nothing that tells how many rows
the source has. It is a value: frozen, checked once on the way in, and equal to itself after a trip through JSON.
"""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    UUID4,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from hushcount.errors import BadData, InvalidParameter
from hushcount.exact import exact, exact_text
from hushcount.release.explanation import printable
from hushcount.release.guarantee import DISTANCES

if TYPE_CHECKING:
    from hushcount.counting import ReadOptions
    from hushcount.tradeoff import EpsilonDelta

__all__ = ["SCHEMA_VERSION", "LedgerFacts", "Reading", "Receipt", "schema_text"]

SCHEMA_VERSION = 1
"""Raised when a released version adds or removes a field, or changes its meaning."""

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

Count = Annotated[int, Field(ge=0)]
Chance = Annotated[float, Field(ge=0, le=1)]
Distance = Annotated[int, Field(strict=False)]  # the keys of a JSON object are strings


def _exactly_the_distances(schema: dict[str, Any]) -> None:
    chance = schema.pop("additionalProperties")
    schema["properties"] = {str(distance): chance for distance in DISTANCES}
    schema["required"] = [str(distance) for distance in DISTANCES]
    schema["additionalProperties"] = False
    schema.pop("propertyNames", None)


def _exact_text(text: str) -> str:
    number = exact(text)
    if not (number >= 0 and exact_text(number) == text):
        raise InvalidParameter("the parameter", text, "a number >= 0 in its normal form")
    return text


class Reading(BaseModel):
    """How the source was read: the options as they were declared, defaults included."""

    model_config = _FROZEN

    format: str = Field(description='The declared file format; "auto" means by its first bytes.')
    header: bool = Field(description="Whether the first record of a text file was declared to hold the column names.")
    delimiter: str = Field(description="The declared character between the fields of a text file.")
    encoding: str = Field(description="The declared character encoding of a text file.")
    null: str = Field(description="What was declared to stand, without quotes, for a missing value in a text file.")
    decimal: str = Field(description="The declared decimal mark of the numbers in a text file.")
    date_format: str = Field(description="The declared format of the dates in a text file, in strftime notation.")
    types: dict[str, str] = Field(
        description="The declared types of columns, by column name; other types are inferred."
    )

    @classmethod
    def of(cls, options: ReadOptions) -> Self:
        """The part of the options that a receipt repeats; the table has a place of its own."""
        declared = {name: getattr(options, name) for name in cls.model_fields if name != "types"}
        return cls(types=dict(options.types), **declared)


class AuditFindings(BaseModel):
    """What an audit found, before the release, of a mechanism that was brought along."""

    model_config = _FROZEN

    name: str = Field(min_length=1, description="What the mechanism is called, by whoever made it.")
    matrix_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        description="SHA-256 of its matrix: of the entries row by row, each as a little-endian IEEE 754 double, with "
        "-0.0 as 0.0; null for a mechanism that is not held as a matrix.",
    )
    least_delta: Chance = Field(
        description="The least delta at which it is private at this epsilon, between true counts 1 apart: at most the "
        "delta of the release, and rounded up to the next double."
    )


class LedgerFacts(BaseModel):
    """What a ledger says of a charge."""

    model_config = _FROZEN

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

    @field_validator("left_epsilon", "left_delta")
    @classmethod
    def _exact_or_none(cls, text: str | None) -> str | None:
        return None if text is None else _exact_text(text)

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.left_epsilon is None) != (self.left_delta is None):
            raise ValueError("what is left must be given of both epsilon and delta, or of neither")
        return self

    @classmethod
    def of(cls, budget: str, request_id: str, entry: int, entry_sha256: str, left: EpsilonDelta | None) -> Self:
        """The facts in the words of a receipt."""
        return cls(
            budget=budget,
            request_id=request_id,
            entry=entry,
            entry_sha256=entry_sha256,
            left_epsilon=None if left is None else exact_text(left.epsilon),
            left_delta=None if left is None else exact_text(left.delta),
        )


class Receipt(BaseModel):
    """One differentially private count, with the question it answers and the promise it was released under.

    Every chance is the worst case over all true counts from `minimum` to `maximum`, and is about the random noise only.
    """

    model_config = ConfigDict(**_FROZEN, title="hushcount receipt")

    schema_version: Literal[1] = Field(description="The version of this schema.")
    released: Count = Field(description="The released count, the only number here that depends on the rows' contents.")
    minimum: Literal[0] = Field(description="The least count that could be released.")
    maximum: Count = Field(
        description="The largest count that could be released, n. Under replace-one it is the number of rows, which is "
        "public; under add-remove it is the cap that was declared beforehand, and a higher true count is treated as it."
    )
    epsilon: str = Field(
        description="The privacy parameter epsilon, exactly: a decimal or a ratio of whole numbers, never rounded."
    )
    delta: str = Field(
        description="The privacy parameter delta, exactly: a decimal or a ratio of whole numbers, never rounded."
    )
    adjacency: Literal["replace-one", "add-remove"] = Field(
        description="Which tables the promise calls neighbours, that is, what one change to the data is."
    )
    adjacency_meaning: str = Field(description="The adjacency in words.")
    mechanism: Literal["nearest", "canonical", "audited"] = Field(
        description="The mechanism that drew the released count: nearest and canonical are private by proof; audited "
        "is one that was brought along and found private by an audit."
    )
    audit: AuditFindings | None = Field(description="What the audit found, for an audited mechanism, else null.")
    where: str = Field(
        description="The predicate as it was asked: the released count is about the rows it is true for."
    )
    predicate: str = Field(description="The same predicate in the normal form that was evaluated.")
    source: str = Field(description="The name of the file that was counted, without its folder.")
    table: str | None = Field(description="The table that was counted, where the source holds several, else null.")
    reading: Reading = Field(description="How the source was read.")
    error_probability: Chance = Field(description="The chance that the released count is not the true count.")
    chance_off_by_more_than: dict[Distance, Chance] = Field(
        description="The chance that the released count is off by more than 1, 2 and 5.",
        json_schema_extra=_exactly_the_distances,
    )
    hushcount_version: str = Field(description="The version of hushcount that made the release.")
    released_at: AwareDatetime = Field(description="When the count was released: UTC, in whole seconds.")
    receipt_id: UUID4 = Field(description="A random identifier of this release.", json_schema_extra={"format": "uuid"})
    ledger: LedgerFacts | None = Field(
        description="What the ledger says of the charge for it; null for a release that no budget paid for."
    )

    @field_validator("schema_version", mode="before")
    @classmethod
    def _known_version(cls, version: object) -> object:
        if isinstance(version, int) and version > SCHEMA_VERSION:
            # The first field, and not a ValueError: pydantic would bury it among all that is new or changed.
            raise BadData(
                f"the receipt has schema version {version}, but this hushcount reads versions up to {SCHEMA_VERSION}; "
                "a newer hushcount is needed"
            )
        return version

    @field_validator("epsilon", "delta")
    @classmethod
    def _exact(cls, text: str) -> str:
        return _exact_text(text)

    @field_validator("delta")
    @classmethod
    def _a_chance(cls, text: str) -> str:
        if not exact(text) < 1:
            raise InvalidParameter("delta", text, "less than 1")
        return text

    @field_validator("chance_off_by_more_than")
    @classmethod
    def _the_distances(cls, chances: dict[int, float]) -> dict[int, float]:
        if set(chances) != set(DISTANCES):
            raise ValueError(f"the distances must be {', '.join(map(str, DISTANCES))}")
        return {distance: chances[distance] for distance in DISTANCES}

    @field_validator("source")
    @classmethod
    def _no_folder(cls, source: str) -> str:
        if "/" in source:
            raise ValueError("source must be a file name without its folder")
        return source

    @field_validator("released_at")
    @classmethod
    def _whole_seconds_of_utc(cls, moment: datetime) -> datetime:
        if moment.utcoffset() != timedelta(0) or moment.microsecond:
            raise ValueError("released_at must be in UTC and in whole seconds")
        return moment

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if not self.released <= self.maximum:
            raise ValueError("released must be from minimum to maximum")
        if (self.audit is not None) != (self.mechanism == "audited"):
            raise ValueError("audit must be there for an audited mechanism, and null for another")
        # It is the next double above a number that is at most delta.
        if self.audit is not None and not math.nextafter(self.audit.least_delta, 0) <= exact(self.delta):
            raise ValueError("the least delta of the audit must be at most delta")
        return self

    def __hash__(self) -> int:
        return hash(self.receipt_id)

    def to_json(self) -> str:
        """The receipt as indented ASCII JSON, ending in a newline; `from_json` gives back an equal receipt."""
        return self.model_dump_json(indent=2, ensure_ascii=True) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The receipt that `text` holds.

        Raises:
            BadData: not JSON, not a receipt, or one of a newer schema version than this hushcount reads.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = "".join(f"{part}: " for part in first["loc"])
            raise BadData(printable(f"not a receipt: {place}{first['msg'].removeprefix('Value error, ')}")) from None


def schema_text() -> str:
    """The JSON schema of a receipt, as published in `docs/receipt.schema.json`."""
    schema = {"$schema": _DIALECT, **Receipt.model_json_schema()}
    return json.dumps(schema, indent=2) + "\n"
