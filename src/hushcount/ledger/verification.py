"""Whether the history is what was written: the chain of hashes, and the sums that it records.

This finds edits, deletions, insertions and reordering, entries cut off at the end (the head has their number and hash),
and entries in a sound chain that the ledger would never have written. Without a head noted down elsewhere it does not
find an older copy in the place of the whole ledger, nor a history that someone who may write to it made up from some
entry on, hashes and all: there is no secret in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hushcount.ledger.accounting import Accounting, Spent, fits_tightly, left_over
from hushcount.ledger.amounts import Amount
from hushcount.ledger.entry import UNREADABLE, Entry, Kind
from hushcount.ledger.listed import ListedSource
from hushcount.ledger.question import Question
from hushcount.ledger.records import Terms
from hushcount.ledger.tables import NO_HASH

__all__ = ["Verdict", "Verification", "is_chained", "verification"]


class Verdict(Enum):
    """Whether the history is intact; the value is the sentence for people."""

    INTACT = (
        "Every entry is there, in order, as it was written, and the sums are right. Note down the head: with it, a "
        "later check also finds an older copy in the place of this ledger, or a rewritten history."
    )
    CHANGED = (
        "The history is not what was written. Release nothing more under its budgets until you know what happened; a "
        "copy of the ledger from before shows what is missing."
    )
    ANOTHER = (
        "The history is sound in itself, but the noted head is not in it: this is an older copy, another ledger, or a "
        "rewritten history. Release nothing more under its budgets until you know which."
    )


@dataclass(frozen=True)
class Verification:
    """What a check found.

    Attributes:
        entries: how many entries there are.
        head: the hash of the last one.
        faults: what is wrong, in order; empty if nothing is.
        verdict: what follows.
    """

    entries: int
    head: str
    faults: tuple[str, ...]
    verdict: Verdict

    @property
    def is_intact(self) -> bool:
        """Whether nothing wrong was found."""
        return self.verdict is Verdict.INTACT

    def to_dict(self) -> dict[str, Any]:
        """Return the verification, ready for JSON."""
        return {
            "verdict": self.verdict.name,
            "explanation": self.verdict.value,
            "entries": self.entries,
            "head": self.head,
            "faults": list(self.faults),
        }


def verification(
    entries: Iterable[Entry], head: tuple[int, str], damage: Iterable[str] = (), noted: str | None = None
) -> Verification:
    """Judge all entries, in the order of their numbers.

    Args:
        head: number and hash of the last entry, as the ledger has them beside the history.
        damage: what the database found wrong with itself.
        noted: a head noted down earlier.
    """
    faults = [f"the database reports: {line}" for line in damage]
    replay = _Replay()
    count, last, expected = 0, NO_HASH, 1
    hashes = set()
    for entry in entries:
        faults += _chain_faults(entry, expected, last)
        faults += [f"entry {entry.number} ({entry.kind}): {fault}" for fault in replay.faults(entry)]
        count, last, expected = count + 1, entry.hash, entry.number + 1
        hashes.add(entry.hash)
    if head != (expected - 1, last):
        faults.append(f"the head is of entry {head[0]}, but the last entry is {expected - 1}, or of another hash")
    faults += replay.faults_at_the_end()
    if faults:
        verdict = Verdict.CHANGED
    elif noted is not None and noted not in hashes:
        verdict = Verdict.ANOTHER
    else:
        verdict = Verdict.INTACT
    return Verification(count, last, tuple(faults), verdict)


def is_chained(entries: Iterable[Entry], head: tuple[int, str]) -> bool:
    """Return whether the entries, in the order of their numbers, are one chain of hashes that ends at the head."""
    number, last = 0, NO_HASH
    for entry in entries:
        if any(_chain_faults(entry, number + 1, last)):
            return False
        number, last = entry.number, entry.hash
    return head == (number, last)


def _chain_faults(entry: Entry, expected: int, last: str) -> Iterator[str]:
    if entry.number != expected:
        missing = f"{expected}" if entry.number == expected + 1 else f"{expected} to {entry.number - 1}"
        yield f"entry {missing} is missing"
    elif entry.previous != last:
        yield f"entry {entry.number} does not follow the one before it"
    if entry.hash != entry.seal():
        yield f"entry {entry.number} was changed after it was written"


@dataclass
class _Account:
    """A budget as far as its entries have been read."""

    terms: Terms
    left: Amount
    spent: Spent = field(default_factory=Counter)
    questions: dict[str, Question | None] = field(default_factory=dict)
    """Of the charges by request id; None once there is an answer."""
    sources: list[ListedSource] = field(default_factory=list)
    is_closed: bool = False


@dataclass
class _Replay:
    """Does again what the entries say was done."""

    accounts: dict[str, _Account] = field(default_factory=dict)

    def faults(self, entry: Entry) -> list[str]:
        """Return what the ledger would not have written, given the entries before."""
        try:
            fault = self._fault(entry)
        except UNREADABLE:
            fault = "cannot be read"
        return [] if fault is None else [fault]

    def _fault(self, entry: Entry) -> str | None:
        kind, _ = Kind(entry.kind), entry.time
        if kind is Kind.CREATED:
            if entry.budget in self.accounts:
                return "a budget of that name is there already"
            terms = Terms.from_body(entry.budget, entry.price, entry.body)
            self.accounts[entry.budget] = _Account(terms, terms.total)
            return None
        account = self.accounts.get(entry.budget)
        if account is None:
            return "there is no such budget"
        if kind is Kind.CHARGED:
            return self._charge_fault(account, entry)
        if kind is Kind.DELIVERED:
            question = account.questions.get(entry.request)
            if question is None:
                return "no charge waits for this answer"
            account.questions[entry.request] = None
            question.in_equal_room(entry.body)
            return None
        if account.is_closed:
            return "the budget was closed before" if kind is Kind.SOURCE else "it was closed before"
        if kind is Kind.SOURCE:
            source = ListedSource.from_body(entry.body)
            if source.key != entry.request or any(source.is_like(other) for other in account.sources):
                return "the budget lists this source already, or it is listed under another one's key"
            account.sources.append(source)
            return None
        account.is_closed = True
        return None

    def _charge_fault(self, account: _Account, entry: Entry) -> str | None:
        question = Question.from_json(entry.body)
        if account.is_closed:
            return "the budget was closed before"
        if entry.request in account.questions:
            return "its request id was used before"
        if (question.sha256, account.terms.cost_of(question), question.adjacency) != (
            entry.question,
            entry.price,
            account.terms.adjacency,
        ):
            return "its question is not the one that was charged"
        if account.sources and not any(source.is_asked_by(question) for source in account.sources):
            return "it is about a source that the budget does not list, or not as it lists it"
        account.questions[entry.request] = question
        account.spent[entry.price] += 1
        if account.terms.accounting is Accounting.TIGHT:
            return None if len(account.spent) == 1 else "its price is not that of the first charge"
        before, account.left = account.left, entry.left
        left = left_over(before, entry.price)
        if left is None:
            return "the budget does not cover it"
        return None if entry.left == left else "what it says is left is not what is left"

    def faults_at_the_end(self) -> list[str]:
        """Return what only all the charges of a budget show. Under tight accounting, what fits in the end has always
        fitted."""
        return [
            f"the budget {name!r} does not cover its charges"
            for name, account in self.accounts.items()
            if account.terms.accounting is Accounting.TIGHT
            for price, times in account.spent.items()
            if not fits_tightly(account.terms.total, price, times)
        ]
