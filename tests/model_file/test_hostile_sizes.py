"""Files made to deceive: small files that claim to be large, compressed or not."""

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

import silvics
from silvics.model_file import squeeze

from .files import (
    BEGIN,
    changed,
    closed,
    content_of,
    loaded,
    opened,
    quickly_used,
    with_header,
)
from .hostile_models import LEAF, many_levels_model, refuse

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
