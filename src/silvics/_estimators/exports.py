"""Methods of fitted trees and forests that write them in the formats of other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sklearn.utils.validation import check_is_fitted

from silvics._state import reads_one_state
from silvics.interop.c import to_c
from silvics.interop.json import to_json
from silvics.interop.onnx import to_onnx
from silvics.interop.plain_model import PlainModel, plain_model
from silvics.interop.treelite import to_treelite

if TYPE_CHECKING:
    import onnx
    import treelite


class Exports:
    """``to_onnx``, ``to_treelite``, ``to_json`` and ``to_c``; see docs/exports.md."""

    _no_exports: ClassVar[str | None] = None  # why there are none, where there are none

    @reads_one_state
    def _plain(self) -> PlainModel:
        check_is_fitted(self)
        if self._no_exports is not None:
            raise ValueError(f"{type(self).__name__} cannot be exported: {self._no_exports}")
        return plain_model(self)

    def to_onnx(self) -> onnx.ModelProto:
        """The same model for ONNX runtimes.

        Takes a matrix ``X`` of doubles; or, where there are categories, an input of one column
        for each variable, by its name: text for levels that are text. Gives ``label`` and
        ``probabilities``, or ``variable``. Needs the package onnx.

        Returns
        -------
        model : onnx.ModelProto
            Predicts the same, to the last bit.
        """
        return to_onnx(self._plain())

    def to_treelite(self) -> treelite.Model:
        """The same model for Treelite, and for what is built on it.

        Categories are passed as the numbers of their levels in ``categories_``, missing values as
        NaN. Needs the package treelite.

        Returns
        -------
        model : treelite.Model
            Predicts the same from float64, to the last bit.
        """
        return to_treelite(self._plain())

    def to_json(self) -> str:
        """All that predicts, as text for any program; docs/model_json.md says what is in it.

        Returns
        -------
        text : str

        Examples
        --------
        >>> import json
        >>> from silvics import DecisionTreeRegressor
        >>> tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 3.0])
        >>> json.loads(tree.to_json())["trees"][0][0]
        {'feature': 0, 'thresholds': [0.5], 'children': [1, 2], 'missing': 1}
        """
        return to_json(self._plain())

    def to_c(self, name: str = "predict") -> str:
        """The same model as a C99 function that needs nothing else.

        ``void predict(const double *x, double *out)`` reads one row and writes the class shares
        of all outputs, or one number per output. Categories are numbers of levels, which a comment
        lists; missing values are NAN.

        Parameters
        ----------
        name : str, default="predict"
            Of the function, and the beginning of all other names.

        Returns
        -------
        code : str
            Predicts the same, to the last bit.
        """
        return to_c(self._plain(), name)
