"""Files of mechanisms: nothing is lost on the way, and nothing but a saved mechanism is taken for one."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hushcount import EpsilonDelta, audit, canonical, from_matrix, nearest, read_matrix, read_mechanism, save_mechanism
from hushcount.errors import BadData, BadUse, InvalidParameter, TooLarge
from hushcount.mechanisms import clamped_gaussian, truncated_geometric, uniform
from hushcount.numbers.exact import exact_text
from hushcount.privacy import AuditVerdict
from hushcount.promise import GaussianDP, SeveralPairs
from hushcount.saved import SavedMechanism, json_form
from hushcount.saved.mechanism import RESERVED

ROOT = Path(__file__).resolve().parents[2]
ROWS = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
ENDINGS = ("csv", "json")
each_form = pytest.mark.parametrize("ending", ENDINGS)

CSV = """# hushcount mechanism 1
# epsilon = 1/3
# delta = 1e-400
# n = 1
# name = mine
# loss = absolute
0.75,0.25
0.5,0.5
"""
JSON = {
    "format": "hushcount mechanism",
    "version": 1,
    "epsilon": "1/3",
    "delta": "1e-400",
    "n": 1,
    "name": "mine",
    "notes": {"loss": "absolute"},
    "matrix": [[0.75, 0.25], [0.5, 0.5]],
}
BOTH = SavedMechanism(JSON["matrix"], EpsilonDelta.of("1/3", "1e-400"), "mine", {"loss": "absolute"})


@pytest.fixture
def file(tmp_path):
    def file(content, name="m.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return file


# --- there and back ---------------------------------------------------------------------------------------------------


def bits(matrix):
    return np.asarray(matrix, dtype=np.float64).view(np.uint64).tolist()


@st.composite
def stochastic(draw):
    """Rows of floats of any size that sum to 1 as floats can: some tiny ones, and one that takes the rest."""
    size = draw(st.integers(1, 5))
    tiny = st.one_of(st.sampled_from([0.0, 5e-324, 2.2250738585072014e-308, 1e-17]), st.floats(0, 1 / 8))
    rows = []
    for _ in range(size):
        row = draw(st.lists(tiny, min_size=size, max_size=size))
        place = draw(st.integers(0, size - 1))
        row[place] = 0.0
        row[place] = 1 - float(np.sum(row))
        rows.append(row)
    return np.array(rows)


lines = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(
    lambda text: text.isprintable() and text.strip(" ") == text
)
keys = st.from_regex(r"[a-z][a-z0-9_-]{0,39}", fullmatch=True).filter(lambda key: key not in RESERVED[1])


@pytest.mark.slow
@given(
    stochastic(),
    st.fractions(min_value=0, max_value=50),
    st.fractions(min_value=0, max_value=Fraction(99, 100)),
    lines,
    st.dictionaries(keys, lines, max_size=4),
)
def test_round_trip(tmp_path_factory, matrix, epsilon, delta, name, notes):
    folder = tmp_path_factory.mktemp("saved")
    for ending in ENDINGS:
        path = folder / f"m.{ending}"
        written = save_mechanism(matrix, path, epsilon=epsilon, delta=delta, name=name, notes=notes)
        found = read_mechanism(path)
        assert found == written
        assert bits(found.entries) == bits(matrix)
        assert (found.claim, found.name) == (EpsilonDelta(epsilon, delta), name)
        assert list(found.notes.items()) == list(notes.items())
        again = folder / f"again.{ending}"
        save_mechanism(found, again)
        assert again.read_bytes() == path.read_bytes()
    assert bits(read_matrix(folder / "m.csv")) == bits(matrix)


@pytest.mark.grid
@each_form
@pytest.mark.parametrize("n", [0, 1, 2, 40])
@pytest.mark.parametrize(
    "make",
    [
        nearest,
        canonical,
        lambda n, epsilon: clamped_gaussian(n, epsilon, 1e-6),
        truncated_geometric,
    ],
)
def test_mechanisms_in_closed_form_bring_their_promise(tmp_path, ending, n, make):
    mechanism, path = make(n, "1e-3"), tmp_path / f"m.{ending}"
    save_mechanism(mechanism, path)
    found = read_mechanism(path)
    # Rounded so that the promise holds, which the nearest floats mostly miss by about 1e-16.
    assert np.abs(found.entries - mechanism.matrix()).max() <= 1e-12
    assert audit(found, epsilon=mechanism.epsilon, delta=mechanism.delta).verdict is AuditVerdict.PRIVATE
    assert found.claim == EpsilonDelta.of(mechanism.epsilon, mechanism.delta)
    assert (found.n, found.name, dict(found.notes)) == (n, mechanism.name, {})


@each_form
@pytest.mark.parametrize("epsilon", ["0", "1e-400", "1/3", "0.1", "12345678901234567890", 0.1])
def test_the_claim_is_exact(tmp_path, ending, epsilon):
    path = tmp_path / f"m.{ending}"
    save_mechanism(ROWS, path, epsilon=epsilon, delta="1e-999")
    assert read_mechanism(path).claim == EpsilonDelta.of(epsilon, "1e-999")


def test_where_the_claim_comes_from(tmp_path):
    path = tmp_path / "m.csv"
    assert save_mechanism(nearest(2, 1, "0.1"), path, epsilon=2).claim == EpsilonDelta.of(2, "0.1")
    assert save_mechanism(nearest(2, 1, "0.1"), path, delta=0).claim == EpsilonDelta.of(1)
    assert save_mechanism(BOTH, path, name="yours").claim == BOTH.claim
    assert save_mechanism(BOTH, path, notes={}) == SavedMechanism(BOTH.entries, BOTH.claim, "mine")
    assert save_mechanism(from_matrix(ROWS), path, epsilon=1).claim == EpsilonDelta.of(1)
    assert save_mechanism(uniform(2), path).claim == EpsilonDelta.of(0)
    for claims_nothing in (ROWS, from_matrix(ROWS)):
        with pytest.raises(InvalidParameter, match=r"^epsilon must be given: the mechanism itself claims none$"):
            save_mechanism(claims_nothing, path)


def test_rows_are_not_divided_by_their_sums(tmp_path):
    tenths = np.full((10, 10), 0.1)
    for given_ in (tenths, from_matrix(tenths)):
        save_mechanism(given_, tmp_path / "m.csv", epsilon=0)
        assert bits(read_mechanism(tmp_path / "m.csv").entries) == bits(tenths)


def test_the_files_are_as_the_page_shows_them(tmp_path):
    page = (ROOT / "docs" / "mechanism-files.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        exec(code, names := {})
    finally:
        os.chdir(before)
    for ending in ENDINGS:
        (shown,) = re.findall(rf"```{ending}\n(.*?)```", page, flags=re.DOTALL)
        save_mechanism(names["saved"], path := tmp_path / f"three.{ending}")
        assert path.read_text(encoding="utf-8") == shown


def test_thresholds_are_as_the_page_shows_them(tmp_path):
    page = (ROOT / "docs" / "mechanism-files.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL)
    saved = save_mechanism(nearest(3, mu="0.8"), path := tmp_path / "three.csv")
    assert path.read_text(encoding="utf-8") == shown
    assert f"mu_squared = {exact_text(saved.claim.mu_squared)}\n" in shown
    assert '`{"form": "shifts", "n": 3, "mu_squared": "0.64"}`' in page


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("m.txt", r"must end in \.csv or \.json"),
        ("m", r"must end in \.csv or \.json"),
        ("none/m.csv", "cannot be written .No such file"),
        ("folder.csv", "cannot be written"),
    ],
)
def test_places_where_nothing_is_written(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadUse, match=message):
        save_mechanism(ROWS, tmp_path / name, epsilon=1)
    assert os.listdir(tmp_path) == ["folder.csv"]


@pytest.mark.parametrize("path", [3, None, b"m.csv", "m\0.csv", "\ud800.csv"])
def test_what_is_no_path(path):
    for use in (read_mechanism, lambda path: save_mechanism(ROWS, path, epsilon=1)):
        with pytest.raises(InvalidParameter, match=r"^path must be the path of a file"):
            use(path)


@pytest.mark.parametrize(
    ("matrix", "options", "error"),
    [
        ([[0.5, 0.4], [0, 1]], {"epsilon": 1}, BadUse),
        ([[1, 0]], {"epsilon": 1}, InvalidParameter),
        (ROWS, {"epsilon": -1}, InvalidParameter),
        (ROWS, {"epsilon": "nan"}, InvalidParameter),
        (ROWS, {"epsilon": 1, "delta": 1}, InvalidParameter),
        (ROWS, {"epsilon": 1, "name": "a\nb"}, InvalidParameter),
        (ROWS, {"epsilon": 1, "notes": {"delta": "0"}}, InvalidParameter),
        (nearest(10**6, 1), {}, TooLarge),
    ],
)
def test_bad_arguments_write_nothing(tmp_path, matrix, options, error):
    with pytest.raises(error):
        save_mechanism(matrix, tmp_path / "m.csv", **options)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_earlier_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "m.json"
    save_mechanism(BOTH, path)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BadUse, match=r"m\.json: cannot be written \(No space left on device\)$"):
        save_mechanism(ROWS, path, epsilon=1)
    assert read_mechanism(path) == BOTH
    assert os.listdir(tmp_path) == ["m.json"]


# --- reading ----------------------------------------------------------------------------------------------------------


def test_written_by_hand(file):
    assert read_mechanism(file(CSV)) == read_mechanism(file(json.dumps(JSON), "m.json")) == BOTH
    reordered = (
        "# hushcount mechanism 1 \n# name =  mine\n# loss = absolute \n# n = 1\n# delta = 1e-400\n# epsilon = 2/6\n"
    )
    assert read_mechanism(file(reordered + "\n .75 ,25e-2\n\n5e-1,0.5")) == BOTH
    assert read_mechanism(file("\n" + json.dumps(JSON, indent=1), "m.json")) == BOTH


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_marks_and_line_ends(file, mark, end):
    for text in (CSV, json.dumps(JSON, indent=2)):
        assert read_mechanism(file(mark + text.encode().replace(b"\n", end))) == BOTH


def test_what_a_file_is_called_does_not_matter(file):
    for name in ("nearest", "m.json", "m.CSV", "m.txt"):
        assert read_mechanism(file(CSV, name)) == read_mechanism(file(json.dumps(JSON), name)) == BOTH


def test_minus_zero_in_a_file(file):
    text = CSV.replace("0.75,0.25", "1,-0.0")
    assert bits(read_mechanism(file(text)).entries) == bits([[1.0, 0.0], [0.5, 0.5]])
    assert bits(read_mechanism(file(json.dumps({**JSON, "matrix": [[1, -0.0], [0.5, 0.5]]}))).entries[0]) == bits(
        [1, 0.0]
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (CSV, "", "not a saved mechanism: line 1 must be '# hushcount mechanism 1' or '# hushcount mechanism 2'$"),
        (CSV, "0.75,0.25\n0.5,0.5\n", "not a saved mechanism: line 1 must be"),
        (CSV, "age,name\n1,Ann\n", "not a saved mechanism: line 1 must be"),
        (CSV, "\x00\x01\x02", "not a saved mechanism: line 1 must be"),
        (CSV, "\n" + CSV, "not a saved mechanism: line 1 must be"),
        ("mechanism 1", "mechanism", "not a saved mechanism: line 1 must be"),
        ("mechanism 1", "mechanism 1,,", "not a saved mechanism: line 1 must be"),
        (
            "mechanism 1",
            "mechanism 3",
            "a saved mechanism of version 3, but this hushcount reads 1 and 2; a newer hushcount is",
        ),
        ("mechanism 1", "mechanism 0", "a saved mechanism of version 0, but this hushcount reads 1 and 2$"),
        ("# epsilon = 1/3\n", "", "epsilon must be there$"),
        ("# delta = 1e-400\n", "", "delta must be there$"),
        ("# name = mine\n", "", "name must be there$"),
        ("# n = 1\n", "", "n must be a whole number from 0 to 4,095$"),
        ("1/3", "-1", r"line 2: epsilon must be a finite number >= 0 \(got '-1'\)$"),
        ("1/3", "1/0", "line 2: epsilon must be a finite number"),
        ("1/3", "inf", "line 2: epsilon must be a finite number"),
        ("1/3", "", "line 2: epsilon must be a finite number"),
        ("1e-400", "1", "line 3: delta must be a number >= 0 and < 1"),
        ("n = 1", "n = 2", "line 7 has 2 cells, where n = 2 asks for 3$"),
        ("n = 1", "n = 0", "line 7 has 2 cells, where n = 0 asks for 1$"),
        ("n = 1", "n = 4096", "line 4: n must be a whole number from 0 to 4,095$"),
        ("n = 1", "n = 1_0", "line 4: n must be a whole number"),
        ("n = 1", "n = \uff11", "line 4: n must be a whole number"),
        ("n = 1", "n = -1", "line 4: n must be a whole number"),
        ("n = 1", "n = " + "9" * 5000, "line 4: n must be a whole number"),
        ("# n = 1\n", "# n = 1\n# n = 1\n", "line 5 says n again$"),
        ("# loss", "# name", "line 6 says name again$"),
        ("# loss = absolute", "# loss: absolute", "line 6 must be of the form '# key = text'$"),
        ("# loss = absolute", "#", "line 6 must be of the form '# key = text'$"),
        ("# loss", "# Loss", "line 6 must be of the form '# key = text'$"),
        ("# loss", "# l" + "o" * 40, "the key of a note must be "),
        ("absolute", "a\tb", "line 6: note loss must be one line"),
        ("absolute", "", "line 6: note loss must be one line"),
        ("mine", "x" * 61, "line 5: name must be one line of 1 to 60"),
        ("0.5,0.5\n", "", r"holds 1 rows, where n = 1 asks for 2; is the file cut off\?$"),
        ("0.5,0.5\n", "0.5,", "line 8 holds something that is not a number$"),
        ("0.5,0.5\n", "0.5", "line 8 has 1 cells, the first row 2$"),
        ("0.5,0.5\n", "0.5,0.5\n0.5,0.5\n", "line 9 is one row too many: n = 1 asks for 2$"),
        ("0.5,0.5\n", "0.5,0.5\n# end\n", "line 9 holds something that is not a number$"),
        ("0.5,0.5", "0.5,0.25", r"row 1 of matrix must sum to 1 \(its sum is 0\.75\)$"),
        ("0.5,0.5", "-0.5,1.5", r"row 1, column 0 of matrix must be a finite number >= 0 \(got -0.5\)$"),
        ("0.5,0.5", "nan,0.5", "line 8 holds something that is not a number$"),
        ("0.5,0.5", "1e999,0.5", r"row 1, column 0 of matrix must be a finite number >= 0 \(got inf\)$"),
        ("0.75,0.25", '0.75,"0.25', "not a CSV file in UTF-8"),
        (
            "# loss",
            "# sha256 = 00\n# loss",
            r"line 6: the matrix is not the one that was saved \(its SHA-256 is [0-9a-f]{64}",
        ),
    ],
)
def test_bad_csv(file, old, new, message):
    assert old in CSV
    path = file(CSV.replace(old, new))
    with pytest.raises(BadData, match=message) as caught:
        read_mechanism(path)
    assert str(caught.value).startswith(f"{path}: ")


def changed(**changes):
    return json.dumps({key: value for key, value in {**JSON, **changes}.items() if value is not None})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"line 1 is not JSON \("),
        (changed()[:-30], r"line 1 is not JSON \("),
        (json.dumps(JSON, indent=1)[:-20], r"line \d+ is not JSON \("),
        ("{}", "not a saved mechanism: its format must be 'hushcount mechanism'$"),
        (changed(format="receipt"), "not a saved mechanism: its format must be"),
        (
            changed(version=3),
            "a saved mechanism of version 3, but this hushcount reads 1 and 2; a newer hushcount is needed$",
        ),
        (changed(version=True), "version must be a whole number$"),
        (changed(version=None), "version must be a whole number$"),
        (changed(epsilon=None), "epsilon must be there$"),
        (changed(epsilon=0.5), "epsilon must be a text, in quotes$"),
        (changed(delta="1"), "delta must be a number >= 0 and < 1"),
        (changed(n=None), "n must be a whole number from 0 to 4,095$"),
        (changed(n="1"), "n must be a whole number from 0 to 4,095$"),
        (changed(n=True), "n must be a whole number from 0 to 4,095$"),
        (changed(n=1.0), "n must be a whole number from 0 to 4,095$"),
        (changed(n=-1), "n must be a whole number from 0 to 4,095$"),
        (changed(n=10**6), "n must be a whole number from 0 to 4,095$"),
        (changed(n=2), "row 0 of matrix has 2 numbers, where n = 2 asks for 3$"),
        (changed(name=None), "name must be there$"),
        (changed(name=["x"]), "name must be a text, in quotes$"),
        (changed(name="a\nb"), "name must be one line"),
        (changed(notes=[]), "notes must be an object of texts$"),
        (changed(notes={"loss": 1}), "note loss must be one line"),
        (changed(notes={"n": "1"}), "the key of a note must be "),
        (changed(loss="absolute"), "'loss' is not a field of a saved mechanism; notes belong under 'notes'$"),
        (changed(matrix=None), "matrix must be an array of rows$"),
        (changed(matrix=[[0.75, 0.25]]), r"holds 1 rows, where n = 1 asks for 2; is the file cut off\?$"),
        (changed(matrix=[[0.75, 0.25], 1]), "row 1 of matrix must be an array of numbers$"),
        (changed(matrix=[[0.75, 0.25], [True, 0]]), "row 1 of matrix must be an array of numbers$"),
        (changed(matrix=[[0.75, 0.25], ["1", 0]]), "row 1 of matrix must be an array of numbers$"),
        (changed(matrix=[[0.75, 0.25], [10**400, 0]]), "matrix must be of real numbers"),
        (changed(matrix=[[0.75, 0.25], [0.5, 0.25]]), r"row 1 of matrix must sum to 1 \(its sum is 0\.75\)$"),
        (changed(matrix=[[0.75, 0.25], [float("nan"), 1]]), "NaN is not a number in JSON$"),
        (changed().replace("0.75", "-Infinity"), "-Infinity is not a number in JSON$"),
        (changed().replace("0.75", "1e999"), r"row 0, column 0 of matrix must be a finite number >= 0 \(got inf\)$"),
        (changed().replace("0.75", "9" * 5000), "not the JSON of a saved mechanism$|must be of real numbers"),
        (changed().replace('"n": 1', '"n": 1, "n": 1'), "the key 'n' appears twice$"),
        (changed(notes={"a": "x"}).replace('"a": "x"', '"a": "x", "a": "y"'), "the key 'a' appears twice$"),
        ('{"format": ' + "[" * 200_000, "not the JSON of a saved mechanism$|is not JSON"),
        (
            changed(sha256="00"),
            r"the matrix is not the one that was saved \(its SHA-256 is [0-9a-f]{64}\); if that is meant",
        ),
    ],
)
def test_bad_json(file, text, message):
    path = file(text, "m.json")
    with pytest.raises(BadData, match=message) as caught:
        read_mechanism(path)
    assert str(caught.value).startswith(f"{path}: ")


@each_form
def test_a_file_that_was_cut_is_never_another_mechanism(tmp_path, ending):
    """Cut anywhere, even in the middle of a number, where what is left may still be a number."""
    rows = [[1.0, 1e-300, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.2345e-300]]
    save_mechanism(rows, whole := tmp_path / f"m.{ending}", epsilon=1, notes={"loss": "absolute"})
    expected, text = read_mechanism(whole), whole.read_bytes()
    cut = tmp_path / "cut"
    for length in range(len(text)):
        cut.write_bytes(text[:length])
        try:
            assert read_mechanism(cut) == expected
        except BadData:
            continue
        assert text[length:].strip() == b""


@pytest.mark.slow
@each_form
def test_noise_in_a_file_is_an_error_of_ours(tmp_path, ending):
    save_mechanism(BOTH, whole := tmp_path / f"m.{ending}")
    text, rng = whole.read_bytes(), np.random.default_rng(4)
    bad, messages = tmp_path / "bad", []
    for _ in range(500):
        damaged = bytearray(text)
        for place in rng.integers(0, len(text), size=rng.integers(1, 4)):
            damaged[place] = rng.integers(256)
        bad.write_bytes(damaged)
        try:
            found = read_mechanism(bad)
        except BadData as error:
            messages.append(str(error))
        else:
            assert bits(found.entries) == bits(BOTH.entries)
    assert len(messages) > 100
    assert all(message.startswith(f"{bad}: ") for message in messages)


def test_what_cannot_be_read(tmp_path, file, monkeypatch):
    with pytest.raises(BadData, match=r"none\.csv does not exist$"):
        read_mechanism(tmp_path / "none.csv")
    with pytest.raises(BadData, match="cannot be read: "):
        read_mechanism(tmp_path)
    with pytest.raises(BadData, match="not a CSV file in UTF-8"):
        read_mechanism(file(CSV.encode("utf-16")))
    with pytest.raises(BadData, match="not in UTF-8"):
        read_mechanism(file(changed().encode().replace(b"mine", b"\xff"), "m.json"))
    monkeypatch.setattr(json_form, "LARGEST_JSON", 100)
    with pytest.raises(BadData, match=r"larger than any saved mechanism \(100 bytes\)$"):
        read_mechanism(file(changed(), "m.json"))


def test_the_texts_of_a_claim_are_those_of_exact(tmp_path):
    save_mechanism(ROWS, tmp_path / "m.csv", epsilon=0.1, delta=Fraction(1, 7))
    text = (tmp_path / "m.csv").read_text()
    assert f"\n# epsilon = {exact_text(Fraction(0.1))}\n# delta = 1/7\n# n = 2\n" in text


# --- a claim of mu ----------------------------------------------------------------------------------------------------


@each_form
@pytest.mark.parametrize("promise", [GaussianDP.of("0.8"), GaussianDP.of_rho("1/3")], ids=str)
def test_a_claim_of_mu_is_kept_exactly(tmp_path, ending, promise):
    path = tmp_path / f"m.{ending}"
    saved = save_mechanism(nearest(4, promise), path)
    assert (saved.claim, saved.name) == (promise, "nearest")
    assert read_mechanism(path) == saved
    assert f"mu_squared{' = ' if ending == 'csv' else chr(34) + ': ' + chr(34)}" in path.read_text()
    assert save_mechanism(saved, path).claim == promise
    assert save_mechanism(ROWS, path, mu="0.8").claim == GaussianDP.of("0.8")
    assert save_mechanism(ROWS, path, rho=2).claim == save_mechanism(ROWS, path, epsilon=GaussianDP.of(2)).claim


def test_only_a_file_that_claims_mu_needs_a_new_hushcount(tmp_path):
    for epsilon, version in ((1, 1), (GaussianDP.of(1), 2)):
        save_mechanism(ROWS, tmp_path / "m.csv", epsilon=epsilon)
        save_mechanism(ROWS, tmp_path / "m.json", epsilon=epsilon)
        assert (tmp_path / "m.csv").read_text().startswith(f"# hushcount mechanism {version}\n")
        assert json.loads((tmp_path / "m.json").read_text())["version"] == version


@pytest.mark.parametrize("n", [0, 1, 7, 32, 33, 90])
@pytest.mark.parametrize("mu", ["0.05", "0.8", "3"])
def test_what_is_proved_in_mu_is_saved_so_that_the_floats_of_its_matrix_keep_it(tmp_path, n, mu):
    """A larger mu is claimed, which the thresholds do not prove of themselves."""
    law = nearest(n, mu=mu)
    saved = save_mechanism(law, tmp_path / "m.csv", mu=Fraction(mu) * 2)
    assert type(saved) is SavedMechanism
    assert audit(saved, mu=mu).verdict is AuditVerdict.PRIVATE
    assert audit(saved, mu=Fraction(mu) * Fraction(9, 10)).verdict is not AuditVerdict.PRIVATE or n == 0
    loss = 1e-14 if n <= 32 else 1e-7
    assert saved.error_probability == pytest.approx(law.error_probability, rel=loss, abs=loss)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mu": 1, "epsilon": 1}, "mu must be left out beside epsilon"),
        ({"mu": 1, "delta": "0.1"}, "delta must be left out beside mu"),
        ({"mu": 0}, "mu must be a finite number > 0"),
        ({"rho": 1, "mu": 1}, "rho must be left out beside mu"),
        ({"epsilon": SeveralPairs.of([(1, 0), (0, "0.5")]), "delta": "0.1"}, "delta must be left out beside a promise"),
    ],
    ids=str,
)
def test_bad_claims(tmp_path, given, message):
    with pytest.raises(BadUse, match=message):
        save_mechanism(ROWS, tmp_path / "m.csv", **given)
    assert not (tmp_path / "m.csv").exists()


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("# mu_squared = 0", "line 2: mu_squared must be a finite number > 0"),
        ("# mu_squared = x", "line 2: mu_squared must be a finite number"),
        ("# mu_squared = 1\n# epsilon = 1", "promise must be the fields of a promise"),
        ("# epsilon = 1", "promise must be the fields of a promise"),
        ("# mu = 1", "promise must be the fields of a promise"),
        ("# pairs = 1, 2", "line 2: is not JSON"),
        ("# pairs = [[1, 2]]", "line 2: pairs must be a list of 1 to 1,000 objects"),
        ("# pairs = []", "line 2: pairs must be a list of 1 to 1,000 objects"),
        ('# pairs = [{"epsilon": 1, "delta": "0"}]', "line 2: pairs must be a list of 1 to 1,000 objects"),
        ('# pairs = [{"epsilon": "-1", "delta": "0"}]', "line 2: epsilon must be a finite number >= 0"),
        ('# pairs = [{"epsilon": "1", "delta": "0", "delta": "0"}]', "line 2: the key 'delta' appears twice"),
    ],
)
def test_bad_claims_in_files(file, claim, message):
    text = CSV.replace("# epsilon = 1/3\n# delta = 1e-400", claim).replace("mechanism 1", "mechanism 2")
    with pytest.raises(BadData, match=message):
        read_mechanism(file(text))
