"""Several counts about one source, charged to one budget."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from hushcount.arguments import path_text
from hushcount.counting import ReadOptions
from hushcount.errors import BadUse
from hushcount.exact import Number
from hushcount.ledger import Basis, Charge, Ledger
from hushcount.ledger.location import Location
from hushcount.release.count import paid
from hushcount.release.payment import Payment
from hushcount.release.receipt import Receipt
from hushcount.release.request import Request
from hushcount.tradeoff import EpsilonDelta

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["Session"]

_DEFAULTS = ReadOptions()


class Session:
    """Counts about one source, each charged to one budget before it is drawn: what `hushcount release --ledger` does.

        with Session("people.csv", "people.ledger", "people") as session:
            receipt = session.count("age >= 65", epsilon="0.5")

    Nothing is kept open between two counts, so several sessions and commands may share a ledger.

    Args:
        source: a CSV (also .gz), Parquet, DuckDB or SQLite file.
        ledger: a `Ledger`, or where it is: a file, or postgresql://host/database. `create_budget` makes one.
        budget: the name of a budget of the ledger; the releases have its adjacency.
        options: how the source is to be read; see `ReadOptions`.

    Attributes:
        basis: why the last count was answered: charged, charged before and only now drawn, or stored; None at first.

    Raises:
        BadUse: an argument breaks its rule, or there is no such budget.
        LedgerUnusable: there is no ledger, or it cannot be used.
    """

    basis: Basis | None = None

    def __init__(
        self, source: str | Path, ledger: Ledger | Location, budget: str, *, options: ReadOptions = _DEFAULTS
    ) -> None:
        self._source = path_text(source, "source")
        self._options = options
        self._payment = Payment.of(ledger, budget)
        self._adjacency = self._payment.ledger.terms(budget).adjacency
        self._has_ended = False

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended = True

    def count(
        self,
        where: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        max_count: int | None = None,
        mechanism: str | Mechanism = "nearest",
        request_id: str | None = None,
        fresh: bool = False,
    ) -> Receipt:
        """Release how many rows satisfy `where`, or give the stored receipt of the same question free of charge.

        Args and errors are those of `release_count`; also

        Raises:
            BadUse: the session has ended.
        """
        if self._has_ended:
            raise BadUse("the session has ended; open another one")
        request = Request.of(
            self._source,
            where,
            epsilon,
            delta,
            adjacency=self._adjacency.value,
            max_count=max_count,
            mechanism=mechanism,
            options=self._options,
        )
        payment = Payment.of(self._payment.ledger, self._payment.budget, request_id, fresh)
        answer = paid(request, payment)
        self.basis = answer.basis
        return answer.receipt

    @property
    def remaining(self) -> EpsilonDelta:
        """What is left of the budget now, exactly; under tight composition, a price that is still covered."""
        return self._payment.ledger.budget(self._payment.budget).left

    def history(self) -> tuple[Charge, ...]:
        """Every charge to the budget, also those of others, in order."""
        return self._payment.ledger.history(self._payment.budget)
