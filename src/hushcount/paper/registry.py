"""All statements, in the order of the paper."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from hushcount.errors import InvalidParameter
from hushcount.paper.statement import Statement
from hushcount.paper.statements import (
    corollary_1_1,
    corollary_2_1,
    decompositions,
    families,
    lemma_1,
    lemma_2,
    lower_bounds,
    optimal_set,
    section_3,
    section_6,
    theorem_1,
    theorem_2,
    theorem_2_proof,
    uniqueness,
    upper_bounds,
)

__all__ = ["paper_statements", "selected"]

_STATEMENTS = (
    *section_3.STATEMENTS,
    *lemma_1.STATEMENTS,
    *theorem_1.STATEMENTS,
    *uniqueness.STATEMENTS,
    *optimal_set.EQUATIONS_12_AND_13,
    optimal_set.FIGURE_1,
    *theorem_1.STATEMENT_4,
    *optimal_set.ACTIVE_CONSTRAINTS,
    *families.STATEMENTS,
    *corollary_1_1.STATEMENTS,
    *lemma_2.STATEMENTS,
    lower_bounds.EQUATION_24,
    *theorem_2.STATEMENTS,
    *theorem_2_proof.STATEMENTS,
    *corollary_2_1.STATEMENTS,
    *lower_bounds.STATEMENTS,
    *upper_bounds.STATEMENTS,
    *decompositions.STATEMENTS,
    *section_6.STATEMENTS,
)


def paper_statements() -> tuple[Statement, ...]:
    """Return every statement of [RV26] that is checked, in the paper's order (appendices beside what they prove)."""
    return _STATEMENTS


def selected(names: Iterable[str]) -> tuple[Statement, ...]:
    """Return the statements whose names begin with one of those given, in the paper's order; case does not matter.
    With no names, return all.

    Raises:
        InvalidParameter: a name that no statement begins with.
    """
    wanted = list(names)
    for name in wanted:
        if not isinstance(name, str):
            raise InvalidParameter("only", name, "names of statements, as text")
        if not any(_begins(statement.name, name) for statement in _STATEMENTS):
            near = difflib.get_close_matches(name, [statement.name for statement in _STATEMENTS], n=1, cutoff=0.0)
            raise InvalidParameter("only", name, f"how the name of a statement begins, such as {near[0]!r}")
    return tuple(
        statement for statement in _STATEMENTS if not wanted or any(_begins(statement.name, name) for name in wanted)
    )


def _begins(whole: str, name: str) -> bool:
    """Return whether `whole` begins with `name` at a word boundary: "Fig. 1" is not the beginning of "Fig. 10"."""
    folded, start = whole.casefold(), name.strip().casefold()
    return bool(start) and folded.startswith(start) and not (folded[len(start) :][:1].isalnum() and start[-1].isalnum())
