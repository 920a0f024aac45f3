"""Sweeps as curves, from rows and from files."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from pictures import curves_of, legend_of

from hushcount import BadData, sweep
from hushcount.errors import InvalidParameter
from hushcount.figures import plot_sweep
from hushcount.sweeps import read_sweep


@pytest.fixture(scope="module")
def media():
    return sweep(3, "0.5,1,2", medium="psk", es_n0_db="0,10,inf", jobs=1)


@pytest.fixture(scope="module")
def mechanisms():
    return sweep("1:4", "0.5,1", mechanisms="nearest,uniform", jobs=1)


def test_behind_media_it_is_the_picture_of_media(media):
    ax = plot_sweep(media)
    labels = list(legend_of(ax))
    assert labels[:5] == [
        "least without a medium (p_e*)",
        "least behind the medium (p_e*(T))",
        "Es/N0 = 0 dB",
        "Es/N0 = 10 dB",
        "Es/N0 = inf dB",
    ]
    shown = curves_of(ax)
    for snr in ("0", "10", "inf"):
        wanted = [row.upper for row in media if row.es_n0_db == snr]
        assert shown[f"Es/N0 = {snr} dB"] == ([0.5, 1, 2], wanted)
    assert shown["least without a medium (p_e*)"][1] == [
        row.without_medium_upper for row in media if row.es_n0_db == "0"
    ]


def test_another_axis(media):
    """A noiseless channel has no place on an axis of dB."""
    rows = [row for row in media if row.es_n0_db != "inf"]
    ax = plot_sweep(rows, x="es_n0_db", scale="log")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Es/N0, dB", "chance to be wrong, worst case")
    shown = curves_of(ax)
    assert shown["epsilon = 1"] == ([0, 10], [row.upper for row in rows if row.epsilon == "1"])
    assert len(ax.collections) == 3  # bands


def test_without_a_medium(mechanisms):
    ax = plot_sweep(reversed(mechanisms))
    shown = curves_of(ax)
    assert set(shown) == {f"{name}, epsilon = {e}" for name in ("nearest", "uniform") for e in ("0.5", "1")}
    wanted = [row.upper for row in mechanisms if (row.mechanism, row.epsilon) == ("nearest", "0.5")]
    assert shown["nearest, epsilon = 0.5"] == ([1, 2, 3, 4], wanted)
    assert ax.get_xlabel() == "n, the largest count"


@pytest.mark.parametrize("y", ["absolute_error", "squared_error", "bias", "within_1", "needs_delta_upper"])
def test_columns(mechanisms, y):
    shown = curves_of(plot_sweep(mechanisms, x="n", y=y))
    wanted = [getattr(row, y) for row in mechanisms if (row.mechanism, row.epsilon) == ("uniform", "1")]
    assert shown["uniform, epsilon = 1"][1] == wanted


def test_gap_of_media(media):
    shown = curves_of(plot_sweep(media, y="gap"))
    for snr in ("0", "10", "inf"):
        rows = [row for row in media if row.es_n0_db == snr]
        wanted = [0 if row.verdict == "LOSSLESS" else row.gap for row in rows]
        assert shown[f"Es/N0 = {snr} dB"][1] == wanted


@pytest.mark.slow
def test_a_proof_that_nothing_is_lost_is_0_and_not_the_rounding_of_a_solver(media):
    rows = [replace(row, verdict="LOSSLESS", gap=3e-14) for row in media[:3]]
    (_, y) = next(iter(curves_of(plot_sweep(rows, y="gap", scale="log")).values()))
    assert y == [0, 0, 0]
    rows = [replace(row, verdict="LOSSY") for row in rows]
    (_, y) = next(iter(curves_of(plot_sweep(rows, y="gap", scale="log")).values()))
    assert y == [3e-14] * 3


@pytest.mark.parametrize("y", ["medium_error_probability", "l", "u0", "least_bound"])
def test_other_columns_of_media(media, y):
    shown = curves_of(plot_sweep(media, y=y))
    assert shown["Es/N0 = 0 dB"][1] == [getattr(row, y) for row in media if row.es_n0_db == "0"]


@pytest.mark.parametrize(
    ("verdicts", "by_rounding", "label"),
    [
        (["NOT_PRIVATE", "NOT_PRIVATE"], False, "nearest (not private)"),
        (["NOT_PRIVATE", "PRIVATE"], False, "nearest (in part not private)"),
        (["NOT_PRIVATE", "NOT_PRIVATE"], True, "nearest"),
        (["UNDECIDED", "PRIVATE"], False, "nearest"),
    ],
)
def test_what_is_not_private_is_said(mechanisms, verdicts, by_rounding, label):
    rows = [row for row in mechanisms if (row.mechanism, row.epsilon) == ("nearest", "1")][:2]
    shown = [replace(row, verdict=v, by_rounding=by_rounding) for row, v in zip(rows, verdicts, strict=True)]
    assert list(legend_of(plot_sweep(shown, y="bias"))) == [label]


def test_titles_say_what_all_rows_share(media, mechanisms):
    def told(ax):
        return ax.figure._suptitle.get_text().replace("\n", " ")

    assert told(plot_sweep(media)) == "What a fixed medium costs: psk, n = 3"
    assert told(plot_sweep(media[:3], y="absolute_error")) == "Expected |error|, worst case: psk, n = 3, Es/N0 = 0 dB"
    assert (
        told(plot_sweep([row for row in mechanisms if row.epsilon == "1"]))
        == "Chance to be wrong, worst case: epsilon = 1"
    )
    assert told(plot_sweep(media, title="Mine")) == "Mine"


def test_infinite_values_are_gaps():
    rows = sweep("1,2", "1", mechanisms="nearest", jobs=1)
    assert all(row.needs_epsilon_upper <= 1 for row in rows)
    import math

    endless = [replace(row, needs_epsilon_upper=math.inf) for row in rows[:1]] + list(rows[1:])
    (_, y) = next(iter(curves_of(plot_sweep(endless, y="needs_epsilon_upper")).values()))
    assert math.isnan(y[0])
    assert y[1] == rows[1].needs_epsilon_upper


def test_one_point_is_a_picture_too(media):
    ax = plot_sweep(media[:1])
    assert list(legend_of(ax))[2] == "psk"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files(tmp_path, media, mechanisms, form):
    for name, n, epsilon, given, rows in (
        ("media", 3, "0.5,1,2", {"medium": "psk", "es_n0_db": "0,10,inf"}, media),
        ("mechanisms", "1:4", "0.5,1", {"mechanisms": "nearest,uniform"}, mechanisms),
    ):
        file = tmp_path / f"{name}.{form}"
        sweep(n, epsilon, **given, output=file, jobs=1)
        assert tuple(read_sweep(file)) == tuple(rows)
        assert tuple(read_sweep(str(file))) == tuple(rows)


def test_other_files(tmp_path):
    with pytest.raises(InvalidParameter, match=r"path must be a file name that ends in \.csv or \.parquet"):
        read_sweep(tmp_path / "a.txt")
    with pytest.raises(BadData, match=r"a\.csv does not exist"):
        read_sweep(tmp_path / "a.csv")
    for name in ("a.csv", "a.parquet"):
        (tmp_path / name).write_text("a,b\n1,2\n")
        with pytest.raises(BadData, match="is not a table that hushcount sweep wrote"):
            read_sweep(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadData, match="cannot be read"):
        read_sweep(os.fspath(tmp_path / "folder.csv"))


def test_bad_arguments(media, mechanisms):
    for rows in ([], [1], "rows", None, [*media, *mechanisms]):
        with pytest.raises(InvalidParameter, match="rows must be"):
            plot_sweep(rows)
    with pytest.raises(InvalidParameter, match="x must be one of epsilon, es_n0_db"):
        plot_sweep(media, x="verdict")
    with pytest.raises(InvalidParameter, match="x must be something that varies: epsilon, es_n0_db"):
        plot_sweep(media, x="n")
    with pytest.raises(InvalidParameter, match="y must be one of upper, absolute_error, gap, medium_error"):
        plot_sweep(media, y="bias")
    with pytest.raises(InvalidParameter, match="scale"):
        plot_sweep(media, scale="x")


@pytest.mark.slow
def test_too_many_curves():
    message = r"number of curves must be at most 11; keep fewer values of n \(12 values\) \(got 12\)"
    with pytest.raises(InvalidParameter, match=message):
        plot_sweep(sweep("1:12", "0.5", mechanisms="nearest", jobs=1), x="epsilon")


@pytest.mark.parametrize("axis", ["mu", "rho"])
def test_in_mu(axis):
    rows = sweep(3, **{axis: "0.5,1,2"}, jobs=1)
    ax = plot_sweep(rows)
    assert (ax.get_xlabel(), len(ax.collections)) == (axis, 4)
    assert "zcdp-gaussian (not mu-GDP)" in legend_of(ax)
    x, y = curves_of(plot_sweep(rows, y="needs_mu_upper"))["nearest"]
    assert x == [0.5, 1, 2]
    assert y == [row.needs_mu_upper for row in rows if row.mechanism == "nearest"]
    assert next(iter(curves_of(plot_sweep(rows[:1]))))  # one point is a picture too
    with pytest.raises(InvalidParameter, match="x must be something that varies"):
        plot_sweep(rows, x="epsilon")
    with pytest.raises(InvalidParameter, match=r"y must be one of upper, .*needs_mu_upper"):
        plot_sweep(rows, y="needs_epsilon_upper")
