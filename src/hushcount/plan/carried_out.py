"""Carrying out a plan: all is charged in one transaction, then drawn, stored and written, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hushcount.files.whole_files import checked_target, write_whole
from hushcount.ledger import Basis
from hushcount.plan.asked import Asked, SettledRelease, told_of
from hushcount.plan.billed import billed
from hushcount.plan.document import Document
from hushcount.release.answer import charged_answer
from hushcount.release.inputs import inputs_of
from hushcount.release.payment import Payment
from hushcount.release.receipt import ReceiptBase
from hushcount.release.table.output import check_output, table_file
from hushcount.release.table.receipt import TableReceipt
from hushcount.words.counted import counted
from hushcount.words.printable import printable
from hushcount.words.tables import aligned

__all__ = ["Published", "PublishedRelease", "Show", "Targets", "carried_out", "targets_of"]

Show = Callable[[int, int, str], None]
"""Called with how many releases are made, how many there are, and the name of the next one."""

_AGAIN = "; run the plan again: what was charged is not charged again"


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
    receipt: ReceiptBase
    basis: Basis
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Published(Sequence[PublishedRelease]):
    """All releases of a plan, made; returned by `Plan.run`."""

    releases: tuple[PublishedRelease, ...]

    def __getitem__(self, at: Any) -> Any:
        return self.releases[at]

    def __len__(self) -> int:
        return len(self.releases)

    @property
    def receipts(self) -> Mapping[str, ReceiptBase]:
        """The receipts by name."""
        return {release.name: release.receipt for release in self.releases}

    def __str__(self) -> str:
        new = sum(release.basis is Basis.CHARGED for release in self.releases)
        head = f"{counted(len(self.releases), 'release')}, {new} charged now"
        lines = aligned(list(map(_line, self.releases)))
        return "\n".join([head, "", *(line.rstrip() for line in lines)])


def _line(release: PublishedRelease) -> tuple[str, ...]:
    receipt = release.receipt
    told = counted(len(receipt.released), "count") if isinstance(receipt, TableReceipt) else str(receipt.released)
    return printable(release.name), told, printable(", ".join(file.name for file in release.files))


@dataclass(frozen=True)
class Targets:
    """Where a release is written to.

    Attributes:
        receipt: the file of its receipt.
        table: the file of the counts of a table with their keys; None for one count.
    """

    receipt: Path
    table: Path | None = None
    files: tuple[Path, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", (self.receipt, *([] if self.table is None else [self.table])))


def targets_of(asked: Sequence[Asked], document: Document, folder: Path) -> Mapping[str, Targets]:
    """Return where each release is written to, checked that it can be; the folder is made if it is not there.

    Raises:
        InvalidParameter: a file cannot be written there, or is one that the plan reads.
    """
    outputs = folder / document.outputs
    outputs.mkdir(exist_ok=True)
    ledger = str(folder / document.ledger)
    inputs = [file for one in asked for file in inputs_of(one.question.subject, ledger, *one.files)]
    found = {}
    for one in asked:
        with told_of(one.release):
            stem = str(outputs / one.release.name)
            table = None
            if one.keys is not None:
                check_output(f"{stem}.{one.release.format}", one.keys.by)
                table = checked_target(f"{stem}.{one.release.format}", "outputs", *inputs)
            found[one.release.name] = Targets(checked_target(f"{stem}.json", "outputs", *inputs), table)
    return found


def carried_out(
    settled: tuple[SettledRelease, ...], targets: Mapping[str, Targets], payment: Payment, show: Show | None = None
) -> Published:
    """Charge all releases, then draw and write them in order.

    Raises:
        BudgetExceeded: the budget does not cover them; none was charged.
        BadData: a source does not hold what was declared. What was charged stays so, and is not charged again.
        LedgerUnusable: the ledger cannot be used.
    """
    billed(settled, payment).check_covered()
    grants = payment.ledger.charge_all(payment.budget, [one.settled.charged() for one in settled])
    return Published(tuple(_made(settled, targets, payment, [grant.basis for grant in grants], show)))


def _made(
    settled: Sequence[SettledRelease],
    targets: Mapping[str, Targets],
    payment: Payment,
    bases: Sequence[Basis],
    show: Show | None,
) -> Iterator[PublishedRelease]:
    for done, (one, basis) in enumerate(zip(settled, bases, strict=True)):
        if show is not None:
            show(done, len(settled), one.name)
        question, target = one.asked.question, targets[one.name]
        with told_of(one.asked.release, _AGAIN):
            with question.open() as table:
                receipt = charged_answer(question, one.settled, table, payment).receipt
            if isinstance(receipt, TableReceipt) and one.asked.keys is not None:
                receipt = receipt.naming(one.asked.keys)
            write_whole(target.receipt, receipt.to_json())
            if isinstance(receipt, TableReceipt) and target.table is not None:
                write_whole(target.table, table_file(target.table.name, receipt))
        yield PublishedRelease(one.name, receipt, basis, target.files)
    if show is not None:
        show(len(settled), len(settled), "")
