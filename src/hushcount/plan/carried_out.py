"""Carrying out a plan: all is charged in one transaction, then drawn, stored and written, one after the other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushcount.errors import BadUse, InvalidParameter
from hushcount.files.whole_files import checked_target, write_whole
from hushcount.ledger import Basis, Grant
from hushcount.plan.asked import Asked, SettledRelease, read_together, told_of
from hushcount.plan.billed import billed
from hushcount.plan.document import Document
from hushcount.plan.paths import file_at, ledger_at
from hushcount.release.answer import charged_answer
from hushcount.release.inputs import inputs_of
from hushcount.release.payment import Payment
from hushcount.release.receipt import Receipt
from hushcount.release.table.output import check_output, table_file
from hushcount.release.table.receipt import TableReceipt
from hushcount.report.article import article
from hushcount.report.page import page
from hushcount.words.counted import counted
from hushcount.words.printable import printable
from hushcount.words.tables import aligned

__all__ = ["Published", "PublishedRelease", "Show", "Targets", "carried_out", "targets_of"]

Show = Callable[[int, int, str], None]
"""Called with how many releases are made, how many there are, and the name of the next one."""

_AGAIN = "; run the plan again: what was charged is not charged again"
_CHARGED_AGAIN = f"{_AGAIN}, but for groups from the data, which are drawn once for a charge"


@dataclass(frozen=True)
class PublishedRelease:
    """A release that was made.

    Attributes:
        name: its name in the plan.
        receipt: its receipt, as the ledger keeps it; that of a table knows its keys.
        basis: whether it was charged by this run, or paid for before.
        files: what was written of it.
    """

    name: str
    receipt: Receipt | TableReceipt
    basis: Basis
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Published(Sequence[PublishedRelease]):
    """All releases of a plan, made; returned by `Plan.run`.

    Attributes:
        releases: the releases, in order.
        report: the page with all of them, if the plan has one.
    """

    releases: tuple[PublishedRelease, ...]
    report: Path | None = None

    def __getitem__(self, at: Any) -> Any:
        return self.releases[at]

    def __len__(self) -> int:
        return len(self.releases)

    @property
    def receipts(self) -> Mapping[str, Receipt | TableReceipt]:
        """The receipts by name."""
        return {release.name: release.receipt for release in self.releases}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it with the receipts, ready for JSON."""
        return {
            "releases": [
                {
                    "name": release.name,
                    "basis": release.basis.name.lower(),
                    "files": list(map(str, release.files)),
                    "receipt": json.loads(release.receipt.to_json()),
                }
                for release in self.releases
            ],
            "report": None if self.report is None else str(self.report),
        }

    def __str__(self) -> str:
        new = sum(release.basis is Basis.CHARGED for release in self.releases)
        head = f"{counted(len(self.releases), 'release')}, {new} charged now"
        folder = f"These files are in {printable(str(self.releases[0].files[0].parent))}"
        lines = aligned(list(map(_line, self.releases)))
        report = [] if self.report is None else [f"All of it is on one page, {printable(self.report.name)}"]
        return "\n".join([head, "", *(line.rstrip() for line in lines), "", folder, *report])


def _line(release: PublishedRelease) -> tuple[str, ...]:
    receipt = release.receipt
    told = counted(len(receipt.released), "count") if isinstance(receipt, TableReceipt) else str(receipt.released)
    return printable(release.name), told, printable(", ".join(file.name for file in release.files))


@dataclass(frozen=True)
class Targets:
    """Where a plan is written to.

    Attributes:
        receipts: the files of the receipts, by the names of the releases.
        tables: the files of the counts of the tables, with their keys, by the names of these.
        report: the file of the page with all releases; None for no page.
    """

    receipts: Mapping[str, Path]
    tables: Mapping[str, Path]
    report: Path | None

    def of(self, name: str) -> tuple[Path, ...]:
        """Return the files of one release."""
        return (self.receipts[name], *([self.tables[name]] if name in self.tables else []))


def targets_of(asked: Sequence[Asked], document: Document, plan: Path) -> Targets:
    """Return where a plan is written to, checked that all can be; the folder is made if it is not there.

    Args:
        plan: the file of the plan.

    Raises:
        InvalidParameter: a file cannot be written there, is one that the plan reads, or would be written twice.
    """
    folder = str(plan.parent)
    outputs = file_at(folder, document.outputs)
    ledger = ledger_at(folder, document.ledger)
    inputs = [str(plan), *(file for one in asked for file in inputs_of(one.question.subject, ledger, *one.files))]
    inputs = list(dict.fromkeys(inputs))
    written: list[Path] = []

    def target(path: str, argument: str) -> Path:
        found = checked_target(path, argument, *inputs)
        if found in written:  # by a link, since names differ
            raise InvalidParameter(argument, path, "another file than those that the plan writes before it")
        written.append(found)
        return found

    receipts, tables = {}, {}
    _make(outputs)
    for one in asked:
        with told_of(one.release):
            name = one.release.name
            receipts[name] = target(os.path.join(outputs, f"{name}.json"), "outputs")
            if one.table is not None:
                file = os.path.join(outputs, f"{name}.{one.release.format}")
                check_output(file, one.table.names)
                tables[name] = target(file, "outputs")
    report = None if document.report is None else target(file_at(folder, document.report), "report")
    return Targets(receipts, tables, report)


def _make(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InvalidParameter("outputs", folder, f"a folder, or one that can be made: {reason}") from None


def carried_out(
    settled: Sequence[SettledRelease], targets: Targets, payment: Payment, title: str | None, show: Show | None = None
) -> Published:
    """Charge all releases, then draw and write them in order, and a page with all of them.

    Args:
        title: that of the page.

    Raises:
        BudgetExceeded: the budget does not cover them; none was charged.
        BadData: a source does not hold what was declared. What was charged stays so, and is not charged again.
        BadUse: a file cannot be written; what was released is in the ledger.
        LedgerUnusable: the ledger cannot be used.
    """
    billed(settled, payment).check_covered()
    grants = payment.ledger.charge_all(payment.budget, [one.settled.charged() for one in settled])
    read_together(settled)
    releases = tuple(_made(settled, targets, payment, grants, show))
    if targets.report is not None:
        articles = [
            article(number, release.receipt, title=one.asked.release.title, mechanism=one.asked.mechanism)
            for number, (one, release) in enumerate(zip(settled, releases, strict=True), 1)
        ]
        _write(targets.report, page(articles, [release.receipt for release in releases], title))
    return Published(releases, targets.report)


def _made(
    settled: Sequence[SettledRelease],
    targets: Targets,
    payment: Payment,
    grants: Sequence[Grant],
    show: Show | None,
) -> Iterator[PublishedRelease]:
    for done, (one, grant) in enumerate(zip(settled, grants, strict=True)):
        if show is not None:
            show(done, len(settled), one.name)
        question, asked = one.asked.question, one.asked.table
        again = _CHARGED_AGAIN if grant.charge.question.is_drawn_once else _AGAIN
        with told_of(one.asked.release, again):
            with question.open() as table:
                receipt = charged_answer(question, one.settled, table, payment, None, grant).receipt
            if asked is not None:
                receipt = asked.named(receipt)
                _write(targets.tables[one.name], table_file(targets.tables[one.name].name, receipt))
            _write(targets.receipts[one.name], receipt.to_json())
        yield PublishedRelease(one.name, receipt, grant.basis, targets.of(one.name))
    if show is not None:
        show(len(settled), len(settled), "")


def _write(target: Path, content: str | bytes) -> None:
    try:
        write_whole(target, content)
    except OSError as error:
        raise BadUse(f"{target.name} could not be written: {error.strerror}") from None
