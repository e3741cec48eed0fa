"""The function ``load``, which reads a model of any class."""

from __future__ import annotations

import os
from typing import Any, TypeVar, overload

from silvics.embedding import RandomTreesEmbedding
from silvics.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from silvics.isolation import IsolationForest
from silvics.model_file import container, json_values
from silvics.model_file.container import refuse
from silvics.model_file.reading import restored
from silvics.model_file.state import OF_ONE_FIT
from silvics.patches.forests import RandomPatchesClassifier, RandomPatchesRegressor
from silvics.recipe_forests import ForestClassifier, ForestRegressor
from silvics.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

Model = TypeVar("Model")

_CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        DecisionTreeClassifier,
        DecisionTreeRegressor,
        ExtraTreeClassifier,
        ExtraTreeRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        ForestClassifier,
        ForestRegressor,
        RandomPatchesClassifier,
        RandomPatchesRegressor,
        IsolationForest,
        RandomTreesEmbedding,
    )
}


@overload
def load(
    path: str | os.PathLike[str], expected: type[Model], *, memory_map: bool = True
) -> Model: ...


@overload
def load(
    path: str | os.PathLike[str], expected: None = None, *, memory_map: bool = True
) -> Any: ...


def load(
    path: str | os.PathLike[str], expected: type | None = None, *, memory_map: bool = True
) -> Any:
    """Load a model from a file written by ``model.save(path)``.

    Nothing in the file is executed, and all of it is checked. Files from untrusted sources either
    give a valid model or raise :class:`silvics.ModelFileError`.

    Parameters
    ----------
    path : str or path
        The file.
    expected : class or None, default=None
        Class that the model must have, such as ``silvics.RandomForestClassifier``. Editors and type
        checkers then know the type of the result. None accepts all classes.
    memory_map : bool, default=True
        Whether to map the file into memory instead of reading it. Processes that map the same file
        share its memory, and loading is fast. The file must not be overwritten in place while it is
        in use; ``save`` never does that. Compressed files are always read.

    Returns
    -------
    model : estimator
        The fitted model, which makes exactly the same predictions.

    Raises
    ------
    ModelFileError
        If the file is not a valid model, or the model is not of the expected class.

    Examples
    --------
    >>> import tempfile, silvics
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> forest = silvics.RandomForestClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     forest.save(f"{folder}/levels.silvics")
    ...     silvics.load(f"{folder}/levels.silvics").predict([[2.5]]).tolist()
    ['high']
    """
    if expected is not None and not isinstance(expected, type):
        raise TypeError(f"expected must be a class of silvics or None, got {expected!r}.")
    model = restored(*container.read(path, memory_map), new_model)
    if expected is not None and not isinstance(model, expected):
        raise container.ModelFileError(
            f"The file has a model of class {type(model).__name__}, but {expected.__name__} was "
            "expected."
        )
    return model


def new_model(name: str, parameters: dict[str, Any]) -> Any:
    """Create an estimator with these parameters; ModelFileError if they are not valid."""
    kind = _CLASSES[name]
    given = {name: json_values.read(value) for name, value in parameters.items()}
    if not OF_ONE_FIT.isdisjoint(given):
        refuse("its parameters name a cluster or a folder")
    try:
        model = kind(**given)
    except TypeError:
        refuse("it has an unknown parameter")
    try:
        model._validate_params()
    except (TypeError, ValueError) as error:
        refuse(f"{error}")
    return model
