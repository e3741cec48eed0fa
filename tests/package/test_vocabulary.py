"""Identifiers use the words of the field: CONTRIBUTING.md has the glossary."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Words that the code once had for what the field calls stats, encode, predictor, missing, small
# node, structure samples, and a check.
REPLACED = {"facts", "told", "telling", "walker", "holes", "few", "voters", "witness"}
PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
NO_CODE = re.compile(r'//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"')


def sources():
    for folder in ("core", "bindings", "src"):
        for suffix in ("cpp", "hpp", "py"):
            yield from sorted((ROOT / folder).rglob(f"*.{suffix}"))


def identifiers(path):
    text = path.read_text()
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {token.string for token in tokens if token.type == tokenize.NAME}
    return set(re.findall(r"[A-Za-z_]\w*", NO_CODE.sub("", text)))


def parts(identifier):
    """``kFewSamples`` is made of k, few and samples."""
    return {part.lower() for part in PARTS.findall(identifier)}


@pytest.mark.parametrize("path", list(sources()), ids=lambda path: str(path.relative_to(ROOT)))
def test_identifiers_are_in_the_words_of_the_field(path):
    names = identifiers(path) | {path.stem}
    assert not sorted(name for name in names if parts(name) & REPLACED)


@pytest.mark.parametrize("name", ["NodeFacts", "kFew", "_told_levels", "at_voters_", "RowWalker"])
def test_replaced_words_are_found_within_identifiers(name):
    assert parts(name) & REPLACED
