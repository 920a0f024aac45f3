"""Reading a released count: what it says about the true one, from the receipt alone.

No data is read and no budget is spent, here or in what this calls: everything is a function of a public receipt.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hushcount.mechanisms import Mechanism
from hushcount.numbers.exact import Number, exact_text
from hushcount.numbers.text import typed
from hushcount.promise.given import with_null
from hushcount.reading.confidence import Ranges, checked_level, confidence_set, likeliest
from hushcount.reading.inverse import NoInverse
from hushcount.reading.law import law_of
from hushcount.reading.posterior import Posterior, Prior, posterior
from hushcount.reading.text import (
    FREE,
    capped,
    inner,
    mechanism_row,
    near,
    range_row,
    ranges_text,
    reason,
    unbiased,
    up,
)
from hushcount.reading.unbiased import Estimate, estimator, released_errors
from hushcount.release.receipt import Receipt
from hushcount.release.text import implied, privacy_rows, row_rows
from hushcount.words.paragraphs import dashed, row

__all__ = ["Interpretation", "interpret"]


@dataclass(frozen=True, eq=False)
class Interpretation:
    """What a released count says about the true one (under add-remove: the true count or the cap, whichever is less).

    Attributes:
        receipt: the receipt that was read.
        mechanism: what drew the released count.
        level: the level of the confidence set.
        confidence_set: inclusive ranges of true counts. Whatever the true count is, releases of it lead to a set that
            contains it with probability at least `level`, decided rigorously; see `hushcount.reading.confidence` for
            the construction. For `canonical` it may go through the maximum and 0, as two ranges.
        most_likely: the true counts under which the released count has the largest probability.
        unbiased: the estimate that is right on average, with an upper bound on its standard error; or why there is
            none.
        released_error: the root mean squared error of the released count as an estimate, worst case.
        posterior: the posterior, if there is a prior; else None.
    """

    receipt: Receipt
    mechanism: Mechanism
    level: Fraction
    confidence_set: Ranges
    most_likely: Ranges
    unbiased: Estimate | NoInverse
    released_error: float
    posterior: Posterior | None

    @property
    def is_capped(self) -> bool:
        """Whether a true count above the maximum was treated as it."""
        return self.receipt.adjacency == "add-remove"

    def likelihood(self, true: int) -> float:
        """Return the chance that `true` would have been released as the count was, right to 1e-12.

        Raises:
            InvalidParameter: `true` is outside 0..n.
        """
        return float(self.mechanism.pmf(true, self.receipt.released))

    def to_dict(self, at_delta: Number | None = None) -> dict[str, Any]:
        """Return the interpretation as JSON has it; `at_delta` as in `to_text`."""
        receipt, found = self.receipt, self.posterior
        has_estimate = isinstance(self.unbiased, Estimate)
        return {
            "receipt_id": str(receipt.receipt_id),
            "released": receipt.released,
            "minimum": receipt.minimum,
            "maximum": receipt.maximum,
            **with_null(receipt.promise),
            **implied(receipt.promise, at_delta),
            "adjacency": receipt.adjacency,
            "mechanism": receipt.mechanism,
            "level": exact_text(self.level),
            "confidence_set": [list(span) for span in self.confidence_set],
            "most_likely": [list(span) for span in self.most_likely],
            "unbiased": vars(self.unbiased) if has_estimate else None,
            "no_unbiased": self.unbiased.told(receipt.promise, self.mechanism)
            if isinstance(self.unbiased, NoInverse)
            else None,
            "released_root_mean_squared_error": self.released_error,
            "posterior": None
            if found is None
            else {
                "mean": found.mean,
                "standard_deviation": found.standard_deviation,
                "most_likely": found.most_likely,
                "credible_set": [list(span) for span in found.credible_set(self.level)],
                "is_whole": found.is_whole,
                "counts": list(found.counts),
                "probabilities": found.probabilities.tolist(),
            },
            "maximum_means_or_more": self.is_capped,
        }

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, at_delta: Number | None = None) -> str:
        """Return the text of the interpretation, without a newline at the end; `at_delta` as in `Receipt.to_text`."""
        return _text(self, at_delta)


def interpret(
    receipt: Receipt, *, level: Number = "0.95", prior: Prior | None = None, mechanism: Mechanism | None = None
) -> Interpretation:
    """Read a released count; this costs no budget, needs no data, and depends on the receipt alone.

    The confidence set takes O(log n) for `nearest` and `canonical`, at any n.

    Args:
        receipt: the receipt of a release; `Receipt.from_json` reads one.
        level: the level of the confidence set (and of the posterior's credible set), > 0 and < 1, kept exactly.
        prior: what was believed about the true count before: "uniform"; n + 1 weights; a mapping from some counts to
            their weights; or a function from a count to its weight. See `hushcount.reading.posterior.posterior`.
        mechanism: for a receipt of an audited mechanism, that mechanism (`read_mechanism`); its SHA-256 is checked.

    Raises:
        InvalidParameter: an argument breaks its rule, or the mechanism is missing or not the one of the receipt.
        BadData: the receipt was changed since the release.
        BadUse: a mechanism that is not needed; a prior that rules out what was released.
        TooLarge: an audited closed form with more than 4,096 outcomes; a prior on more than 32,768 counts.
    """
    wanted = checked_level(level)
    law = law_of(receipt, mechanism)
    found = estimator(law)
    estimate = (
        found if isinstance(found, NoInverse) else Estimate(float(found.values[receipt.released]), found.standard_error)
    )
    return Interpretation(
        receipt=receipt,
        mechanism=law,
        level=wanted,
        confidence_set=confidence_set(law, receipt.released, wanted),
        most_likely=likeliest(law, receipt.released),
        unbiased=estimate,
        released_error=released_errors(law)[1],
        posterior=None if prior is None else posterior(law, receipt.released, prior),
    )


def _text(found: Interpretation, at_delta: Number | None) -> str:
    """Return the receipt's head, what it says about the true count, and what that means, without a newline at the
    end."""
    receipt, level = found.receipt, f"{typed(100 * found.level)}%"
    more = found.is_capped
    said = [
        inner(f"{level} confidence set", ranges_text(found.confidence_set, receipt.maximum if more else None)),
        inner("most likely", ranges_text(found.most_likely, receipt.maximum if more else None)),
        unbiased("unbiased estimate", found.unbiased),
        inner("the release itself", f"root mean squared error at most {up(found.released_error)}"),
        *([] if found.posterior is None else _posterior_rows(found.posterior, found.level, level)),
    ]
    notes = [
        f"Whatever the true count is, its releases lead to a confidence set that contains it with a chance of at least "
        f"{level}. That is about the noise of the release, and about nothing else.",
        *capped(receipt),
        *receipt.guarantee.limited,
        *reason(found.unbiased, receipt.promise, found.mechanism),
        *receipt.promise.given_away(1, "release"),
        FREE.format(s=""),
    ]
    return "\n".join(
        [
            f"Released count: {receipt.released}",
            "",
            row("Question", receipt.question),
            range_row(receipt),
            *privacy_rows(receipt.promise, receipt.adjacency, at_delta),
            *row_rows(receipt.guarantee),
            mechanism_row(receipt),
            "",
            "What it says of the true count",
            *said,
            "",
            *map(dashed, notes),
        ]
    )


def _posterior_rows(found: Posterior, level: Fraction, label: str) -> list[str]:
    deviation = found.standard_deviation
    spread = f"mean {near(found.mean, deviation)}, standard deviation {near(deviation, deviation)}"
    return [
        inner("with the prior", spread),
        inner(f"{label} credible set", ranges_text(found.credible_set(level))),
    ]
