"""One exact draw, beside other packages' single draws."""

import pytest
from peers import diffprivlib_truncated, opendp_scalar
from rows import Peer

import hushcount

N, EPSILON = 100, 0.1


@pytest.mark.parametrize("true", [50, 0, 100])
@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_one_draw(side_by_side, mechanism, true):
    law = getattr(hushcount.mechanisms, mechanism)(N, EPSILON)
    inexact = diffprivlib_truncated(N, EPSILON)
    unbounded, bounded = opendp_scalar(EPSILON), opendp_scalar(EPSILON, (0, N))
    side_by_side(
        f"one draw, {mechanism}, n = {N}, true count {true}",
        lambda: law.draw(true),
        Peer("diffprivlib GeometricTruncated (not exact)", lambda: inexact(true), limit=1),
        Peer("OpenDP make_geometric", lambda: unbounded(true), rounds=9),
        Peer("OpenDP make_geometric with bounds", lambda: bounded(true), rounds=9),
        rounds=31,
        calls=1000,
    )


@pytest.mark.parametrize(("n", "true"), [(N, 50), (N, 0), (N, N), (10**12, 10**12 // 2)])
def test_one_gaussian_draw(side_by_side, n, true):
    law, other = hushcount.nearest(n, mu="0.1"), hushcount.nearest(n, EPSILON)
    side_by_side(
        f"one draw, nearest, n = {n:,}, mu = 0.1, true count {true:,}",
        lambda: law.draw(true),
        Peer(f"nearest, epsilon = {EPSILON}", lambda: other.draw(true), limit=2),
        rounds=31,
        calls=1000,
    )
