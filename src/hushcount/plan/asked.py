"""The questions of a plan: judged from its file alone, then settled with each source opened once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hushcount.counting.cells.keys import Keys, column_list
from hushcount.counting.declared.place import place_of
from hushcount.counting.judging import needed_columns
from hushcount.counting.sources.kept import KeptSource
from hushcount.errors import BadData, HushcountError, InvalidParameter
from hushcount.inputs.arguments import nearest_name
from hushcount.mechanisms.names import is_file_name
from hushcount.plan.document import Document, Release, SourceTable
from hushcount.release.aim import asked as promise_asked
from hushcount.release.count.question import CountQuestion
from hushcount.release.payment import Payment
from hushcount.release.question import QuestionBase, Settled
from hushcount.release.subject import Subject
from hushcount.release.table.cells import DeclaredCells
from hushcount.release.table.question import TableQuestion
from hushcount.saved.files import read_mechanism

__all__ = ["Asked", "SettledRelease", "asked_of", "settled_together", "told_of"]


@dataclass(frozen=True)
class Asked:
    """A release of a plan, judged.

    Attributes:
        release: what the file says of it.
        question: what it asks.
        files: the files of keys, totals or a mechanism that it reads.
    """

    release: Release
    question: QuestionBase[Any]
    files: tuple[str, ...]

    @property
    def keys(self) -> Keys | None:
        """The keys of a table; None for one count."""
        return None if self.question.cells is None else self.question.cells.keys


@dataclass(frozen=True)
class SettledRelease:
    """A release of a plan of which only the counts are missing.

    Attributes:
        asked: what was judged.
        settled: the question as it is settled.
    """

    asked: Asked
    settled: Settled[Any]

    @property
    def name(self) -> str:
        """The name that the plan gives it."""
        return self.asked.release.name


@contextmanager
def told_of(release: Release, more: str = "") -> Iterator[None]:
    """Say in an error which release it is about."""
    try:
        yield
    except HushcountError as error:
        error.args = (f"release {release.name!r}: {error}{more}",)
        raise


def asked_of(document: Document, folder: Path, payment: Payment) -> tuple[Asked, ...]:
    """Judge every release of a plan; no source is opened.

    Args:
        folder: the folder of the plan, from which its paths start.
        payment: the budget that all are charged to.

    Raises:
        BadUse, BadData: as for `release_count` and `release_table` before they open a source; or two releases have one
            name, a source is not named, or the budget has another adjacency.
    """
    adjacency = payment.ledger.terms(payment.budget).adjacency.value
    subjects = {name: _subject(name, table, folder, payment) for name, table in document.sources.items()}
    found: dict[str, Asked] = {}
    for release in document.release:
        with told_of(release):
            if release.name.casefold() in found:
                raise InvalidParameter("name", release.name, "another one than those before it, also in lower case")
            subject = _chosen(release.source, subjects, payment)
            found[release.name.casefold()] = _asked(release, document, subject, folder, adjacency)
    return tuple(found.values())


@contextmanager
def settled_together(asked: Iterable[Asked]) -> Iterator[tuple[SettledRelease, ...]]:
    """Open each source once, and settle all questions. While this lasts, the sources stay open.

    Raises:
        BadUse, BadData: a source cannot be opened, is not as it is declared or listed, or does not fit a question.
    """
    groups: dict[Any, list[Asked]] = {}
    for one in asked:
        subject = one.question.subject
        groups.setdefault((subject.place, subject.options, subject.unit), []).append(one)
    with ExitStack() as opened:
        kept = {key: opened.enter_context(KeptSource(_columns(group))) for key, group in groups.items()}
        everything: dict[Any, int] = {}
        settled = []
        for one in asked:
            subject = one.question.subject
            key = (subject.place, subject.options, subject.unit)
            question = replace(one.question, subject=replace(subject, kept=kept[key]))
            with told_of(one.release), question.open() as table:
                if key not in everything:
                    everything[key] = question.everything(table)
                settled.append(SettledRelease(replace(one, question=question), question.settled(everything[key])))
        yield tuple(settled)


def _columns(group: Iterable[Asked]) -> Iterator[str]:
    for one in group:
        yield from needed_columns(one.question.predicate, one.question.subject.unit, one.question.cells)


def _subject(name: str, table: SourceTable, folder: Path, payment: Payment) -> Subject:
    try:
        return Subject.of(_place(table.source, folder), table.options, table.unit, table.without_unit, payment)
    except HushcountError as error:
        error.args = (f"source {name!r}: {error}",)
        raise


def _place(text: str, folder: Path) -> str:
    """Return a source as the plan means it: a file is relative to the plan."""
    return str(folder / text) if place_of(text).kind == "file" else text


def _chosen(name: str | None, subjects: Mapping[str, Subject], payment: Payment) -> Subject:
    if not subjects:
        return Subject.of(name, payment=payment)
    if name is None:
        if len(subjects) > 1:
            raise InvalidParameter("source", None, f"given: one of {', '.join(subjects)}")
        return next(iter(subjects.values()))
    if name not in subjects:
        rule = f"one of the plan's sources: {', '.join(subjects)}"
        raise InvalidParameter("source", name, rule, nearest_name(name, subjects))
    return subjects[name]


def _asked(release: Release, document: Document, subject: Subject, folder: Path, adjacency: str) -> Asked:
    given = release.given() or document.defaults.given()
    promise = promise_asked(**{"delta": 0, "currency": "epsilon", **given})
    named = release.mechanism or document.defaults.mechanism or "nearest"
    mechanism: Any = named
    files: list[str] = []
    if is_file_name(named):
        files.append(str(folder / named))
        subject.check_declared("mechanism", files[-1])
        mechanism = read_mechanism(files[-1])
    common = {"adjacency": adjacency, "max_count": release.max, "mechanism": mechanism}
    if release.by is None:
        _check_count(release)
        return Asked(release, CountQuestion.of(subject, release.where, promise, **common), tuple(files))
    keys: Any = release.keys
    if isinstance(keys, str):
        keys = str(folder / keys)
        files.append(keys)
    totals = None if release.totals is None else str(folder / release.totals)
    files += [] if totals is None else [totals]
    declared = DeclaredCells.of(
        subject,
        column_list(release.by),
        keys,
        totals=totals,
        undeclared=release.undeclared or "other",
        max_cells=release.max_cells,
    )
    question = TableQuestion.of(subject, declared, release.where, promise, **common)
    return Asked(release, question, tuple(os.path.realpath(file) for file in files))


def _check_count(release: Release) -> None:
    for name in ("keys", "totals", "undeclared", "max_cells"):
        if getattr(release, name) is not None:
            raise BadData(f"{name} is for a table, which has `by`")
