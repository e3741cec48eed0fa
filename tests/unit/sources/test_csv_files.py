"""The types of CSV files follow all rows, not only the first ones."""

import numpy as np
import pandas as pd
import pytest

from silvics import RandomPatchesRegressor, scan

from .test_arrow_files import read

MANY = 1 << 16  # rows of twenty bytes: the types are those of the first block of 1 MB


def written(folder, *texts):
    for k, text in enumerate(texts):
        (folder / f"{k}.csv").write_text(text)
    return scan(folder)


def test_whole_numbers_and_empty_columns_become_wider_in_later_rows(tmp_path):
    first = "".join(f"{i % 1000},,,{10**16 + i % 7}\n" for i in range(MANY))
    scanned = written(tmp_path, f"a,b,c,d\n{first}1.5,2.5,u,3\n")
    assert scanned.source._files[0].types["b"] == "null"
    found = read(scanned, n_rows=5000)
    assert len(found) == MANY + 1
    np.testing.assert_array_equal(found["a"][:MANY], np.arange(MANY) % 1000)
    last = found.iloc[-1]
    assert (last["a"], last["b"], last["c"], last["d"]) == (1.5, 2.5, "u", 3)


def test_other_values_that_do_not_fit_are_named_with_the_file(tmp_path):
    first = "".join(f"{10**18 + i}\n" for i in range(MANY))
    scanned = written(tmp_path, f"a\n{first}hello\n")
    with pytest.raises(ValueError, match=r"0\.csv cannot be read after its row \d+: .*'hello'"):
        read(scanned, n_rows=1 << 16)


def test_files_agree_on_types_that_are_wide_enough(tmp_path):
    scanned = written(tmp_path, "a,b\n1,\n2,\n", "a,b\n1.5,x\n2.5,y\n", "a,b\n")
    found = read(scanned)
    assert found["a"].tolist() == [1.0, 2.0, 1.5, 2.5]
    assert found["b"][:2].isna().all()
    assert found["b"].tolist()[2:] == ["x", "y"]
    (tmp_path / "3.csv").write_text("a,b\nu,v\n")
    with pytest.raises(ValueError, match=r"'a' has the type string in .*3\.csv"):
        scan(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n1\n", "Expected 2 columns"), ("", "Empty CSV file"), ("a,c\n1,2\n", "no column 'b'")],
)
def test_damaged_files(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"1\.csv .*{message}"):
        written(tmp_path, "a,b\n1,2\n", text)


def test_numbers_are_those_of_the_text_to_the_last_digit(tmp_path):
    """Floats of 64 bits are written with all digits; those of 32 bits are other numbers then."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(10.0 ** rng.uniform(-300, 300, (2000, 3)), columns=list("abc"))
    frame["d"] = rng.normal(size=2000).astype(np.float32)
    frame.to_csv(tmp_path / "x.csv", index=False)
    found = read(scan(tmp_path / "x.csv"))
    pd.testing.assert_frame_equal(found[["a", "b", "c"]], frame[["a", "b", "c"]], check_exact=True)
    assert (found["d"] != frame["d"]).any()
    np.testing.assert_array_equal(found["d"].astype(np.float32), frame["d"])
    made = RandomPatchesRegressor(n_estimators=3, random_state=0)
    assert (
        made.fit(scan(tmp_path / "x.csv", columns=["a", "b", "c"]), y="c").digest()
        == made.fit(frame[["a", "b"]], frame["c"]).digest()
    )
