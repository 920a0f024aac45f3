"""`hushcount medium`: what a fixed medium after the mechanism costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from hushcount.cli.answer import json_text
from hushcount.cli.options.groups import OUTPUT, QUESTION
from hushcount.cli.options.medium import MODULATIONS, Kind, Noise, OneMedium, maker, noise_values, varied
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
            help="Find an Es/N0 where a modulation costs nothing, next to one where it costs something, or a p of "
            "a channel with --p. Leave out --snr-db and --p.",
        ),
    ] = False,
    heard_at: Annotated[
        str | None,
        QUESTION.option(
            "--heard-at",
            metavar="VALUES",
            help="Tell what is left where the same symbol is heard at these other values of --snr-db, --eb-n0-db or "
            "--p, whichever is given: the epsilon kept at the same delta.",
        ),
    ] = None,
    times: Annotated[
        str | None,
        QUESTION.option(
            "--times", metavar="COUNT", help="Tell it also where so many transmissions of the same symbol are heard."
        ),
    ] = None,
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

    This mechanism protects against those who see only the hard decision of one transmission through exactly this
    medium. See --heard-at and --times for others.

    Example: hushcount medium psk --order 8 --snr-db 10 --epsilon 2
    """
    from hushcount.files.whole_files import checked_target
    from hushcount.medium.readings import checked_readings
    from hushcount.saved.files import form_of

    given = medium.given(**vars(noise))
    is_searched = given.get("labels") == "search"
    if is_searched:
        del given["labels"]
    elif swaps is not None:
        raise BadUse("--swaps is for --labels search")
    most = None if swaps is None else whole(swaps, "swaps")
    sought = "p" if required_snr and "p" not in given else None
    make = maker(kind, given, sought=sought)
    if output is not None:
        form_of(output)
        checked_target(output, "output")
    if required_snr:
        if varied(given) or not (kind in MODULATIONS or _has_p(kind)):
            raise BadUse(
                f"--required-snr is for {', '.join(MODULATIONS)}, without --snr-db and --eb-n0-db, and for "
                "channels with --p, without it"
            )
        if is_searched:
            raise BadUse("--labels search is for one SNR: leave out --required-snr")
        if output is not None or least_absolute_error or heard_at is not None or times is not None:
            raise BadUse(
                "--required-snr tells an SNR and no mechanism: leave out --output, --least-absolute-error, "
                "--heard-at and --times"
            )
        find = _required_snr if kind in MODULATIONS else _required_p
        return find(make, promise.epsilon, promise.delta, as_json)
    if kind in MODULATIONS and noise.es_n0_db is None and noise.eb_n0_db is None:
        raise BadUse(f"{kind} needs one of --snr-db and --eb-n0-db, or --required-snr")
    if noise.es_n0_db is not None and noise.eb_n0_db is not None:
        raise BadUse("give only one of --snr-db and --eb-n0-db")
    often, made, found = 1 if times is None else whole(times, "times"), make(), None
    is_heard = heard_at is not None or times is not None
    if is_heard:
        checked_readings(made, often)
    others = [] if heard_at is None else _elsewhere(kind, given, heard_at)
    if is_searched:
        found = _searched(made, kind, promise.epsilon, promise.delta, most)
        made, others = found.medium, [T.relabelled(found.labels) for T in others]
    through = dict.fromkeys([made, *others]) if is_heard else {}
    readings = [(T, k) for T in through for k in dict.fromkeys((1, often))]
    return _answer(made, found, promise.epsilon, promise.delta, least_absolute_error, output, readings, as_json)


def _has_p(kind: str) -> bool:
    from hushcount.medium.channels.by_name import MEDIA, takes

    return kind in MEDIA and "p" in takes(kind)


def _elsewhere(kind: str, given: dict[str, Any], heard_at: str) -> list[Medium]:
    """Return the media through which the same symbol may be heard."""
    levels = varied(given)
    if not levels:
        raise BadUse(f"--heard-at is for media with --snr-db, --eb-n0-db or --p (got {kind})")
    (name,) = levels
    return [maker(kind, {**given, name: value})() for value in noise_values(heard_at, "heard_at")]


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
    readings: list[tuple[Medium, int]],
    as_json: bool,
) -> str:
    from hushcount.cli.words.medium import medium_lines
    from hushcount.medium import DecidedMedium, heard as kept
    from hushcount.medium.behind import Behind
    from hushcount.medium.words import protects
    from hushcount.numbers.exact import exact_text

    behind = Behind.of(made, epsilon, delta)
    if save is not None:
        _check_claimable(made, behind.privacy)
    best = behind.closest if least_absolute_error else behind.optimum
    true, heard = best.true_medium, [kept(best.mechanism, T, behind.privacy.delta, times=k) for T, k in readings]
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
                "decision": made.decision_dict() if isinstance(made, DecidedMedium) else None,
                "searched_labels": None if searched is None else searched.to_dict(),
                "mean_error_probability": made.mean_error_probability,
            },
            "true_medium": None if true is None else true.to_dict(),
            "lossless": behind.losslessness.to_dict(),
            "bounds": [bound.to_dict() for bound in behind.bounds],
            "optimum": best.to_dict(),
            "protects": protects(is_decided=made.is_decided),
            "heard": [found.to_dict() for found in heard] or None,
            "saved_to": save,
        }
        return json_text(answer)
    return "\n".join([*medium_lines(behind, best, searched, heard, save), ""])


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
    from hushcount.medium import DecidedMedium
    from hushcount.medium.words import protects
    from hushcount.saved.files import save_mechanism

    true = best.true_medium
    of = "the medium" if true is None else f"the true medium, {true.certainty}"
    before = ", before it is read as a count" if best.medium.is_decided else ""
    notes = {
        "claim": f"epsilon and delta are of what arrives behind {of}{before}; this matrix alone need not be private",
        "in_front_of": best.medium.description,
        "protects": protects(is_decided=best.medium.is_decided),
        "received_error_probability": repr(best.upper if true is None else true.error_probability),
    }
    if isinstance(best.medium, DecidedMedium):
        notes["decide"] = " ".join(map(str, best.medium.decide.tolist()))
    if searched is not None:
        notes["labels"] = " ".join(map(str, searched.labels))
    epsilon, delta = best.privacy.epsilon, _claimed_delta(best)
    save_mechanism(best.mechanism, path, epsilon=epsilon, delta=delta, name=_SAVED_NAME, notes=notes)


def _required_snr(make: Callable[..., Medium], epsilon: str, delta: str, as_json: bool) -> str:
    from hushcount.cli.words.medium import threshold_lines
    from hushcount.medium import required_snr
    from hushcount.medium.channels.link import per_bit_db

    found, order = required_snr(make, epsilon, delta), make(es_n0_db=0).order
    if as_json:
        ends = {"lossless_at": found.lossless_at, "lossy_at": found.lossy_at}
        per_bit = {name: None if end is None else per_bit_db(float(end), order) for name, end in ends.items()}
        return json_text({**found.to_dict(), "unit": "dB, Es/N0", "eb_n0_db": per_bit})
    return "\n".join([*threshold_lines(found, order), ""])


def _required_p(make: Callable[..., Medium], epsilon: str, delta: str, as_json: bool) -> str:
    from hushcount.cli.words.medium import threshold_of_p_lines
    from hushcount.medium import largest_lossless_p

    found = largest_lossless_p(make, epsilon, delta)
    if as_json:
        return json_text({**found.to_dict(), "unit": "p"})
    return "\n".join([*threshold_of_p_lines(found), ""])
