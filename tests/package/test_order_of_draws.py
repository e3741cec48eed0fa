"""No two arguments of one C++ call draw random numbers.

The order in which arguments are evaluated is left to the compiler: GCC often begins with the last
one, Clang with the first. Results would depend on it. Braces are evaluated from left to right.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    path
    for folder in ("core", "bindings", "tests/cpp")
    for path in sorted((ROOT / folder).rglob("*.?pp"))
    if "third_party" not in path.parts
]

GENERATOR = r"\b(?:rng|stream|stream_|order_)\b"
# pick(rng, 3), test::Made{rng, 3}, rng(), stream.below(3)
DRAW = re.compile(
    rf"[\w>\]][({{][^;]*?{GENERATOR}|{GENERATOR}\(|{GENERATOR}\.(?:next|below|uniform)\("
)
LAMBDA = re.compile(
    r"\[[&=\w, ]*\]\s*(?:\([^)]*\))?\s*(?:mutable)?\s*(?:->[^{]*)?\{.*\}", re.DOTALL
)
NO_CALL = {"for", "if", "switch", "while"}


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def without_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def arguments(text, begin):
    """The arguments of the call whose parenthesis stands at `begin`."""
    depth, start, found = 0, begin + 1, []
    for i in range(begin, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return [*found, text[start:i]]
        elif text[i] == "," and depth == 1:
            found.append(text[start:i])
            start = i + 1
    return []


def unordered_draws(text):
    """Lines of calls of which two arguments draw."""
    text = without_comments(text)
    lines = []
    for call in re.finditer(r"(\w+|>)\(", text):
        if call[1] in NO_CALL:
            continue
        drawing = [a for a in arguments(text, call.end() - 1) if DRAW.search(LAMBDA.sub("", a))]
        if len(drawing) > 1:
            lines.append(text.count("\n", 0, call.start()) + 1)
    return lines


@pytest.mark.parametrize(
    "text",
    [
        "f(pick(rng, 2), pick(rng, 3));",
        "const Made made(rng, 1 + pick(rng, 2),\n    some[test::pick(rng, 3)]);",
        "g<C>(rng(), rng());",
        "std::ldexp(stream.uniform(), stream.below(3));",
    ],
)
def test_draws_in_two_arguments_are_found(text):
    assert unordered_draws(text) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "f(rng, pick(rng, 3));",
        "const Made made{pick(rng, 2), pick(rng, 3)};",
        "f(pick(rng, 2));  // g(pick(rng, 2), pick(rng, 3))",
        "f(pick(rng, 2), [&] { return pick(rng, 3); });",
        "if (pick(rng, 2) == 0) f(pick(rng, 3), 1);",
    ],
)
def test_ordered_draws_are_not(text):
    assert unordered_draws(text) == []


def test_no_two_arguments_of_a_call_draw():
    assert len(FILES) > 300
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in FILES
        for line in unordered_draws(path.read_text())
    ]
    assert found == []
