"""The file of a plan, as TOML spells it: its tables, their keys, and the JSON schema by which editors complete them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema

from hushcount.counting.declared.options import ReadOptions
from hushcount.errors import BadData
from hushcount.words.printable import printable
from hushcount.words.unreadable import unreadable

__all__ = ["Document", "Promised", "Release", "SourceTable", "read_document", "schema_text"]

LARGEST_PLAN = 2**24
"""The most bytes of a plan's file."""

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)

Exactly = Annotated[Any, WithJsonSchema({"type": ["number", "string"]})]
"""A number, kept as the decimal that is written, or as text ("1/3")."""

Names = str | Annotated[list[str], Field(strict=True)]


class Promised(BaseModel):
    """What is promised of a release, or how near it has to be; and what draws it."""

    model_config = _STRICT

    epsilon: Exactly = Field(default=None, description="The epsilon of the promise; of each cell of a table.")
    delta: Exactly = Field(default=None, description="Its delta; 0 if it is left out.")
    mu: Exactly = Field(default=None, description="In place of epsilon and delta: mu-Gaussian differential privacy.")
    rho: Exactly = Field(default=None, description="The same by rho, with mu^2 = 2 rho.")
    within: int | None = Field(
        default=None, description="With chance, in place of a promise: how far off is near enough."
    )
    chance: Exactly = Field(default=None, description="How often at least the released count has to be that near.")
    currency: str | None = Field(
        default=None, description='What the promise is then sought in: "epsilon" or "mu"; by default as the budget is.'
    )
    mechanism: str | None = Field(
        default=None,
        description='"nearest" (the default), "canonical", "never-invented", "rounded-gaussian" (in mu), "within:T", '
        "or the file of a saved mechanism.",
    )

    def given(self) -> dict[str, Any]:
        """Return what was given of the promise, by name."""
        return {name: value for name in PROMISE if (value := getattr(self, name)) is not None}


PROMISE = ("epsilon", "delta", "mu", "rho", "within", "chance", "currency")
"""The keys that say what is promised. A release that gives any of them takes none from the defaults."""


class SourceTable(BaseModel):
    """A source, and what is declared of it."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    source: str = Field(description="A file, relative to the plan, or an address such as postgresql://host/database.")
    unit: str | None = Field(
        default=None, description="The column that tells whom a row belongs to; none: rows are counted."
    )
    without_unit: str | None = Field(default=None, description='Rows without one: "error" (the default) or "one-unit".')

    @property
    def options(self) -> dict[str, Any]:
        """How the source is read: what was given of it, under the names of `ReadOptions`."""
        return dict(self.__pydantic_extra__ or {})


class Release(Promised):
    """One count or, with `by`, one table of counts."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="A name of its own, which is also that of its files: letters, digits and - . _",
    )
    source: str | None = Field(
        default=None,
        description="Its source; left out where there is only one, here or in the budget's list.",
    )
    where: str = Field(default="TRUE", description="The condition on a row, in SQL; all rows if it is left out.")
    max: int | None = Field(default=None, description="The largest count, chosen without looking at the data.")
    by: Names | None = Field(default=None, description="The columns of a table, which has a count for each key.")
    keys: str | list[Any] | None = Field(
        default=None,
        description="The keys of a table: a list, or the file of keys, relative to the plan; or from-data, for groups "
        "that come from the data.",
    )
    totals: str | None = Field(default=None, description="The file of keys with their known totals.")
    keys_delimiter: str | None = Field(
        default=None, description="The character between the fields of CSV files of keys, totals and groups; a comma."
    )
    undeclared: str | None = Field(
        default=None, description='Rows with other keys: "other" (the default) or "left-out".'
    )
    rows_per_unit: int | None = Field(
        default=None,
        description="With a unit: rows are counted in place of units, at most so many of each, in all cells together.",
    )
    max_cells: int | None = Field(default=None, description="The largest number of cells in which a unit counts.")
    title: str | None = Field(default=None, description="What the report calls it.")
    format: str = Field(default="csv", pattern=r"^(csv|parquet)$", description="The format of a table's file.")


class Document(BaseModel):
    """A publication plan of hushcount."""

    model_config = ConfigDict(**_STRICT, title="hushcount plan")

    title: str | None = Field(default=None, description="What the report is about.")
    ledger: str = Field(description="The ledger: a file, relative to the plan, or postgresql://host/database.")
    budget: str = Field(description="The budget that all releases are charged to.")
    outputs: str = Field(default=".", description="The folder of the files that are written, relative to the plan.")
    report: str | None = Field(
        default=None,
        pattern=r"\.[Hh][Tt][Mm][Ll]?$",
        description="The page with all releases, relative to the plan; its name ends in .html or .htm.",
    )
    defaults: Promised = Field(default=Promised(), description="What is promised where a release says nothing.")
    sources: dict[str, SourceTable] = Field(
        default_factory=dict, description="Sources by name; none where the budget lists all that are asked about."
    )
    release: list[Release] = Field(min_length=1, description="What is released, in order.")


def read_document(path: Path) -> Document:
    """Read the file of a plan.

    Raises:
        BadData: it cannot be read, is not TOML, or has a key that is missing, unknown or of another type.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_PLAN + 1)
    except (OSError, ValueError) as error:
        raise BadData(printable(unreadable(path, error))) from None
    if len(content) > LARGEST_PLAN:
        raise BadData(printable(f"{path} is not a plan: it has more than {LARGEST_PLAN:,} bytes"))
    try:
        found = tomllib.loads(content.decode("utf-8-sig"), parse_float=_decimal)
        return Document.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise BadData(printable(f"{path}: {_place(found, first['loc'])}{_reason(first)}")) from None
    except UnicodeDecodeError:  # which quotes a byte of what may not be the file that was meant
        raise BadData(printable(f"{path} is not a plan: it is not in UTF-8")) from None
    except (ValueError, RecursionError) as error:
        raise BadData(printable(f"{path} is not TOML: {str(error) or 'nested too deeply'}")) from None


def _decimal(text: str) -> Decimal | float:
    """Return a number as the decimal that is written; or, where that has no meaning here, as the float of TOML."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    return number if number.is_finite() else float(text)


def schema_text() -> str:
    """Return the JSON schema of a plan, indented, ending in a newline."""
    schema = Document.model_json_schema()
    source, reading = schema["$defs"]["SourceTable"], TypeAdapter(ReadOptions).json_schema()["properties"]
    source["properties"] |= {field.name: reading[field.name] for field in fields(ReadOptions)}
    source["additionalProperties"] = False
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"


def _place(found: dict[str, Any], loc: tuple[int | str, ...]) -> str:
    """Return where in the file an error is, a release by its name if it has one."""
    words: list[str] = []
    for at, part in enumerate(loc):
        if isinstance(part, int) and at and loc[at - 1] == "release":
            one = found["release"][part]
            name = one.get("name") if isinstance(one, dict) else None
            words[-1] = f"release {name!r}" if isinstance(name, str) else f"release {part + 1}"
        elif isinstance(part, str) and not part.startswith(("list[", "constrained-")) and part not in ("str", "int"):
            words.append(part)
    return f"{', '.join(words)}: " if words else ""


def _reason(error: Any) -> str:
    words = {"extra_forbidden": "there is no such key", "missing": "this key is missing"}
    return str(words.get(error["type"], error["msg"]))
