"""What takes no data: designs, media, sweeps, pictures."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from values import Case, among, chance, count, delta, epsilon, level, mutated, nasty_text, number, options, size, values

from hushcount.mechanisms.by_name import GAUSSIAN, MECHANISMS
from saved import matrix_files

__all__ = ["design_case", "medium_case", "plot_case", "sweep_case"]

Text = Callable[[Random], str]

_PROPERTIES = (
    *("fairness", "weak_honesty", "row_honesty", "column_honesty", "row_monotonicity", "column_monotonicity"),
    *("symmetry", "row-honesty"),
)


def design_case(r: Random) -> Case:
    """`design`, and its neighbors `explain`, `compare` and `optimal-set`."""
    kind = r.random()
    known: dict[str, Text | None] = {"--delta": delta, "--json": None}
    if kind < 0.15:
        known["--adjacency"] = lambda r: among(r, "add-remove")
        return Case(("explain", "--n", count(r), "--epsilon", epsilon(r), *options(r, known, 0.2)))
    if kind < 0.2:
        known["--steps"] = None
        return Case(("optimal-set", "--n", size(r), "--epsilon", epsilon(r), *options(r, known, 0.2)))
    if kind < 0.22:
        return Case(("compare", "--n", size(r, 3), "--epsilon", epsilon(r), *options(r, known, 0.2)))
    files = {}
    more = options(r, _DESIGNING, 0.2)
    n = size(r, 5)
    if "loss.csv" in more:
        width = int(n) + 1 if n in "012345" and n else 3
        lines = [",".join(number(r) if chance(r, 0.3) else str(abs(i - j)) for j in range(width)) for i in range(width)]
        content = "\n".join(lines).encode("utf-8", "replace")
        files["loss.csv"] = mutated(r, content) if chance(r, 0.3) else content
    return Case(("design", "--n", n, "--epsilon", epsilon(r), *more), files)


_DESIGNING: dict[str, Text | None] = {
    "--delta": delta,
    "--loss": lambda r: among(r, "absolute", "squared", "zero-one", "loss.csv", "nosuch.csv"),
    "--prior": lambda r: among(
        r, "worst", "uniform", ",".join(number(r) for _ in range(r.randint(1, 4))), "0.5,0.5", "1,0,0"
    ),
    "--property": lambda r: among(r, *_PROPERTIES),
    "--optimal": None,
    "--output": lambda r: among(r, "out.csv", "out.json", "out.txt", "no/out.csv", "loss.csv"),
    "--json": None,
}

_KINDS = (
    "psk",
    "pam",
    "qam",
    "fsk",
    "binary-symmetric",
    "binary-erasure",
    "z-channel",
    "symmetric",
    "rounding",
    "file",
    "counts",
)


def _decibel(r: Random) -> str:
    return (
        r.choice(("0", "3", "10", "-10", "inf", "20", "100", "1000", "-300", "3080")) if chance(r, 0.8) else number(r)
    )


def _probability(r: Random) -> str:
    return r.choice(("0", "0.1", "0.5", "1", "1/3", "1e-9", "1e-300")) if chance(r, 0.8) else number(r)


def _of_medium(kind: str, one: Callable[[Text], Text]) -> dict[str, Text | None]:
    """The options that the kind takes; `one` says how many values an axis has."""
    if kind in ("psk", "pam", "qam", "fsk"):
        return {r"--snr-db": one(_decibel)}
    if kind in ("rounding",):
        return {"--multiple": one(lambda r: count(r, 4))}
    return {} if kind in ("file", "counts") else {"--p": one(_probability)}


_STRAY: dict[str, Text | None] = {
    "--delta": delta,
    "--eb-n0-db": _decibel,
    "--fading": lambda r: among(r, "rayleigh"),
    "--labels": lambda r: among(r, "gray", "natural", "row-major", "snake"),
    "--decide": lambda r: among(r, "guess", "likeliest", "0,1", "0,1,1", "x"),
    "--non-coherent": None,
    "--to": lambda r: among(r, "nearest", "below", "random"),
}


def medium_case(r: Random) -> Case:
    """`medium` of every kind, with what it takes and what it does not."""
    kind = among(r, *_KINDS)
    files = matrix_files(r) if kind in ("file", "counts") else {}
    if kind == "counts" and chance(r, 0.8):
        files = {
            "m.csv": "\n".join(
                ",".join(str(r.choice((0, 1, 30, 300, 10**6))) for _ in range(2)) for _ in range(2)
            ).encode()
        }
    shape = (
        ["--bits", count(r, 3)]
        if kind in ("binary-symmetric", "binary-erasure", "z-channel")
        else ["--order", size(r, 5)]
    )
    sized = shape if kind not in ("file", "counts") or chance(r, 0.05) else []
    taken = options(r, _of_medium(kind, lambda one: one), 0.9)
    known = {
        **_STRAY,
        "--normalise": None,
        "--confidence": level,
        "--required-snr": None,
        "--heard-at": lambda r: values(r, _decibel if chance(r, 0.5) else _probability),
        "--times": lambda r: count(r, 4),
        "--least-absolute-error": None,
        "--json": None,
    }
    known["--output"] = lambda r: among(r, "out.csv", "out.json", "out.txt")
    return Case(("medium", kind, *files, *sized, *taken, "--epsilon", epsilon(r), *options(r, known, 0.08)), files)


def sweep_case(r: Random) -> Case:
    """`sweep` over small grids, onto an output that may be there already."""
    files = {}
    more = options(r, _SWEEPING, 0.15)
    if chance(r, 0.1):
        files[r.choice(("out.csv", "out.parquet", "out.csv.part"))] = _sweep_output(r)
    if chance(r, 0.5):
        kind = among(r, *_KINDS[:9])
        taken = options(r, _of_medium(kind, lambda one: lambda r: values(r, one)), 0.9)
        more += ["--medium", kind, *taken, *options(r, _STRAY, 0.05)]
    elif chance(r, 0.8):
        more += ["--mechanism", ",".join(among(r, *MECHANISMS, *GAUSSIAN) for _ in range(r.randint(1, 2)))]
    promised = r.choice(("--epsilon", "--epsilon", "--mu", "--rho"))
    axes = ["--n", values(r, lambda r: size(r, 3)), promised, values(r, epsilon)]
    return Case(("sweep", *axes, *more), files)


_SWEEPING: dict[str, Text | None] = {
    "--delta": lambda r: values(r, delta),
    "--output": lambda r: among(r, "out.csv", "out.parquet", "out.txt", "no/out.csv"),
    "--restart": None,
    "--jobs": lambda r: count(r, 2),
    "--backend": lambda r: among(r, "processes", "ray", "dask:", "dask:x"),
}

_HEADER = "mechanism,n,epsilon,delta,lower,upper\n"


def _sweep_output(r: Random) -> bytes:
    content = (_HEADER + "nearest,1,1,0,0.2,0.3\n").encode()
    return mutated(r, content) if chance(r, 0.5) else r.choice((b"", b"x\n1\n", b"{}\n", content))


_PICTURE: dict[str, Text | None] = {
    "--title": nasty_text,
    "--size": lambda r: among(r, "3x3", "2x2", "40x40", "1x1", "3.5x2", "nanxnan", "3"),
    "--scale": lambda r: among(r, "linear", "log"),
}


def plot_case(r: Random) -> Case:
    """Every picture; most of them of something that can be drawn."""
    what = r.choice(("mechanism", "rows", "errors", "optimal-set", "medium", "prices", "privacy-profile", "sweep"))
    files: dict[str, bytes] = {}
    known = {**_PICTURE, "--delta": delta}
    arguments: list[str] = []
    if what == "sweep":
        files = {"in.csv": _sweep_output(r)}
        arguments = ["in.csv"]
        known = {
            **_PICTURE,
            "--x": lambda r: among(r, "n", "epsilon", "p"),
            "--y": lambda r: among(r, "upper", "bias"),
            "--only": lambda r: f"{among(r, 'n')}={number(r)}",
        }
    elif what == "medium":
        kind = among(r, *_KINDS)
        files = matrix_files(r) if kind in ("file", "counts") else {}
        known |= {**_STRAY, "--no-bounds": None, "--normalise": None}
        shape = ["--bits" if kind in ("binary-symmetric", "binary-erasure", "z-channel") else "--order", size(r, 3)]
        taken = options(r, _of_medium(kind, lambda one: lambda r: values(r, one)), 0.9)
        arguments = [kind, *files, *([] if files else shape), *taken, "--epsilon", values(r, epsilon)]
    elif what == "errors":
        known |= {
            "--mechanism": lambda r: among(r, *MECHANISMS),
            "--measure": lambda r: among(r, "error-probability", "absolute-error", "squared-error", "bias"),
        }
        arguments = ["--n", size(r, 4), among(r, "--epsilon", "--mu"), values(r, epsilon)]
    elif what == "prices":
        known = {**_PICTURE, "--at-delta": delta, "--cells": lambda r: values(r, lambda r: size(r, 4))}
        arguments = ["--n", size(r, 4), "--within", size(r, 3), "--chance", delta(r)]
    elif what != "optimal-set" and chance(r, 0.3):
        files = matrix_files(r)
        arguments = ["--matrix", *files]
    else:
        arguments = ["--n", size(r, 4), "--epsilon", epsilon(r)]
    known |= {
        "rows": {"--true": lambda r: count(r, 4), "--mechanism": lambda r: among(r, *MECHANISMS)},
        "mechanism": {"--mechanism": lambda r: among(r, *MECHANISMS)},
        "privacy-profile": {
            "--at": lambda r: values(r, epsilon),
            "--trade-off": None,
            "--mechanism": lambda r: among(r, *MECHANISMS),
        },
        "optimal-set": {"--ranges": None, "--sums": None},
    }.get(what, {})
    output = (
        among(r, "out.svg", "out.png", "out.pdf", "out.svg", "out.txt")
        if chance(r, 0.4)
        else r.choice(("out.txt", "no/out.svg", "m.csv", ""))
    )
    return Case(("plot", what, *arguments, "--output", output, *options(r, known, 0.12)), files)
