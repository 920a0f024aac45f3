"""Tables of private counts: one for each cell that is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushcount.counting import ReadOptions
from hushcount.counting.declared.place import SourceLike
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.release.aim import asked
from hushcount.release.answer import answer
from hushcount.release.payment import adjacency_of, payment_of
from hushcount.release.subject import Subject
from hushcount.release.table.asked import table_question
from hushcount.release.table.found import FromData
from hushcount.release.table.receipt import TableReceipt

if TYPE_CHECKING:
    from hushcount.ledger import Ledger
    from hushcount.ledger.location import Location
    from hushcount.mechanisms import Mechanism

__all__ = ["release_table"]


def release_table(
    source: SourceLike | None,
    by: str | Iterable[str],
    keys: str | Path | Iterable[Any] | FromData | None = None,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    within: int | None = None,
    chance: Number | None = None,
    currency: str | None = None,
    where: str = "TRUE",
    adjacency: str | None = None,
    max_count: int | None = None,
    totals: str | Path | Iterable[int] | None = None,
    keys_delimiter: str = ",",
    undeclared: str | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
    rows_per_unit: int | None = None,
    max_cells: int | None = None,
    mechanism: str | Mechanism = "nearest",
    source_name: str | None = None,
    options: ReadOptions | None = None,
    ledger: Ledger | Location | None = None,
    budget: str | None = None,
    request_id: str | None = None,
    fresh: bool = False,
    progress: Callable[[float], None] | None = None,
) -> TableReceipt:
    """Release how many rows of `source` satisfy `where`, in each of the declared cells, with one promise for all.

    Which groups there are is private, so it is not taken from the data unless `keys` is FROM_DATA: the cells are
    declared, and every one is released, with rows or without. Each cell is drawn at (epsilon, delta), independently. If
    one change to the data can affect k cells, the table is private at (k epsilon, 1 - (1 - delta)^k), which is what it
    costs ([KOV15] Theorem 3.3; docs/theory.md, "The cost of a table"). A row is in one cell, so k is 1 under
    "add-remove", and 2 under "replace-one", where a row may leave one cell for another; with a unit it is `max_cells`,
    or twice that; with `rows_per_unit` 1 or 2 again. It is never more than the number of cells.

    Args:
        source, source_name: as in `release_count`.
        by: the column, or columns, that tell the cell of a row; or what is computed from one: "year(date)", bands as in
            "age: 0-17, 18-64, 65+" or "age by 10 from 0 to 100", or "region from regions.csv" (docs/tables.md).
        keys: the cells: a file (.csv or .parquet) with the columns of `by`, or the keys one by one, as values or, for
            several columns, tuples; of these, None stands for a missing value. None instead of keys where `totals` is a
            file, which declares them too. FROM_DATA instead takes the groups from the data, and tells those for which a
            count above 0 is drawn (docs/tables.md, "Groups from the data"): under "add-remove" alone, with `max_count`
            and a delta above 0, without `totals`, `undeclared` and `mechanism`. A row is in a cell if its columns equal
            the key as in a predicate (texts by code points, whole numbers and decimals exactly), or are missing where
            the key is. Those of bands, months and groups of a file follow from these, and are left out, or None.
        epsilon, delta: the promise for the draw of one cell, finite and >= 0, epsilon in nats, delta < 1, kept exactly.
            The promise for the table is in the receipt, its delta rounded up where it is too long to keep.
        mu, rho: as in `release_count`; the table then costs sqrt(k) times the mu of a cell, that is k mu^2 ([DRS22]
            Corollary 3.3).
        within, chance, currency: as in `release_count`, of the count of every cell, whatever its largest count is.
        where: which rows to count; by default all.
        adjacency: as in `release_count`.
        max_count: a public maximum for every cell, from 0 to 2^62 - 1: required under "add-remove", unless every cell
            has a total; under "replace-one" the number of rows, or units, if it is not given. A higher true count is
            treated as it.
        totals: the known, public total of each cell, which then is its maximum: a file with the columns of `by` and
            `total`, or one number for each key. The cell of undeclared keys has `max_count`.
        keys_delimiter: the one character between the fields of CSV files of keys, totals and groups.
        undeclared: how to treat a row whose key is not declared (a missing key may be one): "other", which is meant if
            it is left out, counts it in one more cell, the last; "left-out" does not count it.
        unit: as in `release_count`: units are counted, each once in a cell where any of its rows matches.
        without_unit: as in `release_count`.
        rows_per_unit: as in `release_count`, S for all cells together: where a unit has more rows in the cells, S of
            them are drawn by lot, anew for each release. The promise for the draw of a cell is about S rows at once.
        max_cells: the most cells in which a unit counts, >= 1; needed with a unit, and left out with `rows_per_unit`.
            These are the first of the cells that it reaches, in the order of their declaration, with the one for
            undeclared keys last. Of groups from the data they are those with the least hashes of the unit, the key and
            128 random bits, which are new for each release.
        mechanism: as in `release_count`; the user's own must have the range of every cell.
        options, ledger, budget, request_id, fresh: as in `release_count`.
        progress: called from time to time with the part of the draws that is done, from 0 to 1.

    Raises:
        BadUse: a parameter, a key, an option or the predicate breaks its rule.
        BadData: the source, or a file of keys or totals, does not hold what was declared.
        LedgerUnusable: the ledger cannot be used.
        BudgetExceeded: what is left of the budget does not cover the promise for the table.
        BudgetClosed: the budget is closed.

        As for `release_count`, what is found only by reading values stays charged.
    """
    payment = payment_of(ledger, budget, request_id, fresh)
    relation = adjacency_of(adjacency, payment)
    subject = Subject.of(source, options, unit, without_unit, payment, source_name, rows_per_unit)
    question = table_question(
        subject,
        by,
        keys,
        where,
        asked(epsilon, delta, mu=mu, rho=rho, within=within, chance=chance, currency=currency, payment=payment),
        adjacency=relation,
        max_count=max_count,
        max_cells=max_cells,
        totals=totals,
        keys_delimiter=keys_delimiter,
        undeclared=undeclared,
        mechanism=mechanism,
    )
    return question.named(answer(question, payment, progress).receipt)
