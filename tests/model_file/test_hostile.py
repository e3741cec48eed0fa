"""Files made to deceive: every word of the header wrong, numbers that lie, bombs."""

import contextlib
import json
import os
import subprocess
import sys
import time
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

import silvics
from silvics.model_file import squeeze

from .files import (
    AT_SUM,
    BEGIN,
    changed,
    closed,
    content_of,
    loaded,
    mended,
    opened,
    outcome,
    quickly_used,
    small_model,
    small_regressor,
    with_header,
)

NOT_VALID = "^Not a valid model file: "


def recipe_model(**parameters):
    """Trees with records: several children, combinations of variables."""
    random = np.random.default_rng(1)
    X = random.integers(0, 6, size=(60, 3)).astype(float)
    X[:, 2] = random.normal(size=60)
    X[::7, 2] = np.nan
    y = (X[:, 0] + X[:, 1] > 5).astype(int) + (X[:, 0] == 2)
    parameters = {"split": "multiway", "max_depth": 3, **parameters}
    return silvics.ForestClassifier(n_estimators=2, random_state=0, **parameters).fit(X, y)


def isolation_model():
    X = np.random.default_rng(2).normal(size=(20, 2))
    return silvics.IsolationForest(n_estimators=2, max_samples=8, random_state=0).fit(X)


def many_levels_model():
    """Categories of so many levels that their sets are kept apart."""
    random = np.random.default_rng(3)
    levels = random.integers(0, 90, 400)
    X = np.array([f"l{i:02d}" for i in levels], dtype=object)[:, np.newaxis]
    y = (levels * 7 % 3).astype(float) + random.normal(size=400) / 9
    return silvics.RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, y)


MODELS = {
    "classifier": lambda: content_of(small_model()),
    "regressor": lambda: content_of(small_regressor()),
    "squeezed": lambda: content_of(small_regressor(), compress=True),
    "prediction": lambda: content_of(small_model(), for_prediction=True),
    "isolation": lambda: content_of(isolation_model()),
    "records": lambda: content_of(recipe_model()),
    "levels": lambda: content_of(many_levels_model()),
    "tree": lambda: content_of(silvics.DecisionTreeRegressor().fit([[0], [1], [2]], [0, 1, 5])),
}


@pytest.fixture(scope="module")
def contents():
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(params=MODELS)
def content(request, contents):
    return contents[request.param]


@pytest.fixture
def plain(contents):
    return contents["classifier"]


def refuse(content, why=""):
    with pytest.raises(silvics.ModelFileError, match=NOT_VALID) as caught:
        loaded(content)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 2000


# ---- lengths


@pytest.mark.parametrize(
    "length", [0, 1, 7, 28, 29, 53, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 10**8 + 1]
)
def test_a_header_of_a_wrong_length(plain, length):
    refuse(mended(length.to_bytes(8, "little") + plain[8:]))


def test_a_header_longer_than_the_file_by_a_byte(plain):
    for more in (1, 2, 64, 10**6):
        length = len(plain) - 8 + more
        refuse(mended(length.to_bytes(8, "little") + plain[8:]), "longer than the file")


@pytest.mark.parametrize("content", [b"", b"\0", b"\0" * 8, b"\0" * 53, b"\0" * 10**6, b"{}"])
def test_almost_nothing(content):
    refuse(content)


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x95\x00cposix\nsystem\nX\x02\x00\x00\x00id\x85R.",
        b"PK\x03\x04" + b"\0" * 100,
        b"\x93NUMPY\x01\x00v\x00" + b" " * 200,
        b"<html>" * 50,
    ],
    ids=["pickle", "zip", "npy", "html"],
)
def test_files_of_another_kind(content, tmp_path):
    refuse(content)
    path = tmp_path / "model.pkl"
    path.write_bytes(content)
    with pytest.raises(silvics.ModelFileError, match=NOT_VALID):
        silvics.load(path)


# ---- JSON that is none, or too much


def header_with(text):
    """A file whose header goes on with this text after its checksum."""
    return with_header(BEGIN + b"0" * 16 + text)


@pytest.mark.parametrize(
    "text",
    [
        b'"',
        b'"}',
        b'"}}x',
        b'"}} {}',
        b'"}},',
        b'"},}',
        b'"}\xff\xfe}',
        b'"}, "a": \xed\xa0\x80}',
        b'"}\0}',
        b'\\"}}',
        b'", "model": NaN}}',
        b'"}, "a": Infinity}',
        b'"}, "a": -Infinity}',
        b'"}, "a": 1e999}',
        b'"}, "a": 0x10}',
        b'"}, "a": 01}',
        b"\"}, 'a': 1}",
        b'"}, "a": [1,]}',
        b'"} /* */}',
    ],
)
def test_a_header_that_is_not_json(text):
    refuse(header_with(text))


@pytest.mark.parametrize("n", [500, 990, 1500, 100_000])
@pytest.mark.parametrize("bracket", ["[", '{"a":', "[[[{}],", '{"tuple":['])
def test_nesting_without_end(plain, n, bracket):
    refuse(header_with(b'"}, "a": ' + (bracket * n).encode()))
    words, _, arrays = opened(plain)
    refuse(closed(words, bracket * n, arrays))
    within = bracket * n + "1" + {"[": "]", '{"a":': "}"}.get(bracket, "") * n
    refuse(closed(words, within, arrays))


@pytest.mark.parametrize("n", [100, 300, 450, 490, 700, 900, 980, 2000])
@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "key"])
def test_nesting_within_a_parameter(plain, n, kind):
    value = 1
    for _ in range(n):
        value = {
            "list": [value],
            "tuple": {"tuple": [value]},
            "dict": {"dict": [["a", value]]},
            "key": {"dict": [[value, 1]]},
        }[kind]

    def change(words, model, arrays):
        model["parameters"]["class_weight"] = value

    try:
        content = changed(plain, change)
    except RecursionError:  # of the one who would write it
        return
    quickly_used(content)


@pytest.mark.parametrize("n", [30, 400, 4000, 4400, 100_000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_without_end(plain, n, sign):
    digits = sign + "9" * n
    refuse(header_with(b'"}, "a": ' + digits.encode() + b"}"))
    text = plain.decode("latin-1")
    for at in (r"\"n\": 3", r"\"seed\": 0", r"\"structure\": 0.0", r"\"max_features_\": 1"):
        assert at in text
        name = at.split(":")[0]
        length = int.from_bytes(plain[:8], "little")
        header = plain[8 : 8 + length].decode().replace(at, f"{name}: {digits}")
        refuse(with_header(header.rstrip(), plain[8 + length :]))
        header = plain[8 : 8 + length].decode().replace(at, f"{name}: {sign}1e{n}")
        refuse(with_header(header.rstrip(), plain[8 + length :]))


def test_offsets_without_end(plain):
    length = int.from_bytes(plain[:8], "little")
    for digits in ("9" * 30, "9" * 4000, "9" * 9999, "-1", "1e3", "0.0", "true", '"0"'):
        header = plain[8 : 8 + length].decode()
        header = header.replace('"data_offsets":[0,', f'"data_offsets":[{digits},')
        refuse(with_header(header.rstrip(), plain[8 + length :]))


def doubled(text, at):
    """JSON in which the name that stands here comes twice."""
    decoder = json.JSONDecoder()
    _, end = decoder.raw_decode(text, at)
    value_at = end + len(text[end:]) - len(text[end:].lstrip(": "))
    _, value_end = decoder.raw_decode(text, value_at)
    return text[:at] + text[at:value_end] + ", " + text[at:]


def names_in(text):
    """Where names of objects begin."""
    decoder = json.JSONDecoder()
    for at, letter in enumerate(text):
        if letter == '"' and (at == 0 or text[at - 1] in '{, "') and text[at - 1] != '"':
            try:
                _, end = decoder.raw_decode(text, at)
            except ValueError:
                continue
            if text[end : end + 1] == ":":
                yield at


def test_names_that_come_twice_at_every_level(content):
    words, model, arrays = opened(content)
    text = json.dumps(model)
    places = list(names_in(text))
    assert len(places) > 40
    for at in places:
        refuse(closed(words, doubled(text, at), arrays), "twice")
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].decode()
    for at in [at for at in names_in(header) if at > 60]:
        refuse(with_header(doubled(header, at), content[8 + length :]), "twice")
    for more in (', "checksum": "0000000000000000"', ', "format": "silvics"'):
        refuse(with_header(header.replace('","format"', f'"{more},"format"'), b""))


# ---- wrong words

STRANGE = [None, True, False, -1, 0, 2, 10**30, 10**400, 1.5, "", "x", [], {}, [[]], {"a": 1}]


def leaves(tree, path=()):
    """Ways to every value of a tree of JSON, and to every part of it."""
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield (*path, key)
            yield from leaves(value, (*path, key))


def put(tree, path, value):
    *way, last = path
    for key in way:
        tree = tree[key]
    tree[last] = value


def taken(tree, path):
    *way, last = path
    for key in way:
        tree = tree[key]
    return tree.pop(last)


def test_every_word_of_the_model_replaced(content, contents):
    words, model, arrays = opened(content)
    text = json.dumps(model)
    n_used = 0
    once = ("classifier", "isolation", "tree", "records")  # of others the parameters are the same
    parameters = any(content == contents[name] for name in once)
    for path in [path for path in leaves(model) if parameters or path[0] != "parameters"]:
        for value in STRANGE:
            strange = json.loads(text)
            put(strange, path, value)
            n_used += quickly_used(closed(words, strange, arrays))
    assert n_used > 20


def test_every_word_of_the_model_left_out(content):
    words, model, arrays = opened(content)
    text = json.dumps(model)
    for path in list(leaves(model)):
        lacking = json.loads(text)
        taken(lacking, path)
        if len(path) == 2 and path[0] == "parameters":
            assert quickly_used(closed(words, lacking, arrays))
        else:
            refuse(closed(words, lacking, arrays))


def test_a_word_too_many(content):
    words, model, arrays = opened(content)
    text = json.dumps(model)
    for path in [(), *leaves(model)]:
        longer = json.loads(text)
        at = longer
        for key in path:
            at = at[key]
        if isinstance(at, dict):
            at["more"] = 1
            refuse(closed(words, longer, arrays))
    refuse(closed({**words, "more": "x"}, model, arrays), "not a silvics model")


def test_every_word_of_the_container_replaced_or_left_out(content):
    length = int.from_bytes(content[:8], "little")
    text, data = content[8 : 8 + length].decode(), content[8 + length :]
    for path in [path for path in leaves(json.loads(text)) if path[-1] not in ("__metadata__",)]:
        for value in [*STRANGE, ...]:
            header = json.loads(text)
            if path == ("__metadata__", "model") and value == "x":
                continue
            if value is ...:
                taken(header, path)
            else:
                put(header, path, value)
            quickly_used(with_header(json.dumps(header, separators=(",", ":")), data))


@pytest.mark.parametrize(
    "name",
    [
        *("", "object", "BaseForest", "load", "merge", "__doc__", "recipes", "_core"),
        *("../../etc/passwd", "/dev/zero", "silvics.RandomForestClassifier", "os.system"),
        *("RandomForestClassifier\0", "randomforestclassifier", "RandomForestRegressor"),
        *("IsolationForest", "DecisionTreeClassifier", "RandomTreesEmbedding", "__import__"),
    ],
)
def test_names_of_estimators(plain, name):
    refuse(changed(plain, lambda words, model, arrays: model.update(estimator=name)))


def test_an_embedding_whose_rows_are_in_several_leaves():
    X = np.random.default_rng(4).normal(size=(30, 2))
    content = content_of(silvics.RandomTreesEmbedding(n_estimators=2, random_state=0).fit(X))
    quickly_used(content)
    refuse(
        changed(content, lambda words, model, arrays: model["forest"].update(both_ways=True)),
        "several leaves",
    )


@pytest.mark.parametrize("version", ["0", "2", "", "01", "1 ", "1.0", "x" * 1000, "\0"])
def test_versions_that_are_not_known(plain, version):
    refuse(changed(plain, lambda words, model, arrays: words.update(version=version)), "version")


def test_a_checksum_with_more_behind_it(plain):
    length = int.from_bytes(plain[:8], "little")
    header = plain[8 : 8 + length].rstrip()
    at = AT_SUM.stop - 8
    refuse(with_header(header[:at] + b"0" + header[at:], plain[8 + length :]), "checksum")


def test_lone_surrogates(plain):
    words, model, arrays = opened(plain)
    text = json.dumps(model)
    for name in ("ash", "date", "elm"):
        for strange in (r"\ud800", r"\udfff", r"a\ud83d"):
            quickly_used(closed(words, text.replace(f'"{name}"', f'"{strange}"'), arrays))
    quickly_used(closed(words, text.replace('["a", "b"]', r'["\ud800", "b"]'), arrays))
    refuse(closed(words, text.replace('"ash"', '"\ud800"'), arrays))
    refuse(closed(words, text.replace('"estimator"', r'"\ud800"'), arrays))


# ---- types of arrays in words


@pytest.mark.parametrize(
    "dtype",
    [
        *("O", "|O", "V8", "|V8", "U999999999", "<U999999999", "<U536870911", "<U536870912", "<U0"),
        *("<U2", "<U1025", "<U99999", "U1", ">U1", "=U1", "|U1", "<U-1", "<U1 ", "<U01", "S1"),
        *("|S1", "c16", "<c16", "f8,f8", "(3,)f8", "(3", ",", "", "a", "a5", "P", "p", "object_"),
        *("Object", "object", "float", "int", "bool", "datetime64", "M8", "<M8", "<M8[us]"),
        *("<M8[2us]", "<M8[99999999999999us]", "<M8[as]", "<m8[generic]", "<M8[us/3]", "<M8[D]"),
        *("T", "StringDType", "i8", "<i8", "<i4", "<i1", "|i1", "<f2", "<f16", ">f8", "|b1", "?"),
        *("{'names':['a'],'formats':['f8']}", "[('a','O')]", "<U1\0", "d" * 10000, "\ud800"),
        None, 1, [], {}, ["<f8"], True,
    ],
)  # fmt: skip
@pytest.mark.parametrize("values", [["a", "b"], [0, 1], [0.5, 1.5], [1e300, 2**70], [None, {}]])
def test_types_of_classes_and_levels(plain, dtype, values):
    told = {"dtype": dtype, "shape": [2], "values": values}

    def classes(words, model, arrays):
        model["outputs"]["classes"] = [told]

    def levels(words, model, arrays):
        model["variables"]["levels"]["1"] = told

    def parameter(words, model, arrays):
        model["parameters"]["categorical_features"] = {"array": told}

    for change in (classes, levels, parameter):
        quickly_used(changed(plain, change))


@pytest.mark.parametrize(
    "shape", [[], [3], [2, 1], [1, 2], [2, 1, 1], [-2], [2.0], [True, 2], [0, 10**30], "2", None]
)
def test_shapes_of_classes(plain, shape):
    def change(words, model, arrays):
        model["outputs"]["classes"][0]["shape"] = shape

    refuse(changed(plain, change))


@pytest.mark.parametrize("shape", [[0], [0, 5], [0, 10**30], [10**30, 0], [2**62, 0], [0, 2**31]])
def test_shapes_of_nothing(plain, shape):
    told = {"dtype": "<f8", "shape": shape, "values": []}

    def change(words, model, arrays):
        model["parameters"]["categorical_features"] = {"array": told}

    quickly_used(changed(plain, change))
    refuse(changed(plain, lambda w, model, a: model["outputs"]["classes"].append(told)))


@pytest.mark.parametrize(
    "values", [["a", "a"], ["elm", "ash"], ["b", "a", "c"], [], ["a", None], ["a", 1], ["a", ["b"]]]
)
def test_levels_in_disorder(plain, values):
    def change(words, model, arrays):
        told = {"dtype": "object", "shape": [len(values)], "values": values}
        model["variables"]["levels"]["1"] = told

    if values:
        refuse(changed(plain, change))
    else:
        assert outcome(changed(plain, change))


def test_classes_that_come_twice(plain):
    def change(words, model, arrays):
        model["outputs"]["classes"][0]["values"] = ["a", "a"]

    refuse(changed(plain, change))


def test_missing_levels(contents):
    def change(words, model, arrays):
        nan = {"dtype": "<f8", "shape": [2], "values": [1.0, {"float": "nan"}]}
        model["variables"]["levels"]["1"] = nan

    refuse(changed(contents["classifier"], change))


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


# ---- trees that are none


class Nodes:
    """The inner nodes of a file, field by field."""

    def __init__(self, arrays):
        self.bytes = arrays["nodes"]

    def child(self, t, which):
        return int(self.bytes[t, 3 + 4 * which : 7 + 4 * which].view("<u4")[0])

    def set_child(self, t, which, bits):
        self.bytes[t, 3 + 4 * which : 7 + 4 * which] = np.array([bits], "<u4").view(np.uint8)

    def set_head(self, t, feature, missing_first=False):
        head = feature | missing_first << 23
        self.bytes[t, :3] = np.array([head], "<u4").view(np.uint8)[:3]

    def set_threshold(self, t, bits):
        if isinstance(bits, float):
            bits = int(np.array(bits).view(np.uint64))
        self.bytes[t, 11:] = np.array([bits], "<u8").view(np.uint8)


LEAF = 1 << 31


def with_nodes(content, change):
    def of_arrays(words, model, arrays):
        change(Nodes(arrays), arrays)

    return changed(content, of_arrays)


@pytest.fixture(scope="module")
def deep():
    """Trees of some depth, of classes and of numbers."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    y = X[:, 0] * X[:, 1] > 0
    forests = (silvics.RandomForestClassifier, silvics.RandomForestRegressor)
    return [content_of(kind(2, random_state=0).fit(X, y)) for kind in forests]


def test_children_everywhere(deep):
    """Each child of each node replaced: itself, its parent, others, beyond, leaves of all sorts."""
    for content in deep:
        words, model, arrays = opened(content)
        n = int(arrays["first_node"][1])
        strange = [0, 1, 2, n - 1, n, n + 1, len(arrays["nodes"]), LEAF - 1]
        strange += [LEAF, LEAF + 1, LEAF + 2, LEAF + 3, LEAF + len(arrays["values"]), 2**32 - 1]
        for t in range(n):
            for which in (0, 1):
                for bits in {*strange, t, t + 1, max(t - 1, 0)}:
                    nodes = Nodes({"nodes": arrays["nodes"].copy()})
                    nodes.set_child(t, which, bits)
                    quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))


def test_a_cycle(deep):
    for content in deep:
        refuse(with_nodes(content, lambda nodes, arrays: nodes.set_child(1, 0, 0)))
        refuse(with_nodes(content, lambda nodes, arrays: nodes.set_child(0, 0, 0)))


def test_a_child_of_two(deep):
    def change(nodes, arrays):
        nodes.set_child(0, 1, nodes.child(0, 0))

    for content in deep:
        refuse(with_nodes(content, change))


def test_a_node_of_no_parent_and_one_of_two(deep):
    """As many children as there should be."""

    def change(nodes, arrays):
        inner = [t for t in range(5) if nodes.child(t, 0) < LEAF and nodes.child(t, 1) < LEAF]
        nodes.set_child(inner[0], 1, nodes.child(inner[-1], 0))

    for content in deep:
        refuse(with_nodes(content, change))


@pytest.mark.parametrize("feature", [3, 4, 255, 2**16, 2**23 - 1])
def test_variables_out_of_range(deep, feature):
    for content in deep:
        refuse(with_nodes(content, lambda nodes, a: nodes.set_head(2, feature)), "variable")


@pytest.mark.parametrize("bits", [LEAF + 2, LEAF + 10**6, 2**32 - 1])
def test_contents_of_leaves_out_of_range(deep, bits):
    def change(nodes, arrays):
        t = next(t for t in range(99) if nodes.child(t, 1) >= LEAF)
        nodes.set_child(t, 1, bits)

    for content in deep:
        if opened(content)[2]["values"].size != 0 and bits == LEAF + 2:
            continue
        refuse(with_nodes(content, change), "content")


def test_thresholds_that_are_no_numbers(content):
    """NaN of all sorts are rules of levels; infinities are thresholds."""
    words, model, arrays = opened(content)
    if "squeezed" in model:
        return
    for t in range(min(len(arrays["nodes"]), 6)):
        for form in range(8):
            for more in (0, 1, 2**15 - 1, 2**32, 2**47 - 1, 2**47):
                for sign in (0, 1):
                    nodes = Nodes({"nodes": arrays["nodes"].copy()})
                    nodes.set_threshold(t, sign << 63 | 0x7FF8 << 48 | form << 48 | more)
                    quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))
        for bits in (np.inf, -np.inf, 5e-324, 0x7FF0000000000001, 0xFFF8000000000000):
            nodes = Nodes({"nodes": arrays["nodes"].copy()})
            nodes.set_threshold(t, bits)
            quickly_used(closed(words, model, {**arrays, "nodes": nodes.bytes}))


@pytest.mark.parametrize("name", ["level_sets", "branches", "values", "samples", "weights"])
@pytest.mark.parametrize("which", ["levels", "records", "regressor", "classifier", "isolation"])
def test_every_number_of_side_tables_replaced(contents, name, which):
    words, model, arrays = opened(contents[which])
    if name not in arrays:
        return
    table = arrays[name]
    if table.dtype.kind == "f":
        strange = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, -1e308, 5e-324, 2.0**53]
    else:
        most = int(np.iinfo(table.dtype).max)
        strange = [0, 1, 2, 3, 7, 31, 32, 33, most, most - 1, most // 2, most // 2 + 1]
    for at in range(min(table.size, 20)):
        for value in strange:
            other = table.copy()
            other.reshape(-1)[at] = value
            quickly_used(closed(words, model, {**arrays, name: other}))


def test_two_nodes_with_the_same_record():
    """Children of one would be numbered as those of the other."""
    words, model, arrays = opened(content_of(recipe_model(max_depth=2)))
    places = arrays["nodes"][:, 11:].copy().view("<u8")[:, 0]
    n_tried = 0
    for a in range(len(places)):
        for b in range(len(places)):
            if a != b and places[a] != places[b]:
                nodes = arrays["nodes"].copy()
                nodes[a, 11:] = nodes[b, 11:]
                outcome(closed(words, model, {**arrays, "nodes": nodes}))
                n_tried += 1
    assert n_tried > 5


def shared_record(n_children, whole, first=1):
    """A root with two children, which share the record that tells their children.

    All of those are leaves, so that no inner node has two parents.
    """
    words, model, arrays = opened(content_of(recipe_model(max_depth=1)))
    LEAF_A, LEAF_B = LEAF, LEAF + 1
    record = [0, n_children, 0, 2**32 - 1, 0, n_children - 1]
    record += [LEAF_A, LEAF_B, *[LEAF_A] * (n_children - 2)]
    for cut in range(n_children - 1):
        record += np.array([float(cut)]).view("<u4").tolist()
    nodes = Nodes({"nodes": np.zeros((3, 19), dtype=np.uint8)})
    nodes.set_threshold(0, 1.0)
    nodes.set_child(0, 0, first)
    nodes.set_child(0, 1, 3 - first)
    for t in (1, 2):
        nodes.set_threshold(t, 0x7FF8 << 48 | 4 << 48)
    arrays = {
        "first_node": np.array([0, 3], dtype=np.uint64),
        "nodes": nodes.bytes,
        "values": np.zeros(0),
        "first_branch": np.array([0, len(record)], dtype=np.uint64),
        "branches": np.array(record, dtype=np.uint32),
    }
    n_nodes = 3 + 2 * n_children
    model["forest"].update(n_trees=1, n_nodes=n_nodes)
    model["growth"] = None
    if not whole:
        model["contents"] = "prediction"
        return closed(words, model, arrays)
    arrays |= {
        "layout": np.array([5], dtype=np.uint8),
        "impurity_exponent": np.zeros(1, dtype=np.int32),
        "samples": np.ones(n_nodes, dtype=np.uint8),
        "weights": np.ones(n_nodes),
        "first_impurity": np.array([0, n_nodes], dtype=np.uint64),
        "impurity": np.zeros(n_nodes),
        "first_node_value": np.array([0, 9], dtype=np.uint64),
        "node_values": np.ones(9) / 3,
    }
    return closed(words, model, arrays)


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("n_children", [2, 3, 9])
def test_leaves_of_two_nodes_told_by_one_record(n_children, whole, first):
    refuse(shared_record(n_children, whole, first))


def test_a_record_within_a_record():
    """Records must lie side by side."""
    words, model, arrays = opened(content_of(recipe_model(max_depth=2)))
    branches = arrays["branches"]
    first = int(arrays["first_branch"][1])
    for at in range(first):
        nodes = Nodes({"nodes": arrays["nodes"].copy()})
        for t in range(int(arrays["first_node"][1])):
            nodes.set_threshold(t, 0x7FFC << 48 | at)
            outcome(closed(words, model, {**arrays, "nodes": nodes.bytes, "branches": branches}))


def test_starts_of_trees(content):
    words, model, arrays = opened(content)
    for name in [n for n in arrays if n.startswith("first_") and "squeezed" not in model]:
        for at in range(len(arrays[name])):
            for value in (0, 1, 2, 2**31, 2**32, 2**63, 2**64 - 1, len(arrays["nodes"])):
                first = arrays[name].copy()
                first[at] = value
                if (first != arrays[name]).any():
                    quickly_used(closed(words, model, {**arrays, name: first}))


def test_numbers_of_trees_and_nodes_that_are_not_those(plain):
    for name in ("n_trees", "n_nodes"):
        for value in (0, 1, 3, 13, 2**31, 2**62):
            refuse(
                changed(plain, lambda w, model, a, n=name, v=value: model["forest"].update({n: v}))
            )


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


# ---- bombs


def squeezed_with(content, **numbers):
    """A squeezed file with other arrays."""

    def change(words, model, arrays):
        for name, array in numbers.items():
            model["squeezed"][name] = {
                "dtype": array.dtype.name, "shape": list(array.shape), "distinct": None,
            }  # fmt: skip
            arrays[name] = squeeze._in_planes(array)
            arrays.pop(name + ".places", None)

    return changed(content, change)


def test_a_squeezed_array_of_another_size(contents):
    words, model, arrays = opened(contents["squeezed"])
    text = json.dumps(model)
    for name, told in model["squeezed"].items():
        n = told["shape"][0]
        for shape in (
            [n + 1],
            [n - 1],
            [0],
            [2**47],
            [2**48],
            [n, 1],
            [1, n],
            [n, 0],
            [0, 0],
            [-n],
        ):
            if shape == told["shape"]:
                continue
            other = json.loads(text)
            other["squeezed"][name]["shape"] = shape
            quickly_used(closed(words, other, arrays))
        for distinct in (0, 1, 2, 2**31, 2**47, -1, True, 1.0, "1", []):
            other = json.loads(text)
            other["squeezed"][name]["distinct"] = distinct
            quickly_used(closed(words, other, arrays))
            more = {**arrays, name + ".places": arrays["first_node"]}
            quickly_used(closed(words, other, more))


def test_squeezed_bytes_that_are_not(contents):
    words, model, arrays = opened(contents["squeezed"])
    for name, small in arrays.items():
        numbers = zlib.decompress(small.tobytes())
        for strange in (
            b"", b"x", small.tobytes()[:-1], small.tobytes() + b"\0", small.tobytes() * 2,
            zlib.compress(numbers)[2:-4], zlib.compress(numbers + b"\0"), zlib.compress(b""),
            b"BZh9" + numbers,
        ):  # fmt: skip
            other = np.frombuffer(strange, dtype=np.uint8)
            if strange != small.tobytes():
                refuse(closed(words, model, {**arrays, name: other}))
        as_words = {**arrays, name: np.zeros(3, dtype=np.uint32)}
        refuse(closed(words, model, as_words))


def test_squeezed_trees_that_begin_anywhere(contents):
    """A small file of many trees that are all nodes would take for ever."""
    n = 20_000
    first = np.tile(np.array([0, n], dtype=np.uint64), n)
    nodes = np.zeros((n, 19), dtype=np.uint8)
    content = squeezed_with(contents["squeezed"], first_node=first, nodes=nodes)
    assert len(content) < 12_000
    refuse(content, "not contiguous")
    for strange in ([], [0], [n], [1, n], [0, n + 1], [0, 2**40], [0, 2**64 - 1], [[0, n]]):
        first = np.array(strange, dtype=np.uint64)
        quickly_used(squeezed_with(contents["squeezed"], first_node=first))
        quickly_used(squeezed_with(contents["squeezed"], first_node=first, nodes=nodes))


def one_set_of_many_nodes(n):
    """A chain of n category nodes that all have the same set, of n levels."""
    words, model, _ = opened(content_of(many_levels_model(), for_prediction=True))
    children = np.empty((n, 2), dtype="<u4")
    children[:, 0] = np.arange(1, n + 1)
    children[:, 1] = LEAF + np.arange(n)
    children[-1] = LEAF + n - 1, LEAF + n
    nodes = np.zeros((n, 19), dtype=np.uint8)
    nodes[:, 3:11] = children.view(np.uint8)
    nodes[:, 11:] = np.array([0x7FFB << 48], dtype="<u8").view(np.uint8)
    sets = np.zeros(n + 1, dtype=np.uint32)
    sets[0] = LEAF | n
    arrays = {
        "first_node": np.array([0, n], dtype=np.uint64),
        "nodes": nodes,
        "values": np.zeros(n + 1),
        "first_set": np.array([0, n + 1], dtype=np.uint64),
        "level_sets": sets,
    }
    model["forest"].update(n_trees=1, n_nodes=2 * n + 1)
    return closed(words, model, arrays)


def test_a_set_of_many_nodes_is_not_looked_through_for_each():
    content = one_set_of_many_nodes(40_000)
    begin = time.process_time()
    with contextlib.suppress(silvics.ModelFileError):
        loaded(content)
    assert time.process_time() - begin < 0.4


def peak_of(content):
    """Bytes that loading allocates at most."""
    tracemalloc.start()
    try:
        assert not quickly_used(content)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def hostile_files(contents):
    """Files of a few kilobytes that tell of more."""
    plain = contents["classifier"]

    def told(change):
        return changed(plain, lambda words, model, arrays: change(model))

    for n in (10**5, 2**23, 2**23 - 1, 2**31, 2**40, 2**62):
        yield told(lambda model, n=n: model["variables"].update(n=n))
        yield told(lambda model, n=n: model["outputs"].update(n=n))
        yield told(lambda model, n=n: model["forest"].update(n_nodes=n))
        yield told(lambda model, n=n: model["forest"].update(n_trees=n))
    wide = {"dtype": "<U1000", "shape": [400], "values": ["a" * 400] + ["b"] * 399}
    yield told(lambda model: model["outputs"].update(classes=[wide]))
    wide = {"dtype": "<U99999", "shape": [2], "values": ["a", "b"]}
    yield told(lambda model: model["outputs"].update(classes=[wide]))
    wide = {"dtype": "<U1024", "shape": [400], "values": [""] * 400}
    yield told(lambda model: model["outputs"].update(classes=[wide]))
    yield told(lambda model: model["parameters"].update(class_weight={"array": wide}))
    for shape in ([2**31], [2**40], [2**20, 2**20], [2**28]):

        def larger(words, model, arrays, shape=shape):
            for of in model["squeezed"].values():
                of["shape"] = shape

        yield changed(contents["squeezed"], larger)


def test_a_small_file_never_takes_much_memory(contents):
    for content in hostile_files(contents):
        assert len(content) < 8000
        assert peak_of(content) < 4e6


def test_a_bomb_takes_no_more_than_it_can_be(contents):
    """Zeros are squeezed a thousandfold; nobody is to believe that."""
    zeros = np.zeros(2_000_000)
    told = squeezed_with(contents["squeezed"], values=zeros)
    assert len(told) < 20_000
    refuse(told, "too small for")
    assert peak_of(told) < 1e6
    for n in (8, 100_000):  # more than is told is never made

        def smaller(words, model, arrays, n=n):
            model["squeezed"]["values"]["shape"] = [n]

        assert peak_of(changed(told, smaller)) < 4e6


def test_what_can_be_squeezed_beyond_belief_is_not():
    """Thousands of trees that are all the same."""
    forest = silvics.RandomForestRegressor(20_000).fit([[0.0], [1.0]], [1.0, 1.0])
    content = content_of(forest, compress=True)
    assert "squeezed" not in opened(content)[1]
    assert loaded(content).digest() == forest.digest()


def test_memory_is_a_small_multiple_of_any_file(plain):
    """Of headers with as much in them as possible, and of bytes that are squeezed."""
    words, _, arrays = opened(plain)
    for part in ("[],", "{},", '{"":0},', '"a",', "0.5,", '[{"tuple":[]}],'):
        text = "[" + part * (300_000 // len(part)) + "0]"
        for content in (
            closed(words, text, arrays),
            with_header(BEGIN + b'0"}, "a":' + text.encode()),
        ):
            assert peak_of(content) < 60 * len(content)

    def parameter(words, model, arrays):
        model["parameters"]["class_weight"] = {"dict": [[i, []] for i in range(30_000)]}

    content = changed(plain, parameter)
    tracemalloc.start()
    with contextlib.suppress(silvics.ModelFileError):
        loaded(content)
    assert tracemalloc.get_traced_memory()[1] < 60 * len(content)
    tracemalloc.stop()


def test_an_address_space_of_little_more_than_the_process(contents, tmp_path):
    """Not only Python's own allocations."""
    for i, content in enumerate(hostile_files(contents)):
        (tmp_path / f"{i}").write_bytes(content)
    code = """
import resource, sys
from pathlib import Path
import silvics
silvics.load(sys.argv[2])
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 16_000_000,) * 2)
n = 0
for path in Path(sys.argv[1]).iterdir():
    try:
        silvics.load(path)
    except silvics.ModelFileError:
        n += 1
print(n)
"""
    good = tmp_path.parent / "good.silvics"
    good.write_bytes(contents["classifier"])
    ran = subprocess.run(
        [sys.executable, "-c", code, tmp_path, good],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.stderr == ""
    assert int(ran.stdout) == len(list(Path(tmp_path).iterdir()))
