"""Noise, bias and variance of models, the correlation of trees, and ambiguity (thesis ch. 4)."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.bias_variance.ensemble_error import Ambiguity, ambiguity, majority_accuracy
    from silvics.bias_variance.resampling import decompose_by_resampling
    from silvics.bias_variance.result import BiasVariance, BiasVarianceCurve
    from silvics.bias_variance.simulation import decompose, decompose_over
    from silvics.bias_variance.zero_one import Misclassification, misclassification
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "ensemble_error": ["Ambiguity", "ambiguity", "majority_accuracy"],
            "resampling": ["decompose_by_resampling"],
            "result": ["BiasVariance", "BiasVarianceCurve"],
            "simulation": ["decompose", "decompose_over"],
            "zero_one": ["Misclassification", "misclassification"],
        },
    )

__all__ = [
    "Ambiguity",
    "BiasVariance",
    "BiasVarianceCurve",
    "Misclassification",
    "ambiguity",
    "decompose",
    "decompose_by_resampling",
    "decompose_over",
    "majority_accuracy",
    "misclassification",
]
