import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

from silvics.reproduce.outcome import (
    Outcome,
    Row,
    Statement,
    agreement,
    largest_difference,
    shown,
    side_by_side,
)
from silvics.reproduce.registry import item_of

mpl.use("Agg")
YES, NO = Statement("a is b", True, "1 and 1"), Statement("c is d", False, "1 and 2", "it grows")


def outcome(statements, **more):
    rows = [Row("x", 1.5, 2.0), Row("y", None, 3.0), Row("z", "O(N)", "O(N log N)")]
    return Outcome(item_of("table-3.1"), "tiny", {"x": 2.0}, rows, statements, 0.5, **more)


def test_the_sentence_follows_from_the_statements():
    assert outcome([YES]).finding == "The finding holds: a is b (1 and 1)."
    assert outcome([YES, YES]).finding == "The finding holds in all 2 statements."
    alone = outcome([NO])
    assert not alone.holds
    assert alone.finding == (
        'The finding does not hold, because "c is d" is not what we find: 1 and 2 (it grows).'
    )
    assert "does not hold in 1 of 2 statements" in outcome([YES, NO]).finding


def test_frame_and_text():
    found = outcome([YES, NO])
    frame = found.to_frame()
    assert list(frame["quantity"]) == ["x", "y", "z"]
    assert list(frame["difference"]) == ["0.5", "", ""]
    text = repr(found)
    assert text.startswith("Table 3.1: ")
    assert "section 3.6.2 (from page 40), line 959" in text
    assert "does not hold in 1 of 2" in text
    assert found.to_dict()["rows"][0] == {
        "quantity": "x", "thesis": 1.5, "ours": 2.0, "difference": 0.5,
    }  # fmt: skip


def test_numbers_of_numpy_become_those_of_python():
    found = outcome([Statement("a", np.bool_(True), "1")])
    found.ours["y"] = {1: [np.float64(2.0), np.arange(2)]}
    values = found.to_dict()
    assert values["ours"]["y"] == {"1": [2.0, [0, 1]]}
    assert values["statements"][0]["holds"] is True


def test_figures():
    with pytest.raises(ValueError, match="has no figure"):
        outcome([YES]).plot()
    drawn = []
    found = outcome([YES], panels=(1, 1), draw=lambda axes, *_: drawn.append(axes))
    ax = pyplot.figure().add_subplot()
    assert found.plot(ax).ax_ is ax
    assert drawn == [[ax]]
    two = outcome([YES], panels=(1, 2), draw=lambda axes, *_: drawn.append(axes))
    assert len(two.plot().figure_.axes) == len(drawn[-1]) == 2
    with pytest.raises(ValueError, match="several axes"):
        two.plot(ax)
    pyplot.close("all")


def test_numbers_side_by_side():
    rows = side_by_side({"a": {"x": 1.0}}, {"a": {"x": 1.25, "y": 2.0}})
    assert rows == [Row("a, x", 1.0, 1.25), Row("a, y", None, 2.0)]
    assert largest_difference(rows) == 0.25
    assert agreement("same", rows, within=0.25).holds
    assert not agreement("same", rows, within=0.2).holds
    assert not agreement("nothing was compared", rows[1:], within=1.0).holds
    with pytest.raises(KeyError, match="no number for b"):
        side_by_side({"b": 1.0}, {"a": 1.0})


def test_numbers_as_text():
    assert [shown(v) for v in (None, 0.0, 3, 0.03567, 1234.5, 12345, "O(N)", True)] == [
        "", "0", "3", "0.03567", "1,234", "12,345", "O(N)", "yes",
    ]  # fmt: skip
