"""Batches are read ahead, in their order, and errors come where they would have come."""

import threading

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from silvics._sources.source import Batch, ahead, with_columns


def numbered(n, fails_at=None, read=None):
    for k in range(n):
        if k == fails_at:
            raise ValueError(f"batch {k} is damaged")
        if read is not None:
            read.append(k)
        yield Batch(10 * k, np.full((10, 1), k), f"batch {k}")


def test_batches_come_in_order():
    assert [batch.first for batch in ahead(numbered(5))] == [0, 10, 20, 30, 40]
    assert list(ahead(numbered(0))) == []


def test_one_batch_is_read_while_another_is_used():
    """The second batch is read although nobody asks for it, and the third is not."""
    second = threading.Event()

    def batches():
        yield Batch(0, None, "")
        second.set()
        yield Batch(1, None, "")
        raise AssertionError("the third batch was read too early")

    coming = ahead(batches())
    next(coming)
    assert second.wait(60)
    coming.close()


def test_an_error_comes_after_the_batches_before_it():
    coming = ahead(numbered(5, fails_at=3))
    assert [next(coming).first for _ in range(3)] == [0, 10, 20]
    with pytest.raises(ValueError, match="batch 3 is damaged"):
        next(coming)


def test_whoever_stops_leaves_no_thread():
    before, read = threading.active_count(), []
    for _ in ahead(numbered(100, read=read)):
        break
    assert threading.active_count() == before
    assert len(read) <= 2


def test_columns_of_any_name_and_order():
    frame = pd.DataFrame([[1, 2, 3]], columns=[7, "a", 5])
    found = with_columns(nw.from_native(frame), [5, 7]).to_native()
    assert found.columns.tolist() == [5, 7]
    assert found.iloc[0].tolist() == [3, 1]
