"""`hushcount medium`: what a fixed medium after the mechanism costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hushcount._version import __version__
from hushcount.cli.medium_options import (
    Bits,
    Fading,
    File,
    Labels,
    Multiple,
    NonCoherent,
    Normalise,
    Order,
    To,
    given_options,
)
from hushcount.cli.options import Delta, Epsilon, Json
from hushcount.errors import BadUse, InvalidParameter
from hushcount.exact import exact_text

if TYPE_CHECKING:
    from hushcount.medium import Medium, MediumOptimum
    from hushcount.tradeoff import EpsilonDelta

__all__ = ["maker", "medium"]

_OF_FILES = {"file": ("file", "normalise"), "counts": ("file", "confidence")}
"""The options of the media that are in files; the others take what their functions do (`takes`)."""

_SAVED_NAME = "for use in front of a medium only"
"""What a release that is refused names: it audits the matrix alone."""

_NEEDED = ("order", "bits", "p", "multiple", "file")
_MODULATIONS = ("psk", "pam", "qam", "fsk")
_SPELLED = {"es_n0_db": "--snr-db", "file": "FILE"}


def medium(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="psk, pam, qam, fsk: a modulation over additive white Gaussian noise. binary-symmetric, "
            "binary-erasure, z-channel: so many uses of a binary channel. symmetric: all errors equally likely. "
            "rounding: to multiples. file: a matrix of your own. counts: a table of trials.",
        ),
    ],
    epsilon: Epsilon,
    file: File = None,
    delta: Delta = "0",
    order: Order = None,
    es_n0_db: Annotated[
        str | None, typer.Option("--snr-db", metavar="DB", help="Es/N0 of a modulation in dB; inf for no noise.")
    ] = None,
    eb_n0_db: Annotated[
        str | None, typer.Option("--eb-n0-db", metavar="DB", help="Eb/N0 in dB, instead of --snr-db.")
    ] = None,
    fading: Fading = None,
    labels: Labels = None,
    non_coherent: NonCoherent = False,
    bits: Bits = None,
    p: Annotated[
        str | None,
        typer.Option(
            "--p",
            metavar="NUMBER",
            help="The chance of an error: of a bit (binary-symmetric: flipped; binary-erasure: erased and guessed; "
            "z-channel: of a 1 read as 0), or of a symbol (symmetric).",
        ),
    ] = None,
    multiple: Multiple = None,
    to: To = None,
    normalise: Normalise = False,
    confidence: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="counts: with which the bounds of all entries hold; 0.999 by default."),
    ] = None,
    required_snr: Annotated[
        bool,
        typer.Option(
            "--required-snr",
            help="Find an Es/N0 at which a modulation costs nothing, next to one at which it costs something; without "
            "--snr-db.",
        ),
    ] = False,
    least_absolute_error: Annotated[
        bool,
        typer.Option(
            "--least-absolute-error", help="Of the mechanisms that are wrong as rarely, take the least |error|."
        ),
    ] = False,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save the mechanism to use in front of the medium: .csv or .json."),
    ] = None,
    as_json: Json = False,
) -> str:
    """Tell what a fixed medium after the mechanism costs, without data.

    A count passes a mechanism and then a medium that cannot be chosen, such as a modulation over a noisy channel; what
    arrives must be private. Prints whether the medium costs anything, and by which argument; bounds; and the least
    worst-case chance that what arrives is wrong, proved from both sides, with a mechanism that reaches it.

    Example: hushcount medium psk --order 8 --snr-db 10 --epsilon 2
    """
    from hushcount.privacy.mechanism_files import form_of
    from hushcount.whole_files import checked_target

    given = given_options(
        file=file,
        order=order,
        es_n0_db=es_n0_db,
        eb_n0_db=eb_n0_db,
        fading=fading,
        labels=labels,
        non_coherent=non_coherent,
        bits=bits,
        p=p,
        multiple=multiple,
        to=to,
        normalise=normalise,
        confidence=confidence,
    )
    make = maker(kind, given)
    if save is not None:
        form_of(save)
        checked_target(save, "save")
    if required_snr:
        if kind not in _MODULATIONS or es_n0_db is not None or eb_n0_db is not None:
            raise BadUse("--required-snr is for psk, pam, qam and fsk, without --snr-db and --eb-n0-db")
        if save is not None or least_absolute_error:
            raise BadUse("--required-snr tells an SNR and no mechanism: leave out --save and --least-absolute-error")
        return _threshold(make, epsilon, delta, as_json)
    if kind in _MODULATIONS and es_n0_db is None and eb_n0_db is None:
        raise BadUse(f"{kind} needs one of --snr-db and --eb-n0-db, or --required-snr")
    if es_n0_db is not None and eb_n0_db is not None:
        raise BadUse("give only one of --snr-db and --eb-n0-db")
    return _answer(make(), epsilon, delta, least_absolute_error, save, as_json)


def maker(kind: str, given: dict[str, Any]) -> Callable[..., Medium]:
    """The function that makes the medium, with what was given for it.

    Raises:
        InvalidParameter, BadUse: no such kind, an option that it does not take, or one that it needs.
    """
    from hushcount.medium import read_counts, read_medium
    from hushcount.medium.by_name import MEDIA, takes

    if kind not in MEDIA and kind not in _OF_FILES:
        raise InvalidParameter("kind", kind, f"one of {', '.join([*MEDIA, *_OF_FILES])}")
    taken = _OF_FILES.get(kind) or tuple("non_coherent" if name == "coherent" else name for name in takes(kind))
    for name in given:
        if name not in taken:
            raise BadUse(f"{_spelled(name)} is not for {kind}, which takes {', '.join(map(_spelled, taken))}")
    for name in taken:
        if name in _NEEDED and name not in given:
            raise BadUse(f"{kind} needs {_spelled(name)}")
    if kind == "file":
        return partial(read_medium, given["file"], normalise="normalise" in given)
    if kind == "counts":
        return partial(read_counts, given["file"], confidence=given.get("confidence", "0.999"), all_rows=True)
    options = {("coherent" if name == "non_coherent" else name): value for name, value in given.items()}
    if "coherent" in options:
        options["coherent"] = False
    for name in ("es_n0_db", "eb_n0_db"):
        if str(options.get(name)).lower() in ("inf", "infinity"):
            options[name] = float("inf")
    return partial(MEDIA[kind], **options)


def _spelled(name: str) -> str:
    return _SPELLED.get(name, "--" + name.replace("_", "-"))


def _answer(made: Medium, epsilon: str, delta: str, least_absolute_error: bool, save: str | None, as_json: bool) -> str:
    from hushcount.cli.medium_text import medium_lines
    from hushcount.medium.bounds import BoundSet
    from hushcount.medium.lossless import losslessness
    from hushcount.medium.optimum import closest, optimum_behind
    from hushcount.tradeoff import EpsilonDelta

    privacy = EpsilonDelta.of(epsilon, delta)
    if save is not None:
        _check_claimable(made, privacy)
    bounds = BoundSet(made, privacy)
    best = optimum_behind(made, privacy, bounds)  # once: it may take a minute, and the verdict rests on it too
    verdict, known = losslessness(made, privacy, best), bounds.all()
    if least_absolute_error:
        best = closest(made, best)
    true = best.true_medium
    if save is not None:
        _save(best, save)
    if as_json:
        answer = {
            "promise": {
                "of": "the medium" if true is None else "the true medium",
                "epsilon": exact_text(privacy.epsilon),
                "delta": _claimed_delta(best),
                "confidence": None if true is None else exact_text(true.confidence),
            },
            "medium": {
                "description": made.description,
                "order": made.order,
                "error_probability": made.error_probability,
            },
            "true_medium": None if true is None else true.to_dict(),
            "lossless": verdict.to_dict(),
            "bounds": [bound.to_dict() for bound in known],
            "optimum": best.to_dict(),
            "saved_to": save,
            "hushcount_version": __version__,
        }
        return json.dumps(answer, indent=2, allow_nan=False) + "\n"
    return "\n".join([*medium_lines(verdict, known, best, save), ""])


def _check_claimable(made: Medium, privacy: EpsilonDelta) -> None:
    """Whether there will be a promise to save a mechanism with, before the work."""
    from hushcount.medium import MeasuredMedium
    from hushcount.medium.true_medium import TrueMedium

    if isinstance(made, MeasuredMedium) and not TrueMedium.of(made, privacy, error_probability=0.0).is_private:
        raise BadUse(
            "so few trials promise nothing behind the true medium at this epsilon, so --save has nothing to claim: "
            "measure more, or ask for a smaller epsilon"
        )


def _claimed_delta(best: MediumOptimum) -> str | None:
    """The delta that is promised of what arrives: behind the true medium, if the medium was measured; None if none."""
    true = best.true_medium
    if true is None:
        return exact_text(best.privacy.delta)
    return true.claim if true.is_private else None


def _save(best: MediumOptimum, path: str) -> None:
    from hushcount.privacy import save_mechanism

    true = best.true_medium
    of = "the medium" if true is None else f"the true medium, {true.certainty}"
    notes = {
        "claim": f"epsilon and delta are of what arrives behind {of}; this matrix alone need not be private",
        "in_front_of": best.medium.description,
        "received_error_probability": repr(best.upper if true is None else true.error_probability),
    }
    epsilon, delta = best.privacy.epsilon, _claimed_delta(best)
    save_mechanism(best.mechanism, path, epsilon=epsilon, delta=delta, name=_SAVED_NAME, notes=notes)


def _threshold(make: Callable[..., Medium], epsilon: str, delta: str, as_json: bool) -> str:
    from hushcount.cli.medium_text import threshold_lines
    from hushcount.medium import required_snr

    found = required_snr(make, epsilon, delta)
    if as_json:
        answer = {**found.to_dict(), "unit": "dB, Es/N0", "hushcount_version": __version__}
        return json.dumps(answer, indent=2, allow_nan=False) + "\n"
    return "\n".join([*threshold_lines(found), ""])
