"""The receipt of a table of counts: one promise for all of its cells, and what was released in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from hushcount.counting.cells.key_files import LARGEST_TOTAL
from hushcount.counting.cells.keys import Keys
from hushcount.counting.predicate.groups import by_words, group_name
from hushcount.errors import InvalidParameter
from hushcount.files.arrow_arrays import arrow_array
from hushcount.files.arrow_tables import AsArrow
from hushcount.mechanisms import NeverInvented
from hushcount.numbers.exact import Number
from hushcount.numbers.text import plain_at_most
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.given import promise_in
from hushcount.release.hidden import Hiding, first_shown
from hushcount.release.law import Law
from hushcount.release.receipt import OF_DECLARED, OF_FOUND, OF_ROWS, ReceiptBase, schema_of
from hushcount.release.receipt_parts import (
    FROZEN,
    Chance,
    Count,
    Distance,
    PairFacts,
    exact_parameter,
    exactly_the_distances,
    only_of,
)
from hushcount.release.table.columns import cell_columns
from hushcount.release.table.guarantee import TableGuarantee
from hushcount.release.table.keys import KeyColumn, key_columns, keys_in
from hushcount.release.table.names import CellNames
from hushcount.release.table.one_count import DRAWN_BY
from hushcount.release.table.text import MOST_SHOWN, cell_lines, chance_lines, price_rows, promise_lines, range_text
from hushcount.words.markup import escaped, markup_table
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from hushcount.release.aim import Aim

__all__ = ["TableReceipt", "schema_text"]

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class TableReceipt(AsArrow, ReceiptBase):
    """Differentially private counts, one for each declared cell, with the one promise they were released under.

    Cells are in the order of their declaration, and the cell of what is not declared, if there is one, is the last.
    Where the groups come from the data, the cells are those that are shown, sorted by their keys.
    Every chance is the worst case over all true counts of a cell, and is about the random noise only. As a table
    (`to_arrow`, `to_pandas`, `to_polars`, or whatever reads the Arrow PyCapsule interface) it has the keys in types of
    their own, `is_other`, which is true of that last cell alone, and `released`.
    """

    model_config = ConfigDict(**FROZEN, title="hushcount table receipt")

    released: tuple[Count, ...] = Field(
        description="The released counts, in the order of the cells: the only numbers here that depend on the rows' "
        "contents."
    )
    maximum: Count | None = Field(
        description="The largest count that could be released in any cell, where that is one number; a larger true "
        "count is treated as this. Null where the cells have totals of their own."
    )
    epsilon: str | None = Field(
        description="The epsilon of the draw of a single cell, exactly; the promise for the table is table_epsilon. "
        "Null where the promise is of another kind."
    )
    delta: str | None = Field(
        description="The delta of the draw of a single cell, exactly; the promise for the table is table_delta. "
        "Null where the promise is of another kind."
    )
    mu_squared: str | None = only_of(
        "mu^2 of the draw of a single cell under Gaussian differential privacy, exactly; half of it is rho. Left out "
        "for other promises."
    )
    error_probability: Chance = Field(
        description="The chance that the released count of a cell is not its true count; of the worst cell."
    )
    chance_off_by_more_than: dict[Distance, Chance] = Field(
        description="The chance that the released count of a cell is off by more than 1, 2 and 5; of the worst cell.",
        json_schema_extra=exactly_the_distances,
    )
    by: tuple[str, ...] = Field(
        min_length=1, description="What defines the cell of a row: columns, or what is computed from them."
    )
    keys_from: Literal["data"] | None = only_of(
        "That the groups come from the data: one is shown where a count above 0 was drawn for it, and how many are "
        "hidden is private. Left out where the cells are declared."
    )
    cells: Annotated[int, Field(ge=0)] = Field(
        description="The number of declared cells; of groups from the data, how many are shown."
    )
    undeclared: Literal["other", "left-out"] | None = Field(
        description="What became of rows whose key is not declared: they are counted in one more cell, or left out. A "
        "missing key is such a key unless it was declared. Null where the groups come from the data."
    )
    keys_sha256: Sha256 | None = Field(
        description="SHA-256 of the declared keys in their order, written as a CSV file in UTF-8: the key columns as "
        "header, every field in quotes, lines ending in a line feed; a missing key is an empty field without quotes. "
        "Null where the groups come from the data."
    )
    keys: Annotated[tuple[KeyColumn, ...], Field(min_length=1)] | None = only_of(
        "The declared keys, or those of the groups that are shown, sorted by code points with missing ones last: a "
        "column for each of by. Left out in receipts of versions 1 and 2."
    )
    max_cells: Annotated[int, Field(ge=1)] | None = Field(
        description="The largest number of cells in which a unit counts: the first that it reaches, in the order of "
        "the cells, or, of groups from the data, those that a lot decides for each release; null where rows were "
        "counted, each of which is in one. If at most so many of each unit were (unit), a lot decides for each release "
        "which of its rows."
    )
    changed_cells: Annotated[int, Field(ge=1)] = Field(
        description="The largest number of cells that one change to the data can affect: k, which is 1 instead where "
        "there is a public_total. Where rows were counted, at most so many of each unit, how many it can affect by all "
        "of them: more than k cells change by fewer, which is no worse."
    )
    table_epsilon: str | None = Field(
        description="The epsilon promised for the whole table, exactly: k times epsilon. Null where the promise is of "
        "another kind."
    )
    table_delta: str | None = Field(
        description="The delta promised for the whole table: 1 - (1 - delta)^k, exactly, or rounded up where that "
        "would take more than 4,096 bits. Null where the promise is of another kind."
    )
    table_mu_squared: str | None = only_of(
        "mu^2 promised for the whole table, exactly: k times mu_squared. Left out for other promises."
    )
    table_pairs: tuple[PairFacts, ...] | None = only_of(
        "What the pairs of a promise of several at once are for the whole table. Left out for other promises."
    )
    maxima: tuple[Count, ...] | None = Field(
        description="The largest count of each cell, where they were declared as known totals, else null."
    )
    public_total: Count | None = only_of(
        "The public number of rows, or of units, that the two released counts add up to: each is in one of the two "
        "cells. They are one draw, of the count of the first cell, so that the promise for the table is that of a "
        "cell. Left out where each cell was drawn."
    )
    public_count: Count | None = only_of(
        "The public number of rows, or of units (times rows_per_unit, where that is given), under replace-one: no "
        "count is larger. Left out where it is private, or not known."
    )
    expected_wrong_cells: Annotated[float, Field(ge=0)] | None = Field(
        description="An upper bound on the expected number of cells whose released count is not the true count. Null "
        "where the groups come from the data."
    )
    least_shown: Count | None = only_of(
        "The least count that is ever told of a group from the data; a smaller group that is shown is told as larger."
    )
    chance_hidden: dict[Distance, Chance] | None = only_of(
        "The chance that a group from the data is hidden, by its true count: 1, 2, 5, 10, 20 and so on, as far as it "
        "matters."
    )
    chance_right: dict[Distance, Chance] | None = only_of(
        "The chance that the true count of a group from the data is released, by that count."
    )

    @field_validator("table_epsilon", "table_delta", "table_mu_squared")
    @classmethod
    def _exact_promise(cls, text: str | None) -> str | None:
        return None if text is None else exact_parameter(text)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.released) != self.cells + (self.undeclared == "other"):
            raise ValueError("released must have one count for each cell")
        self._check_found()
        self._check_one_count()
        if (self.maximum is None) == (self.maxima is None):
            raise ValueError("either maximum or maxima must be there")
        if not max(self.tops, default=self.maximum or 0) <= LARGEST_TOTAL:
            raise ValueError(f"maximum and maxima must be at most {LARGEST_TOTAL}")
        if self.maxima is not None and len(self.maxima) != len(self.released):
            raise ValueError("maxima must have one count for each cell")
        highest = self.maximum if self.maxima is None else None
        if highest is not None and not max(self.released, default=0) <= highest:
            raise ValueError("released must be from minimum to maximum")
        if self.maxima is not None and any(r > m for r, m in zip(self.released, self.maxima, strict=True)):
            raise ValueError("released must be from minimum to maxima")
        public = self.public_count
        if public is not None and not (self.adjacency == "replace-one" and max(self.tops) <= public):
            raise ValueError("public_count must be at least every maximum, and is private under add-remove")
        counts_units = self.unit is not None and self.unit.rows_per_unit is None
        if (self.max_cells is not None) != counts_units:
            raise ValueError("max_cells must be there where units are counted, and null where rows are")
        cells = None if self._is_found else len(self.released)
        if self.changed_cells != Adjacency(self.adjacency).changed_cells(self.max_cells or 1, cells):
            raise ValueError("changed_cells must be what the adjacency and max_cells make it")
        _check_price(self.promise, self.price, self.changed_cells if self.public_total is None else 1)
        keys = self.declared_keys
        names = tuple(map(group_name, self.by))
        sha256 = None if keys is None or self._is_found else keys.sha256
        if keys is not None and (keys.by, len(keys), sha256) != (names, self.cells, self.keys_sha256):
            raise ValueError("keys must be those of by, cells and keys_sha256")
        return self

    def _check_found(self) -> None:
        """See that all is there of groups from the data, or none of it.

        Raises:
            ValueError: it is not.
        """
        told = (self.least_shown, self.chance_hidden, self.chance_right)
        if not self._is_found:
            if any(each is not None for each in told):
                raise ValueError("least_shown and the chances of groups are for groups from the data")
            if not self.cells or None in (self.undeclared, self.keys_sha256, self.expected_wrong_cells):
                raise ValueError("cells, undeclared, keys_sha256 and expected_wrong_cells must be there")
            return
        beside = (self.undeclared, self.keys_sha256, self.expected_wrong_cells, self.maxima)
        if self.keys is None or None in told or any(each is not None for each in beside):
            raise ValueError("groups from the data must have keys and their chances, and nothing of declared cells")
        if set(self.chance_hidden or ()) != set(self.chance_right or ()):
            raise ValueError("chance_hidden and chance_right must be of the same counts")
        if self.adjacency != Adjacency.ADD_REMOVE.value:
            raise ValueError("groups from the data are released under add-remove")
        least = max(1, self.least_shown or 0)
        if not min(self.released, default=least) >= least:
            raise ValueError("released must be at least least_shown, and above 0")

    def _check_one_count(self) -> None:
        """See that the two counts are one draw only where they may be.

        Raises:
            ValueError: they are, and may not.
        """
        if self.public_total is None:
            return
        said = (self.adjacency, self.mechanism, self.predicate, self.max_cells or 1, self.maximum)
        is_all = self._units is None or self._units.rows_per_unit is None
        if not is_all or said != (Adjacency.REPLACE_ONE.value, DRAWN_BY, "TRUE", 1, self.public_total):
            raise ValueError("public_total must be the maximum of all rows, or units, drawn by nearest")
        if len(self.released) != 2 or sum(self.released) != self.public_total:
            raise ValueError("released must be two counts that add up to public_total")

    @property
    def _is_found(self) -> bool:
        return self.keys_from is not None

    @property
    def price(self) -> Curve:
        """See `ReceiptBase`."""
        return promise_in(self._plain(), "table_")

    @property
    def asked(self) -> str:
        """See `ReceiptBase`."""
        return f"{self.question}, {printable(by_words(self.by))}"

    @property
    def tops(self) -> Sequence[int]:
        """The largest count of each cell."""
        return self.maxima if self.maxima is not None else [self.maximum or 0] * len(self.released)

    @property
    def guarantee(self) -> TableGuarantee:
        """What was guaranteed about the released counts."""
        return TableGuarantee(
            cell=self.guaranteed(max(self.tops, default=self.maximum or 0)),
            price=self.price,
            counts=len(self.released),
            undeclared=self.undeclared,
            max_cells=self.max_cells,
            changed_cells=self.changed_cells,
            maxima=self.maxima,
            expected_wrong=self.expected_wrong_cells,
            hiding=self._hiding,
            public_total=self.public_total,
            public_count=self.public_total if self.public_count is None else self.public_count,
        )

    @property
    def _hiding(self) -> Hiding | None:
        if self.least_shown is None or self.chance_hidden is None or self.chance_right is None:
            return None
        law = Law.of(self.mechanism, self.promise, self.moves).at(self.maximum or 0)
        assert isinstance(law, NeverInvented)
        return Hiding(self.least_shown, self.chance_hidden, self.chance_right, first_shown(law))

    @property
    def other(self) -> int | None:
        """What was released for rows of no declared cell; None where they were left out."""
        return self.released[-1] if self.undeclared == "other" else None

    @property
    def _version(self) -> int:
        if super()._version == OF_ROWS:
            return OF_ROWS
        if self._is_found or self.public_total is not None:
            return OF_FOUND
        return super()._version if self.keys is None else OF_DECLARED

    @cached_property
    def declared_keys(self) -> Keys | None:
        """The keys of the cells; None where the receipt does not have them."""
        if self.keys is None:
            return None
        return keys_in(self.keys, self.reading.date_format, is_found=self._is_found)

    @property
    def names(self) -> CellNames:
        """What the cells are called."""
        return CellNames(self.declared_keys, self.cells)

    def naming(self, keys: Keys) -> Self:
        """Return the receipt with its keys, which a ledger does not keep: whoever asks has them.

        Raises:
            InvalidParameter: other keys than those of the table.
        """
        if keys.sha256 != self.keys_sha256:
            raise InvalidParameter("keys", None, "those that the table was released with")
        version = max(self.schema_version, OF_DECLARED)
        added = {"keys": key_columns(keys, self.reading.types), "schema_version": version}
        named = self.model_copy(update=added)
        named.__dict__.pop("declared_keys", None)  # that there were none may be remembered
        return named

    def to_arrow(self) -> pa.Table:
        return self.beside({})

    def beside(self, more: Mapping[str, pa.Array], *, spelled: bool = False) -> pa.Table:
        """Return the cells as an Arrow table, with more columns after `released`; see `cell_columns`."""
        import pyarrow as pa

        columns = {"released": arrow_array(self.released, pa.int64()), **more}
        return cell_columns(self.declared_keys, self.cells, self.reading.types, columns, spelled=spelled)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the first cells as a table in HTML, for a notebook."""
        facts, names = self.guarantee, self.names
        rows = [[*names.row(cell), str(count)] for cell, count in enumerate(islice(self.released, MOST_SHOWN))]
        head, more = [*names.columns, "released"], facts.counts - MOST_SHOWN
        said = [*([f"... and {more:,} more"] if more > 0 else []), self.asked]
        said += [f"{facts.price.in_words(plain_at_most)}, {self.adjacency}, for the table", *facts.limited]
        table = markup_table(f"Released table: {facts.cells_text}", head, rows, len(head) - 1, [len(head) - 1])
        return f"<div>\n{table}{''.join(f'<p>{escaped(line)}</p>{chr(10)}' for line in said)}</div>\n"

    def to_text(
        self,
        keys: Keys | None = None,
        adjusted: Sequence[int] | None = None,
        *,
        most: int | None = MOST_SHOWN,
        rest: str = "",
        at_delta: Number | None = None,
        aim: Aim | None = None,
    ) -> str:
        """Return the text that goes with a released table, without a newline at the end.

        Args:
            keys: the keys of a receipt that does not have them, without which its cells are numbered from 1.
            adjusted: the released counts as `round_trip` made them add up, if it was asked to.
            most: how many cells are shown; None for all.
            rest: what to say after the number of cells that are not, such as where they are.
            at_delta, aim: as in `Receipt.to_text`, the first for the promise of the table.
        """
        facts = self.guarantee
        counts = {"released": self.released, **({} if adjusted is None else {"adjusted": adjusted})}
        least = "by the least change; the rest is about the released"
        return "\n".join(
            [
                f"Released table: {facts.cells_text}",
                "",
                *cell_lines(facts, keys or self.declared_keys, counts, most, rest),
                "",
                *([] if adjusted is None else [row("Adjusted", f"adds up to {sum(adjusted)}, {least}")]),
                row("Question", self.asked),
                *([] if aim is None else aim.asked_rows()),
                row("Range", range_text(facts)),
                *price_rows(facts, at_delta),
                "",
                *chance_lines(facts),
                "",
                *promise_lines(facts),
                "",
                *self.made,
            ]
        )


def _check_price(cell: Curve, table: Curve, changed: int) -> None:
    """See that what is promised of a table can follow from what is promised of a cell.

    Raises:
        ValueError: it cannot.
    """
    if isinstance(cell, EpsilonDelta) and isinstance(table, EpsilonDelta):
        if table.epsilon < changed * cell.epsilon:
            raise ValueError("table_epsilon must be epsilon times changed_cells, or more")
        if table.delta < cell.delta:
            raise ValueError("table_delta must be at least delta")
    elif isinstance(cell, GaussianDP) and isinstance(table, GaussianDP):
        if table.mu_squared < changed * cell.mu_squared:
            raise ValueError("table_mu_squared must be mu_squared times changed_cells, or more")
    elif table != cell.of_cells(changed):
        raise ValueError("the promise for the table must be what that of a cell makes it")


def schema_text() -> str:
    """Return the JSON schema of a table's receipt, as published in `docs/table-receipt.schema.json`."""
    return schema_of(TableReceipt)
