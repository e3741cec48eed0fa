"""Simulated problems whose best possible model is known, and two small real tables."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.datasets.classification import LED, XOR, MixedCardinality, ThresholdAndCopy
    from silvics.datasets.normal_classes import Ringnorm, TwoGaussians, Twonorm, Waveform
    from silvics.datasets.problem import ClassificationProblem, Problem, RegressionProblem
    from silvics.datasets.regression import (
        Friedman1,
        Friedman2,
        Friedman3,
        NoisyCosine,
        SumOfNormals,
    )
    from silvics.datasets.tables import load_penguins, load_seattle_weather
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "classification": ["LED", "XOR", "MixedCardinality", "ThresholdAndCopy"],
            "normal_classes": ["Ringnorm", "TwoGaussians", "Twonorm", "Waveform"],
            "problem": ["ClassificationProblem", "Problem", "RegressionProblem"],
            "regression": ["Friedman1", "Friedman2", "Friedman3", "NoisyCosine", "SumOfNormals"],
            "tables": ["load_penguins", "load_seattle_weather"],
        },
    )

__all__ = [
    "LED",
    "XOR",
    "ClassificationProblem",
    "Friedman1",
    "Friedman2",
    "Friedman3",
    "MixedCardinality",
    "NoisyCosine",
    "Problem",
    "RegressionProblem",
    "Ringnorm",
    "SumOfNormals",
    "ThresholdAndCopy",
    "TwoGaussians",
    "Twonorm",
    "Waveform",
    "load_penguins",
    "load_seattle_weather",
]
