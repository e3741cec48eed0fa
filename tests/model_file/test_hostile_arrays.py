"""Files made to deceive: arrays of wrong places, types and shapes."""

import json

import numpy as np
import pytest

from .files import (
    changed,
    closed,
    opened,
    quickly_used,
    with_header,
)
from .hostile_models import refuse

# ---- arrays where they are not


def with_tensors(content, change):
    """The file after ``change`` of what the header tells of its arrays."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    data = change(header) or content[8 + length :]
    return with_header(json.dumps(header, separators=(",", ":")), data)


def test_arrays_that_overlap(content):
    def change(header):
        names = [name for name in header if name != "__metadata__"]
        header[names[1]]["data_offsets"] = header[names[0]]["data_offsets"]
        header[names[1]]["shape"] = header[names[0]]["shape"]
        header[names[1]]["dtype"] = header[names[0]]["dtype"]

    refuse(with_tensors(content, change), "overlap")


def test_arrays_that_leave_a_gap(content):
    length = int.from_bytes(content[:8], "little")

    def before(header):
        for told in list(header.values())[1:]:
            told["data_offsets"] = [at + 8 for at in told["data_offsets"]]
        return b"\0" * 8 + content[8 + length :]

    def between(header):
        for told in list(header.values())[2:]:
            told["data_offsets"] = [at + 8 for at in told["data_offsets"]]
        end = header[list(header)[1]]["data_offsets"][1]
        data = content[8 + length :]
        return data[:end] + b"\0" * 8 + data[end:]

    refuse(with_tensors(content, before), "gap")
    refuse(with_tensors(content, between), "gap")
    refuse(
        with_tensors(content, lambda header: content[8 + length :] + b"\0"), "data after its arrays"
    )


@pytest.mark.parametrize(
    "shape",
    [
        [2**32, 2**32], [2**61, 8], [2**62, 4], [0, 2**61], [2**61, 0], [0, 2**61, 2**61],
        [2**31] * 8 + [0], [1] * 9, [3, *[1] * 8], [0, *[2**40] * 7], [], [-3], [3, -1, -1], [3.0],
        ["3"], "3", None, [[3]], {}, [True], [3] * 1000,
    ],
)  # fmt: skip
def test_shapes_of_arrays(plain, shape):
    def change(header):
        header["first_node"]["shape"] = shape

    refuse(with_tensors(plain, change))


@pytest.mark.parametrize(
    "shape", [[0], [0, 19], [0, 2**61], [2**61, 0], [0] * 8, [2**40] * 3 + [0]]
)
def test_an_array_of_nothing_too_many(plain, shape):
    def change(header):
        header["more"] = {"dtype": "F64", "shape": shape, "data_offsets": [0, 0]}

    refuse(with_tensors(plain, change))


@pytest.mark.parametrize(
    "dtype", ["F64", "I64", "U32", "I32", "F16", "BF16", "BOOL", "U8", "f64", "<f8", "O", "", None]
)
def test_types_of_arrays(content, dtype):
    for name, array in opened(content)[2].items():
        if not array.size:
            continue

        def change(header, name=name):
            if header[name]["dtype"] == dtype:
                header["__metadata__"]["format"] = ""
            header[name]["dtype"] = dtype

        refuse(with_tensors(content, change))


def test_arrays_of_another_type_of_the_same_size(contents):
    """Signed for unsigned, reals for integers, long for wide."""
    kinds = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64]
    for content in contents.values():
        words, model, arrays = opened(content)
        for name, array in arrays.items():
            for kind in (*kinds, np.float32, np.float64):
                if array.dtype != kind and array.nbytes % np.dtype(kind).itemsize == 0:
                    seen = array.reshape(-1).view(kind)
                    quickly_used(closed(words, model, {**arrays, name: seen}))
                    with np.errstate(all="ignore"):
                        made = array.astype(kind)
                    quickly_used(closed(words, model, {**arrays, name: made}))


def test_arrays_left_out_doubled_and_of_other_names(content):
    words, model, arrays = opened(content)
    for name in arrays:
        refuse(closed(words, model, {n: a for n, a in arrays.items() if n != name}))
        refuse(closed(words, model, {**arrays, "more": arrays[name]}))
        if name == "values" and model["outputs"]["classes"]:  # rows that no leaf has harm nobody
            continue
        refuse(closed(words, model, {**arrays, name: arrays[name][:0]}))
        refuse(closed(words, model, {**arrays, name: arrays[name].reshape(1, -1, 1)}))
        longer = np.concatenate([arrays[name], arrays[name]])
        refuse(closed(words, model, {**arrays, name: longer}))
        if len(arrays[name]) > 1:
            refuse(closed(words, model, {**arrays, name: arrays[name][:-1]}))
    for name in ("", "__metadata__", "\0", "../x", "nodes.places", "memory"):
        if name != "__metadata__":
            refuse(closed(words, model, {**arrays, name: np.zeros(3)}))


# ---- what a model cannot be without


def test_a_model_for_prediction_has_its_digest(contents):
    for digest in (None, "", "x", "0" * 63, "G" * 64, "0" * 65, 1):
        refuse(
            changed(contents["prediction"], lambda w, model, a, d=digest: model.update(digest=d))
        )


def test_more_than_it_says(contents):
    _, _, whole = opened(contents["classifier"])
    words, model, arrays = opened(contents["prediction"])
    for name in whole.keys() - arrays.keys():
        refuse(closed(words, model, {**arrays, name: whole[name]}), "")
    words, model, arrays = opened(contents["classifier"])
    refuse(closed(words, model, {**arrays, "sample_weight": np.ones(30)}), "does not announce")


def test_rows_that_are_not_of_the_training(plain):
    words, model, arrays = opened(plain)
    model["training_rows"] = True
    for weights in (
        np.ones(29), np.ones(31), np.ones((2, 15)), np.array(1.0), np.ones(30, dtype=np.uint8),
        -np.ones(30), np.full(30, np.nan), np.full(30, np.inf), np.zeros(0), np.zeros(30),
        np.ones((30, 1)), np.full(30, 1e308),
    ):  # fmt: skip
        refuse(closed(words, model, {**arrays, "sample_weight": weights}))
