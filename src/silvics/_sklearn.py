"""scikit-learn's base classes and decorators, with type annotations.

At run time all names are scikit-learn's own. For type checkers, the decorators preserve the type of
the decorated method. mypy ignores packages without types and would treat every base class as Any,
so that a derived class would have every attribute; it therefore gets declarations of the methods
that users call. Other type checkers read scikit-learn's source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

_Method = TypeVar("_Method", bound=Callable[..., Any])

MYPY = False  # mypy treats this name as True

if MYPY:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def set_fit_request(self, **params: bool | str | None) -> Self: ...
        def set_score_request(self, **params: bool | str | None) -> Self: ...
        def _validate_params(self) -> None: ...
        def _repr_html_(self) -> str: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...

    class MultiOutputMixin:
        def __sklearn_tags__(self) -> Any: ...

    class MetaEstimatorMixin:
        pass

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class OutlierMixin:
        def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> np.ndarray: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    class SelectorMixin(TransformerMixin):
        def get_support(self, indices: bool = False) -> np.ndarray: ...
        def transform(self, X: Any) -> Any: ...
        def inverse_transform(self, X: Any) -> Any: ...
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...

    class CallbackSupportMixin:
        def set_callbacks(self, *callbacks: Any) -> Self: ...
        def _init_callback_context(self, **settings: Any) -> Any: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        MetaEstimatorMixin,
        MultiOutputMixin,
        OutlierMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.callback import CallbackSupportMixin
    from sklearn.feature_selection import SelectorMixin

if TYPE_CHECKING:

    def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[_Method], _Method]: ...

    def with_callbacks(method: _Method) -> _Method: ...

    def available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]: ...

else:
    from sklearn.base import _fit_context as fit_context
    from sklearn.callback import with_callbacks
    from sklearn.utils.metaestimators import available_if

__all__ = [
    "BaseEstimator",
    "CallbackSupportMixin",
    "ClassifierMixin",
    "MetaEstimatorMixin",
    "MultiOutputMixin",
    "OutlierMixin",
    "RegressorMixin",
    "SelectorMixin",
    "TransformerMixin",
    "available_if",
    "fit_context",
    "with_callbacks",
]
