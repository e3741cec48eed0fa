"""Restoring of a fitted model from the metadata and arrays of a file, with all checks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from silvics import _core
from silvics._fitting import targets
from silvics._fitting.parameters import MAX_DRAWS
from silvics._predicting.calibrated import are_maps_of
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.oob_stats import are_of
from silvics._predicting.prediction import Trees
from silvics._predicting.sampling import RowSampling
from silvics._predicting.training_samples import TrainingSamples
from silvics._tables.column_values import is_missing
from silvics._tables.table import Variables
from silvics.model_file import json_values, squeeze
from silvics.model_file.container import FORMAT_VERSION, ModelFileError, parsed, refuse
from silvics.model_file.state import (
    ESTIMATORS,
    FITTED,
    KIND_OF,
    LEVELS,
    ROWS,
    SAMPLES,
    SAMPLING,
    STATS,
    is_bool,
    is_int,
    is_seed,
    or_none,
    own_name,
)


class _Fields:
    """A JSON object of the header, whose entries are taken and checked one by one."""

    def __init__(self, content: Any, what: str) -> None:
        if not isinstance(content, dict):
            refuse(f"{what} is not an object")
        self._content, self._what = dict(content), what

    def take(self, name: str, check: Callable[[Any], bool]) -> Any:
        if name not in self._content:
            refuse(f"{self._what} has no {name!r}")
        value = self._content.pop(name)
        if not check(value):
            refuse(f"{name!r} of {self._what} has the invalid value {value!r:.60}")
        return value

    def part(self, name: str) -> _Fields:
        return _Fields(self.take(name, lambda value: isinstance(value, dict)), name)

    def has(self, name: str) -> bool:
        return name in self._content

    def rest(self) -> dict[str, Any]:
        return self._content

    def end(self) -> None:
        if self._content:
            refuse(f"{self._what} has {next(iter(self._content))!r}, which is not known")


def restored(
    metadata: dict[str, str],
    arrays: dict[str, np.ndarray],
    make_model: Callable[[str, dict[str, Any]], Any],
) -> Any:
    """Restore a model from the result of ``described``.

    ``make_model`` is called with the name of the estimator and its encoded parameters, and returns
    the model that receives the fitted state.
    """
    try:
        return _restored(metadata, arrays, make_model)
    except ModelFileError:
        raise
    except ValueError as error:  # raised by the core, which checks the trees
        raise ModelFileError(f"Not a valid model file: {error}.") from error
    except RecursionError:  # raised for deeply nested JSON
        refuse("values are nested too deeply")


def _restored(
    metadata: dict[str, str],
    arrays: dict[str, np.ndarray],
    make_model: Callable[[str, dict[str, Any]], Any],
) -> Any:
    if metadata.keys() != {"format", "version", "model"} or metadata["format"] != "silvics":
        refuse("it is not a silvics model")
    if metadata["version"] != str(FORMAT_VERSION):
        refuse(
            f"its format is version {metadata['version']!r:.20}, and this library reads version "
            f"{FORMAT_VERSION}: use a newer version of silvics"
        )
    content = _Fields(parsed(metadata["model"].encode("utf-8", "surrogatepass")), "the model")
    name = content.take("estimator", lambda value: value in ESTIMATORS)
    content.take("library", lambda value: isinstance(value, str))
    whole = content.take("contents", lambda value: value in ("all", "prediction")) == "all"
    digest = content.take("digest", or_none(_is_digest) if whole else _is_digest)
    training_rows = content.take("training_rows", is_bool)
    if content.has("squeezed"):
        arrays = squeeze.unsqueezed(content.part("squeezed").rest(), arrays)
    model = make_model(name, content.part("parameters").rest())
    if own_name(type(model)) != name:
        refuse(f"it is a {name}, not a {type(model).__name__}")
    variables = _read_variables(content.part("variables"))
    outputs = content.part("outputs")
    forest = content.part("forest")
    classes = _read_classes(outputs, model)
    fitted, growth = content.part("fitted"), content.take("growth", _is_object_or_none)
    samples = content.part("samples") if content.has("samples") else None
    content.end()
    known = {name: arrays.pop(name) for name in STATS if name in arrays}
    work = arrays.pop("work", None)
    of_rows = [arrays.pop(name, None) for name in ("sample_weight", "groups", "strata")]
    by_row = {name: arrays.pop(name.strip("_"), None) for name in ROWS}
    members = {of: arrays.pop(name) for name, of in SAMPLES.items() if name in arrays}
    member_outputs = arrays.pop("member_outputs", None)
    packed = _core.PackedForest.from_arrays(
        arrays,
        len(variables.kinds),
        outputs.take("n", is_int(1, 2**31)),
        [len(of) for of in classes],
        forest.take("both_ways", is_bool),
    )
    outputs.end()
    problem = model._problem_of_stored_trees(packed, arrays["values"])
    if problem is not None:
        refuse(problem)
    stats = _core.TrainingStats.from_arrays(packed, known) if whole else None
    if (not whole and (known or growth)) or (not training_rows and any(
        array is not None for array in [*of_rows, samples, *by_row.values()]
    )):  # fmt: skip
        refuse("it has data that its header does not announce")
    trees = Trees.stored(
        packed, stats, forest.take("as_float32", is_bool), forest.take("by_majority", is_bool),
        digest,
    )  # fmt: skip
    if forest.take("n_trees", is_int(1)) != len(trees) or forest.take("n_nodes", is_int(1)) != sum(
        trees.node_counts
    ):
        refuse("the number of trees or nodes does not match its header")
    stages = _read_stages(forest, model, trees)
    weights_given = fitted.has("_weights_given") and fitted.take("_weights_given", is_bool)
    if model._is_single_tree and (len(trees) != 1 or growth or work is not None):
        refuse("a single tree has several trees, or the growth of a forest")
    grown = replace(_read_growth(growth, trees, work, weights_given, *of_rows), stages=stages)
    if samples is not None or members or member_outputs is not None:
        read = _read_samples(samples, members, member_outputs, grown, [len(of) for of in classes])
        grown = replace(grown, samples=read)
    _put(model, variables, classes, packed)
    model._take_stored(grown)
    for attribute, check in FITTED.items():
        if fitted.has(attribute) or attribute in model._needed_in_files(growth is not None):
            setattr(model, attribute, fitted.take(attribute, check))
    fitted.end()
    if hasattr(model, "interrupted_") and not hasattr(model, "stopped_"):
        model.stopped_ = None  # files of older versions
    if getattr(model, "_n_columns_of_tree", 1) > len(variables.kinds):
        refuse("trees have drawn more columns than there are")
    oob_stats = getattr(model, "_oob_stats", [])
    if not are_of(oob_stats, packed.n_outputs, [len(of) for of in classes]):
        refuse("the out-of-bag errors do not match the outputs or classes")
    if not are_maps_of(getattr(model, "_calibration", []), [len(of) for of in classes]):
        refuse("the calibration does not match the outputs or classes")
    _put_rows(model, by_row, None if grown.sampling is None else grown.sampling.n_samples)
    return model


def _read_stages(forest: _Fields, model: Any, trees: Trees) -> int:
    """Read the last field of a forest: the stages of a regression forest of any recipe."""
    stages = 1
    if forest.has("stages"):
        stages = forest.take("stages", is_int(2, 2))
        can_have = "stages" in type(model)._get_param_names() and not model._classification
        if not can_have or len(trees) % stages:
            refuse("its trees cannot be those of two stages")
    forest.end()
    return stages


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _is_object_or_none(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _read_variables(fields: _Fields) -> Variables:
    n = fields.take("n", is_int(1, 2**31))
    names = fields.take("names", lambda value: value is None or isinstance(value, list))
    if names is not None and (len(names) != n or not all(isinstance(x, str) for x in names)):
        refuse("the names do not match the number of variables")
    letters = fields.take("kinds", lambda value: isinstance(value, str))
    levels, rare = fields.part("levels").rest(), fields.part("rare").rest()
    fields.end()
    if len(letters) != n or not set(letters) <= KIND_OF.keys():
        refuse("the kinds do not match the number of variables")
    kinds = tuple(KIND_OF[letter] for letter in letters)
    categories = [str(j) for j, kind in enumerate(kinds) if kind == "category"]
    ordered = [str(j) for j, kind in enumerate(kinds) if kind == "ordered"]
    if levels.keys() != {*categories, *ordered} or rare.keys() != set(categories):
        refuse("the levels are not those of the categories")
    of_names = None if names is None else np.array(names, dtype=object)
    return Variables(of_names, kinds, _read_levels(levels, kinds), _read_levels(rare, kinds))


def _read_levels(fields: dict[str, Any], kinds: tuple[str, ...]) -> tuple[np.ndarray | None, ...]:
    levels: list[np.ndarray | None] = [None] * len(kinds)
    for at, of in fields.items():
        array, kind = json_values.read_array(of), kinds[int(at)]
        values = array.tolist()
        if array.ndim != 1 or array.dtype.str not in LEVELS or len(set(values)) != len(values):
            refuse(f"the levels of variable {at} are not valid")
        if array.dtype.kind == "O" and not all(type(level) is str for level in values):
            refuse(f"the levels of variable {at} are not valid")
        if array.dtype.kind in "fMm" and is_missing(array).any():
            refuse(f"variable {at} has a missing level")
        if kind == "category" and any(a > b for a, b in pairwise(values)):
            refuse(f"the levels of variable {at} are not sorted")
        levels[int(at)] = array
    return tuple(levels)


def _read_classes(outputs: _Fields, model: Any) -> list[np.ndarray]:
    fields = outputs.take("classes", lambda value: value is None or isinstance(value, list))
    if (fields is None) == bool(getattr(model, "_classification", False)):
        refuse("a regression has classes, or a classification has none")
    classes = [json_values.read_array(of) for of in fields or []]
    for of in classes:
        labels = of.tolist()
        if of.ndim != 1 or not labels:
            refuse("the classes of an output are not valid")
        json_values.check_hashes(labels)
        if len(set(labels)) != len(labels):
            refuse("the classes of an output are not valid")
    return classes


def _put(
    model: Any,
    variables: Variables,
    classes: list[np.ndarray],
    packed: _core.PackedForest,
) -> None:
    model._variables = variables
    model.n_features_in_ = len(variables.kinds)
    if variables.names is not None:
        model.feature_names_in_ = variables.names
    model.n_outputs_ = packed.n_outputs
    if classes:
        targets.set_classes(model, classes)


def _read_growth(
    fields: dict[str, Any] | None,
    trees: Trees,
    work: np.ndarray | None,
    weights_given: bool,
    weights: np.ndarray | None,
    groups: np.ndarray | None,
    strata: np.ndarray | None,
) -> GrownForest:
    """Read how the trees were grown, if the file has it."""
    if fields is None:
        if any(array is not None for array in (work, weights, groups, strata)):
            refuse("a forest without growth has work, weights, groups or strata")
        return GrownForest(trees)
    growth = _Fields(fields, "growth")
    seed = growth.take("seed", is_seed)
    drawn = {field: growth.take(word, check) for word, field, check in SAMPLING}
    weighted, n_held_out = growth.take("weighted", is_bool), 0
    if growth.has("n_held_out"):  # trees were pruned on held-out rows
        n_held_out = growth.take("n_held_out", is_int(1, drawn["n_samples"] - 1))
    n_groups = 0
    if growth.has("n_groups"):
        n_groups = growth.take("n_groups", is_int(1, drawn["n_samples"]))
        if drawn["rows"] == "all" or n_held_out:
            refuse("its trees cannot have drawn groups")
        if drawn["n_drawn"] is None or drawn["n_drawn"] > n_groups:
            refuse("its trees cannot have drawn so many groups")
    replacement = growth.has("replacement") and growth.take("replacement", is_bool)
    n_strata = 0
    if growth.has("n_strata"):
        n_strata = growth.take("n_strata", is_int(1, drawn["n_samples"]))
    class_draws = _read_class_draws(growth, drawn, n_strata, n_groups)
    of_patches = replacement or (n_strata and not class_draws)
    if of_patches and (drawn["rows"] != "patches" or n_groups):
        refuse("its trees cannot have drawn rows of patches in this way")
    enough = n_strata <= (drawn["n_drawn"] or 0) <= drawn["n_samples"]
    if n_strata and (replacement or not (enough or class_draws)):
        refuse("its trees cannot have drawn rows of so many strata")
    growth.end()
    if work is None or work.dtype != np.uint64 or work.shape != (len(trees), 4):
        refuse("the work of growing does not match its trees")
    sampling = RowSampling(
        **drawn,
        weights=None if weights is None else _checked_weights(weights, drawn["n_samples"]),
        n_held_out=n_held_out,
        weights_given=weights_given,
        weights_known=(weights is not None or not weighted)
        and (groups is not None or not n_groups)
        and (strata is not None or not n_strata),
        groups=None if groups is None else _checked_groups(groups, drawn["n_samples"], n_groups),
        n_groups=n_groups,
        replacement=replacement,
        strata=None if strata is None else _checked_groups(strata, drawn["n_samples"], n_strata),
        n_strata=n_strata,
        class_draws=class_draws,
    )
    _check_class_draws(sampling, seed)
    return GrownForest(trees, seed, sampling, [tuple(of_tree) for of_tree in work.tolist()])


def _read_class_draws(
    growth: _Fields, drawn: dict[str, Any], n_strata: int, n_groups: int
) -> tuple[int, ...]:
    """Read how many rows trees have drawn of each class, if they have."""
    if not growth.has("class_draws"):
        return ()
    count = is_int(0, MAX_DRAWS)
    draws = growth.take("class_draws", lambda of: isinstance(of, list) and all(map(count, of)))
    if drawn["rows"] not in ("bootstrap", "subsample") or n_groups:
        refuse("its trees cannot have drawn rows by class")
    if not draws or len(draws) != n_strata or sum(draws) != drawn["n_drawn"]:
        refuse("its trees cannot have drawn so many rows of each class")
    return tuple(draws)


def _check_class_draws(sampling: RowSampling, seed: int) -> None:
    if sampling.class_draws and sampling.strata is not None:
        try:
            sampling.native(seed)
        except ValueError:
            refuse("its trees cannot have drawn so many rows of each class")


def _read_samples(
    fields: _Fields | None,
    arrays: dict[str, np.ndarray],
    outputs: np.ndarray | None,
    grown: GrownForest,
    n_classes: list[int],
) -> TrainingSamples:
    """Read the training rows of every leaf; the core checks the leaves."""
    if fields is None or outputs is None or grown.sampling is None:
        refuse("it has training rows that its header does not announce")
    n_parts, n_samples = fields.take("n_parts", is_int(2, 3)), grown.sampling.n_samples
    fields.end()
    packed = grown.trees.packed
    membership = _core.LeafMembership.from_arrays(packed, arrays, n_samples, n_parts)
    if outputs.shape != (n_samples * packed.n_outputs,):
        refuse("the outputs do not match the training rows")
    y = outputs.reshape(n_samples, packed.n_outputs)
    if n_classes:
        good = y.dtype == np.uint32 and (y < np.array(n_classes)).all()
        y = y.astype(np.int64)
    else:
        good = y.dtype == np.float64 and np.isfinite(y).all()
    if not good:
        refuse("the outputs of training rows are not valid")
    return TrainingSamples(membership, y)


def _checked_weights(weights: np.ndarray, n_samples: int) -> np.ndarray:
    _check_rows(weights, n_samples)
    with np.errstate(over="ignore"):
        good = weights.ndim == 1 and (weights >= 0).all() and 0 < weights.sum() < np.inf
    if not good:
        refuse("the weights of training rows are not valid")
    return weights.copy()


def _checked_groups(groups: np.ndarray, n_samples: int, n_groups: int) -> np.ndarray:
    good = groups.dtype == np.uint32 and groups.shape == (n_samples,)
    if not good or not np.array_equal(np.unique(groups), np.arange(n_groups)):
        refuse("the groups or strata of training rows are not valid")
    return groups.copy()


def _put_rows(model: Any, by_row: dict[str, np.ndarray | None], n_samples: int | None) -> None:
    for name, array in by_row.items():
        if array is not None:
            _check_rows(array, n_samples)
            setattr(model, name, array.copy())


def _check_rows(array: np.ndarray, n_samples: int | None) -> None:
    n = n_samples if n_samples is not None else len(array) if array.ndim else 0
    if array.dtype != np.float64 or array.ndim == 0 or len(array) != n:
        refuse("the data of training rows do not match their number")
