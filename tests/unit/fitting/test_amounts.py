"""Sizes of memory are read as users write them."""

import pytest

from silvics._fitting.amounts import bytes_of, in_words


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None), (1000, 1000), (1.5e9, 1_500_000_000), ("1GB", 10**9),
        ("500 MiB", 500 * 2**20), ("2.5kb", 2500), ("700", 700), (".5 gib", 2**29),
    ],
)  # fmt: skip
def test_sizes(given, expected):
    assert bytes_of(given) == expected


@pytest.mark.parametrize("given", ["", "GB", "1 XB", "1e9 GB GB", -1, 0, [1]])
def test_other_sizes_are_refused(given):
    with pytest.raises(ValueError, match="max_memory must be"):
        bytes_of(given)


def test_words():
    assert in_words(1.234e9) == "1.23 GB"
    assert in_words(10) == "10 bytes"
