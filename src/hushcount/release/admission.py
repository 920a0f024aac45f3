"""Whether a user's own mechanism may draw a release: an audit decides, before any data is read.

A count moves by at most 1 when one row changes, under either adjacency, so the audit is between true counts at distance
1. (A count above the declared maximum is treated as the maximum before the draw, which moves no two counts further
apart.) The promise of the release is judged; what the mechanism claims of itself does not matter,
but what a chain proves does: it is how large ones are audited.
"""

from __future__ import annotations

from hushcount.errors import InvalidParameter
from hushcount.mechanisms import Mechanism
from hushcount.numbers.text import plain_upper, rounded_up
from hushcount.privacy import Audit, AuditVerdict, MuAudit, audit
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.several import SeveralPairs
from hushcount.release.findings import Findings
from hushcount.saved.chains import sha256_of

__all__ = ["admitted"]


def admitted(mechanism: Mechanism, promise: Curve) -> Findings:
    """Return what an audit found of a mechanism that keeps the promise between true counts at distance 1, decided
    rigorously.

    Raises:
        InvalidParameter: the mechanism does not keep it, or that could not be decided; the message says what it needs.
            Or epsilon is above 10**9.
        BadUse: at mu, a mechanism in closed form whose likelihood ratios are not proved to be monotone.
        TooLarge: a mechanism in closed form of which too little is proved to audit it at its size.
    """
    sha256 = sha256_of(mechanism)
    if isinstance(promise, GaussianDP):
        against_mu = audit(mechanism, mu=promise)
        if against_mu.verdict is not AuditVerdict.PRIVATE:
            raise InvalidParameter("mechanism", mechanism.name, _rule_of_mu(against_mu))
        return Findings(mechanism.name, sha256, least_mu=against_mu.least_mu.interval.upper)
    if isinstance(promise, SeveralPairs):
        for pair in promise.pairs:
            admitted(mechanism, pair)
        return Findings(mechanism.name, sha256)
    assert isinstance(promise, EpsilonDelta)
    found = audit(mechanism, epsilon=promise.epsilon, delta=promise.delta)
    assert found.least_delta is not None
    if found.verdict is not AuditVerdict.PRIVATE:
        raise InvalidParameter("mechanism", mechanism.name, _rule(found, promise))
    return Findings(mechanism.name, sha256, found.least_delta.interval.upper)


def _rule_of_mu(found: MuAudit) -> str:
    """Return what is asked of the mechanism, and the mu that would suffice, rounded up."""
    asked = f"private at {found.claim.in_words()}; an audit"
    enough = "" if found.sufficient is None else f"mu {plain_upper(found.sufficient)}"
    if found.verdict is AuditVerdict.UNDECIDED:
        return f"{asked} could not decide that{f', but it surely is at {enough}' if enough else ''}"
    return f"{asked} found {f'that it takes {enough}' if enough else 'it private at no mu'}"


def _rule(found: Audit, promise: EpsilonDelta) -> str:
    """Return what is asked of the mechanism, and what would suffice; rounded up, so that it can be asked for as it
    stands."""
    assert found.least_delta is not None
    epsilon, delta = found.least_epsilon.interval.exact_upper, found.least_delta.interval.exact_upper
    ways = [] if epsilon is None else [f"epsilon {plain_upper(epsilon)} at that delta"]
    if delta is not None and rounded_up(delta) < 1:
        ways.append(f"delta {plain_upper(delta)} at that epsilon")
    asked = f"private at {promise.in_words()}; an audit"
    if not ways:
        return f"{asked} found it private at no epsilon with that delta, and at no delta with that epsilon"
    if found.verdict is AuditVerdict.UNDECIDED:
        return f"{asked} could not decide that, but it surely is at {' or '.join(ways)}"
    return f"{asked} found that it takes {' or '.join(ways)}"
