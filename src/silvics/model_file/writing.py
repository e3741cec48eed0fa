"""Conversion of a fitted model to the metadata and arrays of a file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from silvics import _core
from silvics._predicting.grown_forest import GrownForest
from silvics._predicting.prediction import Trees
from silvics._predicting.training_samples import TrainingSamples
from silvics._tables.table import Variables
from silvics._version import __version__
from silvics._warnings import warn_user
from silvics.model_file import json_values, squeeze
from silvics.model_file.container import FORMAT_VERSION
from silvics.model_file.state import FITTED, KINDS, OF_ONE_FIT, ROWS, SAMPLES, SAMPLING, own_name


def described(
    model: Any,
    *,
    for_prediction: bool,
    training_rows: bool,
    compress: bool = False,
    digest: bool = True,
    parameters: bool = True,
) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return the metadata and the arrays of a model file."""
    trees: Trees = model._trees
    if not for_prediction and not trees.known:
        raise ValueError(
            "This model was saved with for_prediction=True and can only predict. Save it with "
            "for_prediction=True again."
        )
    if for_prediction and training_rows:
        raise ValueError(
            "for_prediction=True and training_rows=True cannot be combined: a file for prediction "
            "has no training rows. Set one of them to False."
        )
    content: dict[str, Any] = {
        "estimator": own_name(type(model)),
        "library": __version__,
        "contents": "prediction" if for_prediction else "all",
        "digest": trees.digest() if digest else None,
        "parameters": _encode_parameters(model) if parameters else {},
        "variables": _encode_variables(model),
        "outputs": _encode_outputs(model, trees.packed),
        "forest": {
            "n_trees": len(trees),
            "n_nodes": sum(trees.node_counts),
            "as_float32": trees.as_float32,
            "by_majority": trees.by_majority,
            "both_ways": trees.packed.both_children,
        },
        "fitted": _encode_fitted(model),
        "growth": None,
        "training_rows": training_rows,
    }
    grown: GrownForest | None = getattr(model, "_grown", None)
    if grown is not None and grown.stages > 1:
        content["forest"]["stages"] = grown.stages
    arrays = dict(trees.packed.arrays())
    if not for_prediction:
        arrays |= trees.stats().arrays()
        if grown is not None and grown.sampling is not None:
            content["growth"] = _encode_growth(grown)
            if grown.sampling.weights_given:
                content["fitted"]["_weights_given"] = True
            arrays["work"] = np.array(grown.work, dtype=np.uint64)
            if training_rows and grown.sampling.weights is not None:
                arrays["sample_weight"] = np.asarray(grown.sampling.weights, dtype=np.float64)
            if training_rows and grown.sampling.groups is not None:
                arrays["groups"] = grown.sampling.groups
            if training_rows and grown.sampling.strata is not None:
                arrays["strata"] = grown.sampling.strata
            if training_rows and grown.samples is not None:
                content["samples"] = {"n_parts": grown.samples.membership.n_parts}
                arrays |= _samples_arrays(grown.samples)
    if training_rows:
        for name in ROWS:
            if (array := getattr(model, name, None)) is not None:
                arrays[name.strip("_")] = np.asarray(array, dtype=np.float64)
    if compress and (small := squeeze.squeezed(arrays)) is not None:
        content["squeezed"], arrays = small
    metadata = {"format": "silvics", "version": str(FORMAT_VERSION), "model": json.dumps(content)}
    return metadata, arrays


def _encode_growth(grown: GrownForest) -> dict[str, Any]:
    sampling = grown.sampling
    assert sampling is not None
    encoded = {"seed": _plain(grown.seed)}
    encoded |= {word: _plain(getattr(sampling, field)) for word, field, _ in SAMPLING}
    encoded["weighted"] = sampling.weights is not None or not sampling.weights_known
    if sampling.n_held_out:
        encoded["n_held_out"] = sampling.n_held_out
    if sampling.n_groups:
        encoded["n_groups"] = sampling.n_groups
    if sampling.replacement:
        encoded["replacement"] = True
    if sampling.n_strata:
        encoded["n_strata"] = sampling.n_strata
    if sampling.class_draws:
        encoded["class_draws"] = list(sampling.class_draws)
    return encoded


def _samples_arrays(samples: TrainingSamples) -> dict[str, np.ndarray]:
    found = samples.membership.arrays()
    arrays = {name: found[of] for name, of in SAMPLES.items() if of in found}
    y = samples.y.astype(np.uint32) if samples.y.dtype.kind == "i" else samples.y
    return {**arrays, "member_outputs": y.ravel()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _encode_parameters(model: Any) -> dict[str, Any]:
    encoded, lost = {}, []
    for name, value in model.get_params(deep=False).items():
        if name in OF_ONE_FIT:
            continue
        try:
            encoded[name] = json_values.encode(value)
        except json_values.NotData:
            lost.append(f"{name}={value!r:.60}")
    if lost:
        warn_user(
            f"The file does not have the values of {', '.join(lost)}, which are not plain data. "
            "The loaded model will have the default values."
        )
    return encoded


def _encode_variables(model: Any) -> dict[str, Any]:
    variables: Variables = model._variables
    return {
        "n": len(variables.kinds),
        "names": None if variables.names is None else variables.names.tolist(),
        "kinds": "".join(KINDS[kind] for kind in variables.kinds),
        "levels": _encode_levels(variables.levels),
        "rare": _encode_levels(variables.rare),
    }


def _encode_levels(levels: tuple[np.ndarray | None, ...]) -> dict[str, Any]:
    return {str(j): json_values.encode_array(of) for j, of in enumerate(levels) if of is not None}


def _encode_outputs(model: Any, packed: _core.PackedForest) -> dict[str, Any]:
    encoded: dict[str, Any] = {"n": packed.n_outputs, "classes": None}
    if packed.n_classes:
        classes = [model.classes_] if packed.n_outputs == 1 else model.classes_
        try:
            encoded["classes"] = [json_values.encode_array(np.asarray(of)) for of in classes]
        except json_values.NotData:
            raise ValueError(
                "The classes of this model are not numbers or text and cannot be written to a "
                "file. Fit on labels that are strings."
            ) from None
    return encoded


def _encode_fitted(model: Any) -> dict[str, Any]:
    there = {name: _plain(getattr(model, name)) for name in FITTED if name in vars(model)}
    return {name: value for name, value in there.items() if FITTED[name](value)}
