"""Maps of class probabilities, and what files may contain of them."""

import copy
import json

import numpy as np
import pytest

from silvics._predicting.calibrated import (
    ProbabilityMap,
    are_maps_of,
    calibrated,
    is_calibration,
)

P = np.array([[0.2, 0.8], [1.0, 0.0]])


def test_maps():
    np.testing.assert_array_equal(ProbabilityMap("raw")(P), P)
    square = ProbabilityMap("temperature", 0.1, 2.0)(P)
    np.testing.assert_allclose(square[0], np.array([0.09, 0.81]) / 0.9)
    second = ProbabilityMap("isotonic", knots=[([0.0, 1.0], [0.2, 0.6])])(P)
    np.testing.assert_allclose(second, [[0.48, 0.52], [0.8, 0.2]])
    three = ProbabilityMap("venn-abers", knots=[([0.5], [0.3])] * 3)(np.full((1, 3), 1 / 3))
    np.testing.assert_allclose(three, 1 / 3)
    zeros = ProbabilityMap("isotonic", knots=[([0.5], [0.0])] * 3)(np.array([[0.2, 0.3, 0.5]]))
    np.testing.assert_array_equal(zeros, [[0.2, 0.3, 0.5]])  # nothing to divide by


def test_outputs_side_by_side():
    maps = [ProbabilityMap("raw"), ProbabilityMap("temperature", 0.0, 2.0)]
    found = calibrated(maps, np.array([[0.5, 0.2, 0.3, 0.4, 0.6]]), [3, 2])
    np.testing.assert_allclose(found, [[0.5, 0.2, 0.3, 0.16 / 0.52, 0.36 / 0.52]])


def content(knots=(([0.1, 0.9], [0.2, 0.8]),)):
    stored = ProbabilityMap("isotonic", knots=knots).encoded()
    return {
        "map": stored, "log_loss": {"raw": 0.5, "isotonic": 0.4}, "n_rows": 9,
        "reliability": [[0.5, 0.5, 9.0]], "raw": [],
    }  # fmt: skip


def test_content_is_restored():
    read = json.loads(json.dumps([content()]))
    assert is_calibration(read)
    assert are_maps_of(read, [2])
    assert are_maps_of([], [2, 3])
    assert not are_maps_of(read, [3])
    assert not are_maps_of(read, [2, 2])
    np.testing.assert_allclose(ProbabilityMap.decoded(read[0]["map"])(P)[0], [0.275, 0.725])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("map",), None),
        (("map", "method"), "beta"),
        (("map", "power"), float("nan")),
        (("map", "smoothing"), -1.0),
        (("map", "knots"), [[[0.1], [0.2, 0.3]]]),
        (("map", "knots"), [[[0.2, 0.1], [0.2, 0.3]]]),
        (("map", "knots"), [[[0.1, 0.2], [0.3, 0.2]]]),
        (("map", "knots"), [[[0.1], [2.0]]]),
        (("map", "knots"), [[[], []]]),
        (("map", "knots"), [5]),
        (("log_loss",), {"raw": 0.5}),
        (("log_loss",), {"isotonic": "low"}),
        (("n_rows",), 0),
        (("reliability",), [[0.5, 0.5]]),
        (("raw",), "none"),
    ],
)
def test_damaged_content_is_refused(path, value):
    damaged = copy.deepcopy(content())
    target = damaged
    for name in path[:-1]:
        target = target[name]
    target[path[-1]] = value
    assert not is_calibration([damaged])
    assert not is_calibration(damaged)
