"""Methods that convert fitted trees and forests to the formats of other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sklearn.utils.validation import check_is_fitted

from silvics._state import reads_one_state
from silvics.interop.c import to_c
from silvics.interop.json import to_json
from silvics.interop.onnx import to_onnx
from silvics.interop.plain_model import PlainModel, plain_model, require_no_calibration
from silvics.interop.treelite import to_treelite

if TYPE_CHECKING:
    import onnx
    import treelite


class Exports:
    """Mixin with ``to_onnx``, ``to_treelite``, ``to_json`` and ``to_c``; see docs/exports.md."""

    _no_exports: ClassVar[str | None] = None  # why an estimator cannot be exported

    @reads_one_state
    def _plain(self) -> PlainModel:
        check_is_fitted(self)
        if self._no_exports is not None:
            raise ValueError(f"{type(self).__name__} cannot be exported: {self._no_exports}")
        require_no_calibration(self)
        return plain_model(self)

    def to_onnx(self) -> onnx.ModelProto:
        """Convert the model to ONNX. Needs the package onnx.

        If all variables are numbers, the input of the ONNX model is a matrix ``X`` of doubles. If
        there are categories, each variable is an input with one column and the name of the
        variable; categories of text take strings. The outputs are ``label`` and ``probabilities``
        for classification and ``variable`` for regression.

        Returns
        -------
        model : onnx.ModelProto
            It makes exactly the same predictions.

        Examples
        --------
        >>> from silvics import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["no", "yes"])
        >>> [output.name for output in tree.to_onnx().graph.output]
        ['label', 'probabilities']
        """
        return to_onnx(self._plain())

    def to_treelite(self) -> treelite.Model:
        """Convert the model to Treelite. Needs the package treelite.

        The Treelite model takes categories as indices of levels in ``categories_``, and missing
        values as NaN.

        Returns
        -------
        model : treelite.Model
            It makes exactly the same predictions for float64 inputs.

        Examples
        --------
        >>> from silvics import RandomForestRegressor
        >>> forest = RandomForestRegressor(10, random_state=0).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> forest.to_treelite().num_tree
        10
        """
        return to_treelite(self._plain())

    def to_json(self) -> str:
        """Convert the model to JSON.

        The text has everything that is needed to predict; docs/model_json.md describes the format.

        Returns
        -------
        text : str
            A JSON object.

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
        """Convert the model to a C99 function without dependencies.

        ``void predict(const double *x, double *out)`` reads one row. It writes the class
        probabilities of all outputs, or one number per output for regression. Categories are passed
        as indices of levels, which a comment in the code lists, and missing values as NAN.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function, and prefix of all other names in the code.

        Returns
        -------
        code : str
            C code that makes exactly the same predictions.

        Examples
        --------
        >>> from silvics import DecisionTreeRegressor
        >>> code = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 3.0]).to_c("height")
        >>> "void height(const double *x, double *out)" in code
        True
        """
        return to_c(self._plain(), name)
