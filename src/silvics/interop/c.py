"""Export to C: tables of nodes, and a function that traverses them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from silvics.interop import c_code
from silvics.interop.plain_model import COMBINATION, PlainModel, Split, distinct_rows

_LEAF, _OTHER = -1, -2  # values of ``feature`` that mark leaves and other splits
_RESERVED = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|"
    "inline|int|long|main|register|restrict|return|short|signed|sizeof|static|struct|switch|"
    "typedef|union|unsigned|void|volatile|while"
)

_OF_MATH_H = re.compile(
    # Functions, each for double, float and long double.
    "(acos|asin|atan|atan2|cos|sin|tan|acosh|asinh|atanh|cosh|sinh|tanh|exp|exp2|expm1|frexp|ilogb|"
    "ldexp|log|log10|log1p|log2|logb|modf|scalbn|scalbln|cbrt|fabs|hypot|pow|sqrt|erf|erfc|lgamma|"
    "tgamma|ceil|floor|nearbyint|rint|lrint|llrint|round|lround|llround|trunc|fmod|remainder|remquo|"
    "copysign|nan|nextafter|nexttoward|fdim|fmax|fmin|fma|"
    "j0|j1|jn|y0|y1|yn|gamma|lgamma_r|scalb|drem|significand|exp10|pow10|sincos|finite|roundeven|"
    "nextup|nextdown|canonicalize|isinf|isnan)[fl]?|"
    # Macros, types and variables.
    "fpclassify|isfinite|isnormal|signbit|isgreater|isgreaterequal|isless|islessequal|"
    "islessgreater|isunordered|issignaling|iszero|float_t|double_t|signgam|matherr|exception|"
    "math_errhandling|NAN|INFINITY|HUGE|HUGE_VAL[FL]?|MAXFLOAT|DOMAIN|SING|OVERFLOW|UNDERFLOW|"
    "PLOSS|TLOSS|SNANF?|(FP|MATH|M)_[A-Za-z0-9_]+"
)


def to_c(model: PlainModel, name: str) -> str:
    """Return C99 code of the model, with a function of this name."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or _RESERVED.fullmatch(name):
        raise ValueError(
            f"name must be a valid name of a C function, such as 'predict', got {name!r}."
        )
    if _OF_MATH_H.fullmatch(name):
        raise ValueError(
            f"name={name!r} is a name of C's <math.h>, which the code includes. Use another name, "
            f"such as '{name}_model'."
        )
    parts = [_tables(model)]
    if model.splits:
        parts.append(_split_tables(model))
    parts.append(c_code.functions(model))
    # Names chosen by the user occur in the header comment only.
    return _header(model, name) + "\n".join(parts).replace("NAME", name)


# ---- the comment


def _quoted(text: Any) -> str:
    """Return text in ASCII, on one line, that cannot begin or end a comment."""
    return json.dumps(text, default=str).replace("/", "\\u002f")


def _header(model: PlainModel, name: str) -> str:
    """Return the comment that describes the inputs and outputs of the function."""
    lines = [
        f"void {name}(const double *x, double *out): the prediction of one row.",
        "",
        f"x has {model.n_features} values, NAN where one is missing. A category is the number of",
        "a level, as listed; any other number is missing. Times are microseconds (since 1970).",
    ]
    if model.unknown_category == "heavier":
        lines.append("-2 stands for a level that was not seen in training.")
    lines.append("")
    known = zip(model.names, model.variables.kinds, model.variables.levels, strict=True)
    for j, (feature, kind, levels) in enumerate(known):
        lines.append(f"x[{j}]: {_quoted(feature)}, {kind}")
        if levels is not None:
            numbered = enumerate(levels.astype(object).tolist())
            lines += [f"    {i}: {_quoted(level)}" for i, level in numbered]
    lines.append("")
    if model.classes is None:
        lines += [f"out[{k}]: output {k}" for k in range(model.width)]
    else:
        labels = [(k, label) for k, of in enumerate(model.classes) for label in of.tolist()]
        lines += [
            f"out[{i}]: share of the class {_quoted(label)} of output {k}"
            for i, (k, label) in enumerate(labels)
        ]
    comment = "".join(f" * {line}".rstrip() + "\n" for line in lines)
    return f"/*\n{comment} */\n#include <math.h>\n\n"


# ---- tables


def _table(declaration: str, items: Iterable[str], nothing: str = "0") -> str:
    """Return a C array. C has no empty arrays, so one without items gets an unused item."""
    return f"static const {declaration}[] = {{\n" + (",\n".join(items) or nothing) + "\n};\n"


def _exact(numbers: Iterable[float]) -> Iterable[str]:
    return (x.hex() if math.isfinite(x) else f"{x:+}inity".upper() for x in numbers)


def _tables(model: PlainModel) -> str:
    """Return the tables of nodes, roots, and distinct leaf values."""
    # The vote of a leaf is known in advance, unless a sample can be in several leaves.
    values = model.value[model.is_leaf] if model.both_children else model.leaf_predictions()
    rows, row_of_leaf = distinct_rows(values)
    is_other = np.isnan(model.threshold)
    feature = np.where(model.is_leaf, _LEAF, np.where(is_other, _OTHER, model.feature))
    onward = model.right.copy()
    onward[model.is_leaf] = row_of_leaf
    onward[is_other] = np.arange(len(model.splits))
    nodes = zip(
        _exact(np.where(feature >= 0, model.threshold, 0.0).tolist()),
        feature.tolist(),
        onward.tolist(),
        model.missing_left.astype(int).tolist(),
        strict=True,
    )
    tables = [
        c_code.NODE,
        _table("struct NAME_node NAME_nodes", (f"{{{a},{b},{c},{d}}}" for a, b, c, d in nodes)),
        _table("int NAME_roots", map(str, model.roots[:-1].tolist())),
        _table("double NAME_values", _exact(rows.ravel().tolist())),
        f"enum {{ NAME_trees = {model.n_trees}, NAME_width = {model.width} }};\n",
    ]
    return "\n".join(tables)


def _split_tables(model: PlainModel) -> str:
    """Return the tables of other kinds of splits, with their children, terms, cuts and levels."""
    splits: list[str] = []
    children: list[int] = []
    terms: list[tuple[int, float]] = []
    cuts: list[float] = []
    levels: list[int] = []
    for t, split in model.splits.items():
        feature = int(model.feature[t])
        n_levels = 0 if split.levels is None else model.variables.n_levels[feature]
        listed, hit, rest = _listed(split, n_levels)
        numbers = (
            0 if feature == COMBINATION else feature,
            *(len(terms), len(split.terms)),
            *(len(children), split.missing, int(model.goes_to_both_children(split))),
            *(len(cuts), len(split.thresholds)),
            *(len(levels), len(listed), n_levels, hit, rest),
            split.unknown if model.unknown_category == "heavier" else -1,
        )
        splits.append("{" + ",".join(map(str, numbers)) + "}")
        children += split.children
        terms += split.terms
        cuts += split.thresholds
        levels += listed
    tables = [
        c_code.SPLIT,
        _table("struct NAME_split NAME_splits", splits),
        _table("int NAME_children", map(str, children)),
        _table("struct NAME_term NAME_terms", (f"{{{a.hex()},{j}}}" for j, a in terms), "{0,0}"),
        _table("double NAME_cuts", _exact(cuts)),
        _table("int NAME_levels", map(str, levels)),
    ]
    return "\n".join(tables)


def _listed(split: Split, n_levels: int) -> tuple[list[int], int, int]:
    """Return levels to list, ascending, the child they go to, and the child of other levels.

    The child -1 means that each listed level has its own child. For a subset, the smaller one of
    the two sets of levels is listed.
    """
    if split.levels is None:
        return [], 0, 0
    if len(split.levels) != 1 or split.rest != 1:
        return [level for levels in split.levels for level in levels], -1, split.rest
    left = split.levels[0]
    if 2 * len(left) <= n_levels:
        return left, 0, 1
    return sorted(set(range(n_levels)) - set(left)), 1, 0
