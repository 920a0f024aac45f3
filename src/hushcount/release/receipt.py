"""The receipt of a release: what was asked, what was promised and what was released, and nothing else about the data.

A receipt holds no content hash of the source, no true count and, under `add-remove`, nothing that tells how many rows
the source has. It is a value: frozen, checked once on the way in, and equal to itself after a trip through JSON.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Self

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

from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, InvalidParameter
from hushcount.inputs.addresses import is_shown_address
from hushcount.mechanisms.names import NEVER_INVENTED, ROUNDED_GAUSSIAN, WITHIN
from hushcount.numbers.exact import Number, exact
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_in
from hushcount.release.findings import Findings
from hushcount.release.guarantee import DISTANCES, Guarantee
from hushcount.release.receipt_parts import (
    FROZEN,
    AuditFindings,
    Chance,
    Count,
    Distance,
    LedgerFacts,
    PairFacts,
    Reading,
    UnitFacts,
    exact_parameter,
    exactly_the_distances,
    only_of,
)
from hushcount.release.text import explain, question_text
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

if TYPE_CHECKING:
    from hushcount.release.aim import Aim

__all__ = [
    "OF_DECLARED",
    "OF_FOUND",
    "OF_ROWS",
    "SCHEMA_VERSION",
    "LedgerFacts",
    "Reading",
    "Receipt",
    "ReceiptBase",
    "UnitFacts",
    "schema_of",
    "schema_text",
    "version_of",
]

SCHEMA_VERSION = 5
"""Increased when a released version adds or removes a field, or changes its meaning. A receipt has the least version
that knows all of it, so that an older hushcount reads what it can."""

OF_DECLARED, OF_FOUND = 3, 4
"""The versions of a table with its keys, where these were declared and where they come from the data; the latter also
where two cells have a public total."""

OF_ROWS = 5
"""The version of whatever counts so many rows of each unit at most."""

_OF_VERSION_1 = ("nearest", "canonical", "audited")
"""The mechanisms of receipts that have version 1, with one epsilon and delta."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


class ReceiptBase(BaseModel):
    """What the receipts of a count and of a table of counts have in common; each adds what was released."""

    model_config = FROZEN

    schema_version: Literal[1, 2, 3, 4, 5] = Field(
        description="The version of this schema that the receipt needs: 5 where so many rows of each unit were counted "
        "at most; 4 for another table of groups from the data, or with a public total; 3 for another table with its "
        "keys; of the rest, 1 for a promise of one epsilon and delta, and 2 for others."
    )
    released: Any
    minimum: Literal[0] = Field(description="The least count that could be released.")
    maximum: Count | None
    epsilon: str | None = Field(
        description="The privacy parameter epsilon, exactly: a decimal or a ratio of whole numbers, never rounded. "
        "Null where the promise is of another kind."
    )
    delta: str | None = Field(
        description="The privacy parameter delta, exactly: a decimal or a ratio of whole numbers, never rounded. "
        "Null where the promise is of another kind."
    )
    mu_squared: str | None = only_of(
        "mu^2 of a promise of Gaussian differential privacy, exactly; half of it is rho. Left out for other promises."
    )
    pairs: tuple[PairFacts, ...] | None = only_of(
        "The pairs of epsilon and delta of a promise of several at once. Left out for other promises."
    )
    adjacency: Literal["replace-one", "add-remove"] = Field(
        description="Which tables the promise calls neighbors, that is, what one change to the data is."
    )
    adjacency_meaning: str = Field(description="The adjacency in words.")
    mechanism: str = Field(
        description="The mechanism that drew the released count: nearest, canonical, never-invented, which always "
        "releases 0 as 0, rounded-gaussian, whose noise is rounded and clamped, and within:T, which is off by more "
        "than T as rarely as possible, are private by proof; audited is one that the user "
        "supplied and an audit found private.",
        pattern=f"^({'|'.join(_OF_VERSION_1)}|{NEVER_INVENTED}|{ROUNDED_GAUSSIAN}|{WITHIN})$",
    )
    audit: AuditFindings | None = Field(description="What the audit found, for an audited mechanism, else null.")
    unit: UnitFacts | None = Field(
        description="Whom a row belongs to, where units were counted: a unit counts once if any of its rows matches. "
        "Or where rows were counted, at most rows_per_unit of each unit. Null where each row stood for itself."
    )
    where: str = Field(
        description="The predicate as it was asked: the released count is about the rows it is true for."
    )
    predicate: str = Field(description="The same predicate in the normal form that was evaluated.")
    source: str = Field(
        description="The name of the file that was counted, without its folder; or the address of the database, "
        "without credentials; or the name that was given to data without a path."
    )
    table: str | None = Field(description="The table that was counted, where the source holds several, else null.")
    reading: Reading = Field(description="How the source was read.")
    error_probability: Chance = Field(description="The chance that the released count is not the true count.")
    chance_off_by_more_than: dict[Distance, Chance] = Field(
        description="The chance that the released count is off by more than 1, 2 and 5.",
        json_schema_extra=exactly_the_distances,
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

    @field_validator("epsilon", "delta", "mu_squared")
    @classmethod
    def _exact(cls, text: str | None) -> str | None:
        return None if text is None else exact_parameter(text)

    @field_validator("delta")
    @classmethod
    def _a_chance(cls, text: str | None) -> str | None:
        if text is not None and not exact(text) < 1:
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
        if "/" in source and not is_shown_address(source):
            raise ValueError("source must be a file name without its folder, or an address without credentials")
        return source

    @field_validator("released_at")
    @classmethod
    def _whole_seconds_of_utc(cls, moment: datetime) -> datetime:
        if moment.utcoffset() != timedelta(0) or moment.microsecond:
            raise ValueError("released_at must be in UTC and in whole seconds")
        return moment

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if (self.audit is not None) != (self.mechanism == "audited"):
            raise ValueError("audit must be there for an audited mechanism, and null for another")
        promise = self.promise
        if self._is_found and self.mechanism != NEVER_INVENTED:
            raise ValueError("mechanism must be never-invented where groups come from the data")
        if self.mechanism == "canonical" and not isinstance(promise, EpsilonDelta):
            raise ValueError("mechanism must not be canonical for another promise than one epsilon and delta")
        if self.audit is not None and not self.audit.keeps(promise.per_row(self.moves)):
            raise ValueError("the least delta of the audit must be at most delta, or its least mu at most mu")
        if self.mechanism == NEVER_INVENTED and not promise.starts_above_zero:
            raise ValueError("mechanism must not be never-invented where not every delta is above 0")
        if self.mechanism == ROUNDED_GAUSSIAN and not isinstance(promise, GaussianDP):
            raise ValueError("mechanism must not be rounded-gaussian for another promise than mu")
        if self.schema_version != self._version:
            raise ValueError(f"schema_version must be {self._version} for what the receipt has")
        return self

    @property
    def _is_found(self) -> bool:
        """Whether the receipt is of groups that come from the data."""
        return False

    @property
    def _version(self) -> int:
        """The version of the schema that the receipt needs."""
        return version_of(self.promise, self.mechanism, self._units)

    @property
    def _units(self) -> Unit | None:
        """Whom a row belongs to."""
        return None if self.unit is None else Unit(**self.unit.model_dump())

    @property
    def moves(self) -> int:
        """How far one change may move a count; what draws it keeps `promise.per_row(moves)` between neighbors."""
        return 1 if self._units is None else self._units.moves

    def __hash__(self) -> int:
        return hash(self.receipt_id)

    @property
    def promise(self) -> Curve:
        """What was promised of a count, whatever one change does to it."""
        return promise_in(self._plain())

    @property
    def price(self) -> Curve:
        """What was promised of all that was released, and what it cost."""
        return self.promise

    def _plain(self) -> dict[str, Any]:
        """The fields, with those of pairs as mappings."""
        return vars(self) | {
            name: [vars(pair) for pair in found]
            for name in ("pairs", "table_pairs")
            if (found := getattr(self, name, None)) is not None
        }

    @property
    def question(self) -> str:
        """What was asked, in words."""
        return question_text(self.source, self.table, self._units, self.where)

    @property
    def asked(self) -> str:
        """What was asked, in words; of a table with what tells the cells."""
        return self.question

    @property
    def made(self) -> list[str]:
        """Return when it was made and who paid, in lines."""
        made = f"Receipt {self.receipt_id} of {self.released_at:%Y-%m-%d %H:%M:%S} UTC"
        return [made, *([] if self.ledger is None else self.ledger.in_words())]

    def guaranteed(self, maximum: int) -> Guarantee:
        """Return what was guaranteed about a count up to `maximum`."""
        return Guarantee(
            maximum=maximum,
            promise=self.promise,
            adjacency=Adjacency(self.adjacency),
            unit=self._units,
            mechanism=self.mechanism,
            audit=None if self.audit is None else Findings(**self.audit.model_dump()),
            chances={0: self.error_probability, **self.chance_off_by_more_than},
        )

    def to_json(self) -> str:
        """Return the receipt as indented ASCII JSON, ending in a newline; `from_json` gives back an equal receipt."""
        return self.model_dump_json(indent=2, ensure_ascii=True) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the receipt that `text` holds.

        Raises:
            BadData: the text is not JSON, not a receipt, or has a newer schema version than this hushcount reads.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = "".join(f"{part}: " for part in first["loc"])
            raise BadData(printable(f"not a receipt: {place}{first['msg'].removeprefix('Value error, ')}")) from None


def version_of(promise: Curve, mechanism: str, unit: Unit | None = None) -> int:
    """The version of the schema that a receipt needs, a table's keys aside."""
    if unit is not None and unit.rows_per_unit is not None:
        return OF_ROWS
    return 1 if isinstance(promise, EpsilonDelta) and mechanism in _OF_VERSION_1 else 2


class Receipt(ReceiptBase):
    """One differentially private count, with the question it answers and the promise it was released under.

    Every chance is the worst case over all true counts from `minimum` to `maximum`, and is about the random noise only.
    """

    model_config = ConfigDict(**FROZEN, title="hushcount receipt")

    released: Count = Field(description="The released count, the only number here that depends on the rows' contents.")
    maximum: Count = Field(
        description="The largest count that could be released, n. Under replace-one it is the number of rows (or "
        "units), which is public; under add-remove it is the cap that was declared beforehand, and a larger true "
        "count is treated as this."
    )

    @model_validator(mode="after")
    def _in_range(self) -> Self:
        if not self.released <= self.maximum:
            raise ValueError("released must be from minimum to maximum")
        return self

    @property
    def guarantee(self) -> Guarantee:
        """What was guaranteed about the released count."""
        return self.guaranteed(self.maximum)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, at_delta: Number | None = None, aim: Aim | None = None) -> str:
        """Return the text that goes with a released count, without a newline at the end.

        Args:
            at_delta: the delta, >= 0 and < 1, at which it is said which epsilon is implied; by default 1e-6 for a
                promise in mu, and nothing is said of an epsilon.
            aim: the accuracy that was asked for, which a receipt does not keep: its promise says it all.

        Raises:
            InvalidParameter: `at_delta` is out of range.
        """
        asked = [row("Question", self.question), *([] if aim is None else aim.asked_rows())]
        told = explain(self.guarantee, at_delta)
        return "\n".join([f"Released count: {self.released}", "", *asked, told, "", *self.made])


def schema_of(kind: type[ReceiptBase]) -> str:
    """Return the JSON schema of one kind of receipt."""
    return json.dumps({"$schema": _DIALECT, **kind.model_json_schema()}, indent=2) + "\n"


def schema_text() -> str:
    """Return the JSON schema of a receipt, as published in `docs/receipt.schema.json`."""
    return schema_of(Receipt)
