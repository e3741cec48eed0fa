import gzip

import polars as pl
import pytest

from silvics.reporting.reading import TableError, read_table, write_table

FRAME = pl.DataFrame({"a": [1, 2, None], "b": ["x", "y, z", "é"], "c": [0.5, None, 2.0]})


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.csv", "write_csv"), ("t.parquet", "write_parquet"), ("t.arrow", "write_ipc"),
        ("t.jsonl", "write_ndjson"),
    ],
)  # fmt: skip
def test_formats(tmp_path, name, write):
    getattr(FRAME, write)(tmp_path / name)
    assert read_table(tmp_path / name).equals(FRAME)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_encodings(tmp_path, delimiter, encoding):
    text = FRAME.write_csv(separator=delimiter)
    (tmp_path / "t.txt").write_bytes(text.encode(encoding))
    assert read_table(tmp_path / "t.txt").equals(FRAME)


def test_words_for_missing_values_and_compression(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,NA\nnan,x\n3,?\n"))
    found = read_table(tmp_path / "t.csv.gz")
    assert found["a"].null_count() == 1
    assert found["b"].to_list() == [None, "x", "?"]  # a question mark may be a level


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b" \n ", "is empty"),
        ("t.csv", b"a,b\n", "no rows"),
        ("t.csv", b"PAR1\0\0\0", "is not text"),
        ("t.parquet", b"no parquet", "cannot be read as parquet"),
        ("t.jsonl", b"{broken", "cannot be read as jsonl"),
        ("t.sav", b"abc", "format .* is not known"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / name)


def test_quotes_in_names(tmp_path):
    (tmp_path / "t.csv").write_text('size,"the ""true"" size, in cm"\n1,2\n')
    assert read_table(tmp_path / "t.csv").columns == ["size", 'the "true" size, in cm']


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(TableError, match="There is no file"):
        read_table(tmp_path / "t.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.arrow", "t.jsonl"])
def test_what_is_written_is_read(tmp_path, name):
    write_table(FRAME, str(tmp_path / name))
    assert read_table(tmp_path / name).equals(FRAME)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with pytest.raises(TableError, match="not as"):
        write_table(FRAME, str(tmp_path / "t.doc"))
