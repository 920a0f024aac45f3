"""One private count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hushcount.counting import ReadOptions
from hushcount.counting.declared.place import SourceLike
from hushcount.numbers.exact import Number
from hushcount.promise.curve import Curve
from hushcount.release.aim import asked
from hushcount.release.answer import answer
from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import adjacency_of, payment_of
from hushcount.release.receipt import Receipt
from hushcount.release.subject import Subject

if TYPE_CHECKING:
    from hushcount.ledger import Ledger
    from hushcount.ledger.location import Location
    from hushcount.mechanisms import Mechanism

__all__ = ["release_count"]


def release_count(
    source: SourceLike | None,
    where: str,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    within: int | None = None,
    chance: Number | None = None,
    currency: str | None = None,
    adjacency: str | None = None,
    max_count: int | None = None,
    mechanism: str | Mechanism = "nearest",
    source_name: str | None = None,
    options: ReadOptions | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
    rows_per_unit: int | None = None,
    ledger: Ledger | Location | None = None,
    budget: str | None = None,
    request_id: str | None = None,
    fresh: bool = False,
) -> Receipt:
    """Release how many rows of `source` satisfy `where`, with (epsilon, delta)-differential privacy, or at mu.

    The true count exists only in this call: it is not logged, not returned and in no error. The randomness is the
    operating system's; there is no way to seed it.

    With a ledger, the release is charged to a budget, on disk before the data is read under the condition, and the
    receipt is stored before it is returned. A question that was answered before gets its stored receipt, without cost
    (its `released_at` says when it was drawn). Without a ledger, each call spends its epsilon and delta anew and
    nothing adds them up: k releases about the same rows promise no more than (k epsilon, k delta) together.

    Args:
        source: a CSV (also .gz), Parquet, DuckDB or SQLite file; or a frame of pandas, polars, pyarrow, DuckDB or Ibis,
            or whatever else has `__arrow_c_stream__` and can be read more than once (docs/predicates.md, "Frames"); or
            postgresql://host/database, counted in the database, or spark: and a table or a folder of Parquet files,
            counted by Spark. A receipt shows an address without credentials. None stands for the only source that the
            budget lists; of several, one is known by its path, and by its name where no other file has it.
        where: one SQL condition on the columns of a row; a row for which it is NULL does not count.
        epsilon: finite, >= 0, in nats; float, int, Fraction, Decimal or text, kept exactly. Or a promise (`GaussianDP`,
            `SeveralPairs`), and nothing else.
        delta: >= 0 and < 1, kept exactly; the default 0 is pure differential privacy.
        mu, rho: in place of epsilon and delta: mu-GDP, or the same by rho with mu^2 = 2 rho; > 0, kept exactly. The
            mechanism is then "nearest", "rounded-gaussian" or "within:T".
        within, chance: in place of a promise: off by at most `within`, an integer >= 0, with at least this chance, > 0
            and <= 1, whatever the true count is. The promise is then the least one of three significant digits that
            reaches it with the mechanism, "nearest" or "within:T" with T = `within` (`epsilon_for`, `mu_for`). Under
            "replace-one" it follows from the number of rows, once the source is opened and before anything is charged.
        currency: what the promise of `within` and `chance` is sought in: "epsilon", at `delta`, or "mu".
            By default it is what the budget is in, and epsilon with a `delta` above 0 or without a budget.
        adjacency: what one change to the data is: "replace-one" (the number of rows n is public, and the range is
            0..n) or "add-remove" (the number of rows is secret, and the range is 0..max_count). None stands for that of
            the budget, and without a ledger for "replace-one".
        max_count: an integer >= 0, required under "add-remove", refused under "replace-one"; chosen without looking at
            the data. A true count above it is silently treated as `max_count`.
        mechanism: "nearest" (default), "canonical", "never-invented", "rounded-gaussian" (for mu) or "within:T", which
            are private by proof, or any other mechanism (`read_mechanism`, `from_matrix`), which must have the range of
            the release. It is audited first, at (epsilon, delta) and whatever it claims, and refused unless it is
            private.
        source_name: what a frame, which has no path, is called in the receipt; needed with a ledger, which knows it by
            that alone: a name stands for one data set, as long as it holds the same rows. Only for frames.
        options: how the source is to be read; see `ReadOptions`. Where the budget lists sources, it must be as listed,
            like `unit` and `without_unit`, and None is what is listed.
        unit: a column that tells whom a row belongs to. Then units are counted, each once if any of its rows satisfies
            `where`, and whatever is said of rows here is said of units: one change is one unit with all its rows, and
            under "replace-one" the number of units is public. A column of a CSV file is taken as text unless its type
            is pinned.
        without_unit: how to treat a row whose unit is missing: "error" (the default), or "one-unit", which makes all
            such rows one unit.
        rows_per_unit: S, from 1 to 10^9, with a unit: rows are counted in place of units, at most S of each, so that
            the count is the sum over units of min(S, matching rows). The promise is that of a unit with all its rows;
            one row is drawn at `promise.per_row(S)`. The range is 0..max_count under "add-remove", and under
            "replace-one" 0 to S times the number of units.
        ledger: a `Ledger`, or where it is: a file, or postgresql://host/database.
        budget: the name of a budget of the ledger, with the same adjacency; needed with a ledger.
        request_id: an id for the charge. Asked again with it, whatever went wrong before, the release has the same
            answer and is not charged again.
        fresh: whether to draw and charge although the question was answered before.

    Raises:
        BadUse: a parameter, an option or the predicate breaks its rule, or the mechanism is not private; found before
            any data is read, except a column that the source does not have, under "replace-one" a mechanism for another
            number of rows, and a condition that does not fit types which only the values show. Where the budget lists
            sources, everything is found before the source is opened.
        BadData: the source does not hold what was declared.
        LedgerUnusable: the ledger cannot be used.
        BudgetExceeded: what is left of the budget does not cover it.
        BudgetClosed: the budget is closed.

        What is found only by reading values under the condition stays charged: the message says so, and `charged` of
        the error is the charge. With a budget that lists its sources (`add_source`) such mistakes are free.
    """
    payment = payment_of(ledger, budget, request_id, fresh)
    relation = adjacency_of(adjacency, payment)
    question = CountQuestion.of(
        Subject.of(source, options, unit, without_unit, payment, source_name, rows_per_unit),
        where,
        asked(epsilon, delta, mu=mu, rho=rho, within=within, chance=chance, currency=currency, payment=payment),
        adjacency=relation,
        max_count=max_count,
        mechanism=mechanism,
    )
    return answer(question, payment).receipt
