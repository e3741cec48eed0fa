"""Files made to deceive: every word of the header wrong."""

import json

import numpy as np
import pytest

import silvics

from .files import (
    AT_SUM,
    BEGIN,
    changed,
    closed,
    content_of,
    mended,
    opened,
    outcome,
    quickly_used,
    with_header,
)
from .hostile_models import NOT_VALID, refuse

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
        # Files of older versions lack parameters, and the reason why growth ended.
        if (len(path) == 2 and path[0] == "parameters") or path == ("fitted", "stopped_"):
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


# ---- stages


def test_stages_that_trees_cannot_have():
    y = np.linspace(0.0, 1.0, 40) ** 2
    X = np.random.default_rng(0).normal(size=(40, 2))
    whole = silvics.ForestRegressor("residual_forest", 40, random_state=0).fit(X, y)
    content = content_of(whole)
    for damage in (3, 0, 1, -2, 2.5, "two", None, True, [2]):
        refuse(changed(content, lambda _words, model, _arrays, d=damage: put_stages(model, d)))
    odd = content_of(silvics.ForestRegressor("bagging", 3, random_state=0).fit(X, y))
    classes = content_of(silvics.ForestClassifier("bagging", 4, random_state=0).fit(X, y > 0.5))
    tree = content_of(silvics.DecisionTreeRegressor().fit(X, y))
    for other in (odd, classes, tree):
        refuse(changed(other, lambda _words, model, _arrays: put_stages(model, 2)))


def put_stages(model, stages):
    model["forest"]["stages"] = stages
