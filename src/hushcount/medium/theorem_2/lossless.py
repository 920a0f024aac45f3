"""The answer to whether a medium costs anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hushcount.mechanisms.explicit import Explicit
from hushcount.medium.channels.true_medium import AS_OBSERVED
from hushcount.medium.theorem_2.statement import AppliedStatement
from hushcount.medium.words import LEAST_SHOWN
from hushcount.words.paragraphs import labelled, wrapped

__all__ = ["Losslessness", "Verdict"]


class Verdict(Enum):
    """Whether a medium costs anything; the value is the sentence for people."""

    LOSSLESS = "The medium costs nothing: the mechanism given, in front of it, is wrong as rarely as without a medium."
    LOSSY = "The medium costs something: no mechanism in front of it is wrong as rarely as without a medium."
    UNDECIDED = (
        "Whether the medium costs anything could not be proved; what it may cost at most is the gap. For all practical "
        "purposes take it as lossless if that is tiny."
    )


@dataclass(frozen=True, eq=False)
class Losslessness:
    """The result of `is_lossless`; true where the medium is lossless. Printed, it is what `hushcount medium` says.

    Attributes:
        verdict: the answer.
        decided_by: the argument that decided, in words.
        statements: the statements tried, in order. The last one decided, unless `decided_by` names another argument.
        mechanism: for LOSSLESS and UNDECIDED, a mechanism to use in front of the medium, private behind it by proof.
            Its error probability exceeds p_e* by at most `gap`, about 1e-14 for LOSSLESS, since its entries are rounded
            to floats.
        gap: the most that p_e*(T) can be above p_e*, or for LOSSY the least; rounded outward.
        is_observed: whether all this is about observed frequencies (`MeasuredMedium`); of the true medium it then says
            nothing.
    """

    verdict: Verdict
    decided_by: str
    statements: tuple[AppliedStatement, ...] = field(repr=False)
    mechanism: Explicit | None = field(repr=False)
    gap: float
    is_observed: bool = False

    def __bool__(self) -> bool:
        return self.verdict is Verdict.LOSSLESS

    def __str__(self) -> str:
        return "\n".join([*self.lines(), "", self.remark()])

    @property
    def explanation(self) -> str:
        """The verdict for people, and what it is about."""
        return self._said(self.verdict.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer, ready for JSON."""
        return {
            "verdict": self.verdict.name,
            "explanation": self.explanation,
            "is_observed": self.is_observed,
            "decided_by": self.decided_by,
            "statements": [
                {**statement.to_dict(), "explanation": self._said(statement.conclusion.value)}
                for statement in self.statements
            ],
            "gap": self.gap,
        }

    def _said(self, sentence: str) -> str:
        return f"{AS_OBSERVED} {sentence}" if self.is_observed else sentence

    def lines(self) -> list[str]:
        """Return the verdict, and the reason in words and as a comparison, as `hushcount medium` prints them."""
        is_open = self.verdict is Verdict.UNDECIDED
        of = "Theorem 2, " if self.decided_by.startswith("statement") else ""
        said = "undecided" if is_open else f"{self.verdict.name.lower()}, by {of}{self.decided_by}"
        lines = [f"Verdict     {'of the observed frequencies alone: ' if self.is_observed else ''}{said}"]
        if self.statements and self.statements[-1].name == self.decided_by:
            lines.append(labelled("Because", f"{self.statements[-1].reason}; {_comparison(self.statements[-1])}"))
        return lines

    def remark(self) -> str:
        """Return the explanation in lines, with the gap where it matters."""
        is_open = self.verdict is Verdict.UNDECIDED
        return wrapped(self.explanation + (f" Here it is {self.gap:.3g}." if is_open else ""))


def _comparison(statement: AppliedStatement) -> str:
    """Return the comparison with both sides; a threshold of 0 is in the words, and one that is 0 but for rounding
    outward adds nothing."""
    if statement.quantity is None:
        return statement.comparison
    threshold = statement.threshold or 0.0
    against = f" against {threshold:.6g}" if abs(threshold) >= LEAST_SHOWN else ""
    return f"{statement.comparison} ({statement.quantity:.6g}{against})"
