"""`hushcount medium`: what a fixed medium after the mechanism costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.medium import MODULATIONS, Kind, Noise, OneMedium, maker
from hushcount.cli.options.output import Json
from hushcount.cli.options.privacy import Promise
from hushcount.cli.options.values import whole
from hushcount.errors import BadUse

if TYPE_CHECKING:
    from hushcount.medium import Medium, MediumOptimum, SearchedLabels
    from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["medium"]

_SAVED_NAME = "for use in front of a medium only"
"""The name that a refused release shows; a release audits the matrix alone."""


def medium(
    kind: Kind,
    medium: OneMedium,
    noise: Noise,
    promise: Promise,
    required_snr: Annotated[
        bool,
        QUESTION.option(
            "--required-snr",
            help="Find an Es/N0 at which a modulation costs nothing, next to one at which it costs something. Leave "
            "out --snr-db.",
        ),
    ] = False,
    least_absolute_error: Annotated[
        bool,
        QUESTION.option(
            "--least-absolute-error",
            help="Among the mechanisms with the least error probability, take one with the least expected |error|.",
        ),
    ] = False,
    swaps: Annotated[
        str | None,
        QUESTION.option(
            metavar="COUNT", help="For --labels search: how many swaps of two labels are tried at most; 200 by default."
        ),
    ] = None,
    output: Annotated[
        str | None,
        OUTPUT.option(
            metavar="FILE", help="Save the mechanism to use in front of the medium to this .csv or .json file."
        ),
    ] = None,
    as_json: Json = False,
) -> str:
    """Find what a fixed medium after the mechanism costs.

    Takes no data. A count passes a mechanism and then a medium that cannot be chosen, such as a modulation over a noisy
    channel; what arrives must be private. Prints whether the medium costs anything, and by which argument; bounds; and
    the least worst-case error probability of what arrives, bounded from both sides, with a mechanism that attains it.

    Example: hushcount medium psk --order 8 --snr-db 10 --epsilon 2
    """
    from hushcount.files.whole_files import checked_target
    from hushcount.saved.files import form_of

    given = medium.given(**vars(noise))
    is_searched = given.get("labels") == "search"
    if is_searched:
        del given["labels"]
    elif swaps is not None:
        raise BadUse("--swaps is for --labels search")
    most = None if swaps is None else whole(swaps, "swaps")
    make = maker(kind, given)
    if output is not None:
        form_of(output)
        checked_target(output, "output")
    if required_snr:
        if kind not in MODULATIONS or noise.es_n0_db is not None or noise.eb_n0_db is not None:
            raise BadUse("--required-snr is for psk, pam, qam and fsk, without --snr-db and --eb-n0-db")
        if is_searched:
            raise BadUse("--labels search is for one SNR: leave out --required-snr")
        if output is not None or least_absolute_error:
            raise BadUse("--required-snr tells an SNR and no mechanism: leave out --output and --least-absolute-error")
        return _threshold(make, promise.epsilon, promise.delta, as_json)
    if kind in MODULATIONS and noise.es_n0_db is None and noise.eb_n0_db is None:
        raise BadUse(f"{kind} needs one of --snr-db and --eb-n0-db, or --required-snr")
    if noise.es_n0_db is not None and noise.eb_n0_db is not None:
        raise BadUse("give only one of --snr-db and --eb-n0-db")
    made, found = make(), None
    if is_searched:
        found = _searched(made, kind, promise.epsilon, promise.delta, most)
        made = found.medium
    return _answer(made, found, promise.epsilon, promise.delta, least_absolute_error, output, as_json)


def _searched(made: Medium, kind: str, epsilon: str, delta: str, swaps: int | None) -> SearchedLabels:
    """Search for labels, from the snake if it is QAM, and else from the medium as it is."""
    from hushcount.medium import searched_labels, snake_labels
    from hushcount.medium.label_search import SWAPS

    labels = snake_labels(made.order) if kind == "qam" else None
    return searched_labels(made, epsilon, delta, swaps=SWAPS if swaps is None else swaps, labels=labels)


def _answer(
    made: Medium,
    searched: SearchedLabels | None,
    epsilon: str,
    delta: str,
    least_absolute_error: bool,
    save: str | None,
    as_json: bool,
) -> str:
    from hushcount.cli.words.medium import medium_lines
    from hushcount.medium.behind import Behind
    from hushcount.numbers.exact import exact_text

    behind = Behind.of(made, epsilon, delta)
    if save is not None:
        _check_claimable(made, behind.privacy)
    best = behind.closest if least_absolute_error else behind.optimum
    true = best.true_medium
    if save is not None:
        _save(best, searched, save)
    if as_json:
        answer = {
            "promise": {
                "of": "the medium" if true is None else "the true medium",
                "epsilon": exact_text(behind.privacy.epsilon),
                "delta": _claimed_delta(best),
                "confidence": None if true is None else exact_text(true.confidence),
            },
            "medium": {
                "description": made.description,
                "order": made.order,
                "error_probability": made.error_probability,
                "searched_labels": None if searched is None else searched.to_dict(),
            },
            "true_medium": None if true is None else true.to_dict(),
            "lossless": behind.losslessness.to_dict(),
            "bounds": [bound.to_dict() for bound in behind.bounds],
            "optimum": best.to_dict(),
            "saved_to": save,
        }
        return json_text(answer)
    return "\n".join([*medium_lines(behind, best, searched, save), ""])


def _check_claimable(made: Medium, privacy: EpsilonDelta) -> None:
    """Check, before the work, that there will be a promise with which to save a mechanism."""
    from hushcount.medium import MeasuredMedium
    from hushcount.medium.channels.true_medium import TrueMedium

    if isinstance(made, MeasuredMedium) and not TrueMedium.of(made, privacy, error_probability=0.0).is_private:
        raise BadUse(
            "so few trials promise nothing behind the true medium at this epsilon, so --output has nothing to claim: "
            "measure more, or ask for a smaller epsilon"
        )


def _claimed_delta(best: MediumOptimum) -> str | None:
    """Return the delta promised of what arrives (behind the true medium, if it was measured); None if there is none."""
    from hushcount.numbers.exact import exact_text

    true = best.true_medium
    if true is None:
        return exact_text(best.privacy.delta)
    return true.claim if true.is_private else None


def _save(best: MediumOptimum, searched: SearchedLabels | None, path: str) -> None:
    from hushcount.saved.files import save_mechanism

    true = best.true_medium
    of = "the medium" if true is None else f"the true medium, {true.certainty}"
    notes = {
        "claim": f"epsilon and delta are of what arrives behind {of}; this matrix alone need not be private",
        "in_front_of": best.medium.description,
        "received_error_probability": repr(best.upper if true is None else true.error_probability),
    }
    if searched is not None:
        notes["labels"] = " ".join(map(str, searched.labels))
    epsilon, delta = best.privacy.epsilon, _claimed_delta(best)
    save_mechanism(best.mechanism, path, epsilon=epsilon, delta=delta, name=_SAVED_NAME, notes=notes)


def _threshold(make: Callable[..., Medium], epsilon: str, delta: str, as_json: bool) -> str:
    from hushcount.cli.words.medium import threshold_lines
    from hushcount.medium import required_snr

    found = required_snr(make, epsilon, delta)
    if as_json:
        return json_text({**found.to_dict(), "unit": "dB, Es/N0"})
    return "\n".join([*threshold_lines(found), ""])
