"""``silvics.load``: a model of any class, out of a file."""

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
    """Read a model that ``model.save(path)`` has written.

    Nothing of the file is executed, and nothing is believed before it is checked: any bytes give a
    valid model or :class:`silvics.ModelFileError`.

    Parameters
    ----------
    path : str or path
        The file.
    expected : class or None
        The class that the model must be of, such as ``silvics.RandomForestClassifier``; editors and
        type checkers then know it too. None takes a model of any class.
    memory_map : bool
        Whether to look into the file instead of reading it: all processes that do so share its
        memory, and it predicts at once. The file must not be written over in place while it is in
        use; ``save`` never does. Compressed files are read.

    Returns
    -------
    model : estimator
        Predicts the same, bit for bit.

    Raises
    ------
    ModelFileError
        If the file is not a valid model, or holds one of another class than expected.

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
            f"The file holds a model of class {type(model).__name__}, and {expected.__name__} was "
            "expected."
        )
    return model


def new_model(name: str, parameters: dict[str, Any]) -> Any:
    """An estimator with these parameters, which may be the first thing that is wrong with it."""
    kind = _CLASSES[name]
    given = {name: json_values.read(value) for name, value in parameters.items()}
    try:
        model = kind(**given)
    except TypeError:
        refuse("a parameter that is not known")
    try:
        model._validate_params()
    except (TypeError, ValueError) as error:
        refuse(f"{error}")
    return model
