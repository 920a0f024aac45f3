"""What is asked: everything of a release that is judged before any data is read, and the receipt of its answer."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hushcount._version import __version__
from hushcount.arguments import path_text
from hushcount.counting import Adjacency, Predicate, ReadOptions, parse_predicate, public_range
from hushcount.errors import InvalidParameter
from hushcount.exact import Number
from hushcount.release.guarantee import Drawing, Figures, Law, figures, neighbours, offered
from hushcount.release.receipt import SCHEMA_VERSION, LedgerFacts, Reading, Receipt

if TYPE_CHECKING:
    from hushcount.mechanisms import Mechanism

__all__ = ["Request", "Settled"]


@dataclass(frozen=True)
class Request:
    """A release that was judged; made by `Request.of`. Only the number of rows may be missing.

    Attributes:
        path: of the source.
        where: the condition as it was asked, and `predicate`, the same as it was read.
        adjacency, max_count, options: as of `release_count`.
        law: from the largest count to the mechanism.
    """

    path: str
    where: str
    predicate: Predicate
    adjacency: Adjacency
    max_count: int | None
    law: Law
    options: ReadOptions

    @classmethod
    def of(
        cls,
        source: str | Path,
        where: str,
        epsilon: Number,
        delta: Number = 0,
        *,
        adjacency: str,
        max_count: int | None,
        mechanism: str | Mechanism,
        options: ReadOptions,
    ) -> Request:
        """Judge the arguments of `release_count`, which says what they are.

        Raises:
            BadUse: one of them breaks its rule, or the mechanism is not private.
        """
        path = path_text(source, "source")
        if not isinstance(options, ReadOptions):
            raise InvalidParameter("options", options, "a ReadOptions")
        for argument, text in [
            ("where", where),
            ("table", options.table or ""),
            *(("types", name) for name in options.types),
        ]:
            _check_text(argument, text)
        relation = neighbours(adjacency)
        least_n = public_range(relation, 0, max_count)
        law = offered(mechanism, epsilon, delta)
        if max_count is not None:  # then n is known already
            law(least_n)
        return cls(path, where, parse_predicate(where), relation, max_count, law, options)

    @property
    def source(self) -> str:
        """The name of the file, without its folder. A receipt is UTF-8; a file name on disk need not be."""
        return Path(self.path).name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

    def settled(self, rows: int) -> Settled:
        """The request about a table with so many rows.

        Raises:
            InvalidParameter: a mechanism was brought along that is made for another number of rows.
        """
        mechanism = self.law(public_range(self.adjacency, rows, self.max_count))
        return Settled(self, mechanism, figures(mechanism, self.adjacency))


@dataclass(frozen=True)
class Settled:
    """A request of which only the count is missing.

    Attributes:
        request: what is asked.
        mechanism: what draws the count to release.
        promised: the figures of the mechanism.
    """

    request: Request
    mechanism: Drawing
    promised: Figures

    def receipt(self, matching: int, ledger: LedgerFacts | None = None) -> Receipt:
        """Draw the count to release in place of the true one, and write its receipt."""
        request = self.request
        return Receipt.model_validate(
            {
                **asdict(self.promised),
                "schema_version": SCHEMA_VERSION,
                "released": int(self.mechanism.draw(min(matching, self.mechanism.n))),
                "where": request.where,
                "predicate": request.predicate.sql,
                "source": request.source,
                "table": request.options.table,
                "reading": Reading.of(request.options),
                "hushcount_version": __version__,
                "released_at": datetime.now(UTC).replace(microsecond=0),
                "receipt_id": uuid.uuid4(),
                "ledger": ledger,
            }
        )


def _check_text(argument: str, text: str) -> None:
    # The receipt repeats it and must not fail to be written once the count is drawn.
    if not isinstance(text, str):
        raise InvalidParameter(argument, text, "a text")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter(argument, text, "text that UTF-8 can spell") from None
