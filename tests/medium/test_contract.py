"""What every medium keeps, and every modulation."""

import json
import math
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from for_each import for_each

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.medium import (
    Medium,
    apsk,
    binary_erasure,
    binary_symmetric,
    constellation,
    cross_qam,
    from_counts,
    from_matrix,
    fsk,
    pam,
    psk,
    qam,
    rounding,
    symmetric_channel,
    z_channel,
)

pytestmark = pytest.mark.grid

MODULATIONS = {
    "psk-2": lambda **options: psk(2, **options),
    "psk-5": lambda **options: psk(5, **options),
    "psk-8": lambda **options: psk(8, **options),
    "psk-64": lambda **options: psk(64, **options),
    "pam-2": lambda **options: pam(2, **options),
    "pam-7": lambda **options: pam(7, **options),
    "pam-16": lambda **options: pam(16, **options),
    "qam-9": lambda **options: qam(9, **options),
    "qam-64": lambda **options: qam(64, **options),
    "qam-16-snake": lambda **options: qam(16, labels="snake", **options),
    "qam-16-gray": lambda **options: qam(16, labels="gray", **options),
    "fsk-2": lambda **options: fsk(2, **options),
    "fsk-8": lambda **options: fsk(8, **options),
    "fsk-8-non-coherent": lambda **options: fsk(8, coherent=False, **options),
    "fsk-33-non-coherent": lambda **options: fsk(33, coherent=False, **options),
    "apsk-16": lambda **options: apsk(16, **options),
    "cross-qam-32": lambda **options: cross_qam(32, **options),
    "constellation-9": lambda **options: constellation([x + (x**3 - 9 * x) * 0.2j for x in range(-4, 5)], **options),
}
SNRS = (-40, -3.5, "10", Fraction(121, 10), 30, 80)
MEDIA = {
    "binary_symmetric": lambda: binary_symmetric(3, 0.1),
    "binary_symmetric, gray": lambda: binary_symmetric(4, "1e-200", labels="gray"),
    "binary_erasure": lambda: binary_erasure(3, "1/3"),
    "z_channel": lambda: z_channel(3, 0.2),
    "z_channel, gray": lambda: z_channel(3, 0.2, labels="gray"),
    "symmetric_channel": lambda: symmetric_channel(5, 0.3),
    "rounding": lambda: rounding(11, 5),
    "rounding, below": lambda: rounding(11, 5, to="below"),
    "rounding, random": lambda: rounding(11, 3, to="random"),
    "matrix": lambda: from_matrix([[0.5, 0.5], [0.25, 0.75]]),
    "counts": lambda: from_counts([[90, 10], [7, 13]]),
    "outputs": lambda: from_matrix([[0.5, 0.25, 0.25, 0], [0.25, 0, 0.25, 0.5]]),
    "decided": lambda: from_matrix([[0.5, 0.5], [0.25, 0.75]], decide=[1, 0]),
    "erasures": lambda: binary_erasure(2, "1/3", decide="likeliest"),
    "one": lambda: from_matrix([[1]]),
    "composition": lambda: psk(8, es_n0_db=5) @ binary_symmetric(3, 0.1) @ rounding(8, 2),
    "relabelled": lambda: z_channel(2, 0.1).relabelled([3, 1, 0, 2]),
    "restricted": lambda: psk(8, es_n0_db=5).restricted([0, 3, 5]),
}
each_modulation = pytest.mark.parametrize("make", MODULATIONS.values(), ids=MODULATIONS)
each_fading = pytest.mark.parametrize("fading", [None, "rayleigh"])


FAMILIES = {
    **{
        f"{name}, {fading}": lambda make=make, fading=fading: [make(es_n0_db=db, fading=fading) for db in SNRS]
        for name, make in MODULATIONS.items()
        for fading in (None, "rayleigh")
    },
    **{name: lambda make=make: [make()] for name, make in MEDIA.items()},
}


@pytest.fixture(scope="module", params=FAMILIES.values(), ids=list(FAMILIES))
def media(request):
    """A modulation at several signal-to-noise ratios, or one other medium."""
    return request.param()


# --- every medium ----------------------------------------------------------------------------------------------------


@for_each("medium", of="media")
def test_rows_are_distributions(medium):
    matrix = medium.matrix
    assert matrix.shape == (medium.order, medium.order)
    assert medium.n == medium.order - 1
    assert matrix.dtype == np.float64
    assert (matrix >= 0).all()
    assert all(abs(math.fsum(row) - 1) <= 2**-52 * medium.order for row in matrix)


@for_each("medium", of="media")
def test_frozen(medium):
    with pytest.raises(ValueError, match="read-only"):
        medium.matrix[0, 0] = 0.5
    with pytest.raises(AttributeError):
        medium.matrix = np.eye(2)


@for_each("medium", of="media")
def test_symmetries_are_as_said(medium):
    n, T = medium.n, medium.matrix
    if medium.is_decided:
        assert not medium.is_mirrored
        assert not medium.is_circulant
        return
    every = [(i, j) for i in range(n + 1) for j in range(n + 1)]
    assert medium.is_mirrored == all(T[i, j] == T[n - i, n - j] for i, j in every)
    assert medium.is_circulant == all(T[i, j] == T[0, (j - i) % (n + 1)] for i, j in every)


@for_each("medium", of="media")
def test_error_probabilities(medium):
    errors = [math.fsum(np.delete(row, i)) for i, row in enumerate(medium.matrix)]
    assert medium.error_probability == min(max(errors), 1)
    assert math.isclose(medium.mean_error_probability, sum(errors) / len(errors), rel_tol=1e-14)
    assert 0 <= medium.mean_error_probability <= medium.error_probability <= 1


@for_each("medium", of="media")
def test_json(medium):
    read = json.loads(json.dumps(medium.to_dict(), allow_nan=False))
    assert np.array_equal(read["matrix"], medium.matrix)
    assert read["order"] == medium.order
    assert read["description"] == medium.description
    assert read["error_probability"] == medium.error_probability


@for_each("medium", of="media")
def test_equal_by_value(medium):
    same = deepcopy(medium)
    assert same.matrix is not medium.matrix
    assert same == medium
    assert hash(same) == hash(medium)
    assert medium != Medium(medium.matrix, "another")
    assert medium != medium.matrix.tolist()


# --- modulations -----------------------------------------------------------------------------------------------------


@each_modulation
@each_fading
def test_infinite_snr_is_the_identity(make, fading):
    for infinite in (math.inf, np.float32(np.inf), Decimal("Infinity")):
        medium = make(es_n0_db=infinite, fading=fading)
        assert np.array_equal(medium.matrix, np.eye(medium.order))
        assert np.array_equal(medium.matrix, make(eb_n0_db=infinite, fading=fading).matrix)
    if not fading:
        assert np.array_equal(make(es_n0_db=1000).matrix, np.eye(medium.order))


@each_modulation
@each_fading
def test_low_snr(make, fading):
    """Tones and wedges tend to a fair guess; else only points at the ends keep a share, which is that of the angle."""
    medium = make(es_n0_db=-1000, fading=fading)
    M = medium.order
    if medium.description.split(",")[0].endswith(("PSK", "FSK")):
        limit = np.full((M, M), 1 / M)
    elif "given" in medium.description:
        limit = np.tile(medium.matrix[0], (M, 1))
    else:
        corners = np.isclose(medium.matrix[0], medium.matrix[0].max())
        ends = {"PAM": 2, "cross-QAM": 8, "QAM": 4, "16-APSK": 12}
        assert corners.sum() == next(count for name, count in ends.items() if name in medium.description)
        limit = np.tile(corners / corners.sum(), (M, 1))
    assert np.allclose(medium.matrix, limit, rtol=1e-12, atol=1e-12)


@each_modulation
@each_fading
def test_the_error_falls_with_the_snr(make, fading):
    errors = [make(es_n0_db=db, fading=fading).error_probability for db in range(-40, 81, 4)]
    tail = [error for error in errors if error > 0]
    assert all(higher > lower for higher, lower in pairwise(tail))
    assert errors[: len(tail)] == tail


@each_modulation
@each_fading
def test_mirrored(make, fading):
    medium = make(es_n0_db=7, fading=fading)
    assert medium.is_mirrored != ("gray" in medium.description)
    is_uneven = any(name in medium.description for name in ("AM", "APSK", "given"))
    assert np.array_equal(medium.matrix, medium.matrix.T) != is_uneven or medium.order == 2


@each_modulation
def test_equal_snr_however_written(make):
    media = [make(es_n0_db=db).matrix for db in (12.5, "12.5", Fraction(25, 2), Decimal("12.5"), np.float32(12.5))]
    assert all(np.array_equal(matrix, media[0]) for matrix in media)
    assert make(es_n0_db=10) == make(es_n0_db=10)
    assert make(es_n0_db=10) != make(es_n0_db=11)


@each_modulation
@pytest.mark.parametrize("argument", ["es_n0_db", "eb_n0_db"])
@for_each("bad", [math.nan, -math.inf, "ten", "inf", 1001, -1000.5, True, [10]])
def test_bad_snr(make, argument, bad):
    with pytest.raises(InvalidParameter, match=f"^{argument} must be a number from -1,000 to 1,000, or infinity"):
        make(**{argument: bad})


@each_modulation
def test_one_snr(make):
    for both in ({}, {"es_n0_db": 10, "eb_n0_db": 10}):
        with pytest.raises(BadUse, match="either es_n0_db or eb_n0_db"):
            make(**both)


@each_modulation
@for_each("bad", ["rice", "Rayleigh", True, 0])
def test_bad_fading(make, bad):
    with pytest.raises(InvalidParameter, match=r"^fading must be None or 'rayleigh'"):
        make(es_n0_db=10, fading=bad)


@pytest.mark.parametrize("make", [psk, pam, qam, fsk])
def test_bad_order(make):
    for bad in (0, 1, -4, 4.0, "4", True, None):
        with pytest.raises(InvalidParameter, match=r"^order must be an integer >= 2"):
            make(bad, es_n0_db=10)
    with pytest.raises(TooLarge, match="4,096"):
        make(4097, es_n0_db=10)
    assert make(np.int32(4), es_n0_db=10) == make(4, es_n0_db=10)
