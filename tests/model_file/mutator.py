"""Changes of model files that get past the first checks: words, arrays, nodes, one at a time."""

import json
import random

import numpy as np

from .files import closed, mended, opened, with_header

WORDS = [
    None, True, False, -1, 0, 1, 2, 3, 7, 255, 2**23, 2**31, 2**31 - 1, 2**32, 2**62, 2**63, 10**30,
    10**400, 0.5, 1.5, -0.0, 1e308, "", "x", "category", "object", "<U1", "<f8", "<M8[us]", "all",
    "both", "error", "heavier", "IsolationForest", "DecisionTreeClassifier", [], {}, [[]], [0],
    {"float": "nan"}, {"float": "inf"}, {"tuple": []}, {"dict": []}, {"dict": [["a", 1]]},
    {"array": {"dtype": "<f8", "shape": [1], "values": [0.5]}},
]  # fmt: skip
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, 2.0**53, np.nan, np.inf, -np.inf]
LEAF = 1 << 31


def mutated(content, seed, others=()):
    """A file like this one, with its checksum right; by chance with parts of others."""
    chance = random.Random(seed)
    try:
        return _mutated(content, chance, others)
    except Exception:  # a file that is none any more, or was none
        return _raw(content, chance)


def _mutated(content, chance, others):
    words, model, arrays = opened(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        kind = chance.choices(
            ["word", "number", "node", "array", "first", "record", "part", "header", "raw"],
            [6, 6, 6, 3, 2, 3, 1, 2, 1],
        )[0]
        if kind in ("header", "raw"):
            content = closed(words, model, arrays)
            return (_header if kind == "header" else _raw)(content, chance)
        if kind == "word":
            _word(model if chance.random() < 0.95 else words, chance)
        elif kind == "node" and "nodes" in arrays:
            _node(arrays, chance)
        elif kind == "record" and "branches" in arrays:
            _record(arrays, chance)
        elif kind == "first":
            _number(
                arrays,
                chance.choice([n for n in arrays if n.startswith("first")] or list(arrays) or [""]),
                chance,
            )
        elif kind == "array":
            _array(arrays, chance)
        elif kind == "part" and others:
            _part(model, arrays, chance.choice(others), chance)
        elif arrays:
            _number(arrays, chance.choice(list(arrays)), chance)
    return closed(words, model, arrays)


def _ways(tree, path=()):
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield (*path, key)
            yield from _ways(value, (*path, key))


def _word(tree, chance):
    ways = list(_ways(tree))
    if not ways:
        return
    *way, last = chance.choice(ways)
    for key in way:
        tree = tree[key]
    action = chance.random()
    if action < 0.1:
        tree.pop(last)
    elif action < 0.2 and isinstance(tree, dict):
        tree["more"] = chance.choice(WORDS)
    elif action < 0.3 and isinstance(tree, list):
        tree.append(chance.choice([*WORDS, *tree]))
    elif action < 0.5 and type(tree[last]) is int:
        tree[last] += chance.choice([-1, 1, 2, -2, 256, 2**31])
    elif action < 0.5 and isinstance(tree[last], str) and tree[last]:
        at = chance.randrange(len(tree[last]))
        tree[last] = (
            tree[last][:at] + chance.choice(["", "\0", "é", "\ud800", "a"]) + tree[last][at + 1 :]
        )
    elif action < 0.6 and isinstance(tree, list):
        chance.shuffle(tree)
    else:
        tree[last] = chance.choice(WORDS)


def _number(arrays, name, chance):
    if name not in arrays or not arrays[name].size:
        return
    flat = arrays[name] = np.array(arrays[name])
    flat = flat.reshape(-1)
    at = chance.randrange(flat.size)
    action = chance.random()
    if action < 0.3:
        flat.view(np.uint8)[chance.randrange(flat.nbytes)] ^= 1 << chance.randrange(8)
    elif action < 0.4:
        flat[at] = flat[chance.randrange(flat.size)]
    elif flat.dtype.kind == "f":
        with np.errstate(over="ignore"):  # too large for single precision: infinite
            flat[at] = chance.choice(REALS)
    else:
        most = int(np.iinfo(flat.dtype).max)
        near = int(flat[at]) + chance.choice([-1, 1])
        value = chance.choice([0, 1, 2, 3, most, most - 1, most // 2, most // 2 + 1, near])
        flat[at] = min(max(value, int(np.iinfo(flat.dtype).min)), most)


def _node(arrays, chance):
    nodes = np.array(arrays["nodes"])
    if nodes.dtype != np.uint8 or nodes.ndim != 2 or nodes.shape[1] != 19 or not len(nodes):
        return
    arrays["nodes"] = nodes
    t, u = chance.randrange(len(nodes)), chance.randrange(len(nodes))
    action = chance.random()
    if action < 0.4:
        at = chance.choice([3, 7])
        place = chance.choice([0, 1, t, t + 1, u, len(nodes), chance.randrange(2 * len(nodes) + 2)])
        bits = place | LEAF if chance.random() < 0.6 else place
        nodes[t, at : at + 4] = np.array([bits % 2**32], "<u4").view(np.uint8)
    elif action < 0.5:
        nodes[[t, u]] = nodes[[u, t]]
    elif action < 0.6:
        a, b = chance.choice([(0, 3), (3, 7), (7, 11), (11, 19)])
        nodes[t, a:b] = nodes[u, a:b]
    elif action < 0.7:
        head = chance.choice([0, 1, 2, 5, 2**22, 2**23, 2**23 - 1, 2**24 - 1])
        nodes[t, :3] = np.array([head], "<u4").view(np.uint8)[:3]
    elif action < 0.85:
        content = chance.choice([0, 1, 2, 5, 31, 2**15, 2**32, 2**46, 2**47 - 1])
        bits = 0x7FF8 << 48 | chance.randrange(8) << 48 | chance.randrange(2) << 47 | content
        nodes[t, 11:] = np.array([bits | chance.randrange(2) << 63], "<u8").view(np.uint8)
    else:
        nodes[t, 11:] = np.array([chance.choice(REALS)]).view(np.uint8)


def _record(arrays, chance):
    """Words of records, sizes and children first of all, and where nodes have theirs."""
    branches = np.array(arrays["branches"])
    if branches.dtype != np.uint32 or not branches.size:
        return
    arrays["branches"] = branches
    if chance.random() < 0.4 and "nodes" in arrays and arrays["nodes"].ndim == 2:
        nodes = arrays["nodes"] = np.array(arrays["nodes"])
        if nodes.dtype == np.uint8 and nodes.shape[1:] == (19,) and len(nodes):
            bits = 0x7FFC << 48 | chance.randrange(branches.size + 1)
            nodes[chance.randrange(len(nodes)), 11:] = np.array([bits], "<u8").view(np.uint8)
        return
    at = chance.randrange(min(branches.size, 40) if chance.random() < 0.5 else branches.size)
    branches.reshape(-1)[at] = chance.choice(
        [0, 1, 2, 3, 4, 6, 9, LEAF, LEAF + 1, LEAF + 2, LEAF + chance.randrange(50), 2**32 - 1,
         chance.randrange(50), 2**31 - 1, 2**30, 2**31 | 1, 2**31 | 2]
    )  # fmt: skip


def _array(arrays, chance):
    if not arrays:
        return
    name = chance.choice(list(arrays))
    array = arrays[name]
    action = chance.random()
    if action < 0.2:
        arrays.pop(name)
    elif action < 0.4:
        arrays[name] = array[: chance.randrange(len(array) + 1)] if array.ndim else array
    elif action < 0.6:
        arrays[name] = (
            np.concatenate([array, array[: chance.randrange(4)]]) if array.ndim else array
        )
    elif action < 0.8:
        kind = chance.choice(["u1", "<u2", "<u4", "<u8", "<i4", "<f8", "<f4", "<i8", "i1"])
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(kind)
    elif action < 0.9:
        arrays[name] = array.reshape(chance.choice([(-1, 1), (1, -1), (1, -1, 1), (-1,)]))
    else:
        arrays[chance.choice([*arrays, "work", "sample_weight", "more", "values.places"])] = array


def _part(model, arrays, other, chance):
    """An array, or a word, as another file has it."""
    _, words, theirs = opened(other)
    if chance.random() < 0.5:
        name = chance.choice(list(theirs))
        arrays[name] = theirs[name]
    else:
        name = chance.choice(list(words))
        model[name] = words[name]


def _header(content, chance):
    """What is told of arrays: offsets, shapes, types."""
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    names = [name for name in header if name != "__metadata__"]
    if not names:
        return content
    told = header[chance.choice(names)]
    key = chance.choice(list(told))
    if key == "dtype":
        told[key] = chance.choice(["F64", "F32", "U8", "I32", "U64", "I64", "U16", "BF16", "x"])
    elif chance.random() < 0.5:
        numbers = told[key]
        if numbers:
            numbers[chance.randrange(len(numbers))] += chance.choice([-8, -1, 1, 8, 2**61, 2**63])
    else:
        told[key] = chance.choice([*WORDS, [0, 0], [0, len(data)], [len(data)] * 2, [2**32] * 2])
    return with_header(json.dumps(header, separators=(",", ":")), data)


def _raw(content, chance):
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 5])):
        if not changed:
            break
        at = chance.randrange(len(changed))
        action = chance.random()
        if action < 0.6:
            changed[at] ^= 1 << chance.randrange(8)
        elif action < 0.7:
            del changed[at : at + chance.choice([1, 8, 64])]
        elif action < 0.8:
            changed[at:at] = changed[: chance.choice([1, 8, 64])]
        else:
            changed[at] = chance.choice(b'\0\xff"{}[],:0 \\')
    return mended(changed)
