"""Inspection of forests and of samples: advice, maps, outliers and prototypes."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.inspection.checked_intervals import IntervalReport, interval_report
    from silvics.inspection.class_prototypes import Prototypes, prototypes
    from silvics.inspection.cost_estimate import CostEstimate, estimate_cost
    from silvics.inspection.diagnosis import Diagnosis, Finding, diagnose
    from silvics.inspection.outlier_scores import Outliers, outliers
    from silvics.inspection.sample_map import ProximityMap, proximity_map
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "class_prototypes": ["Prototypes", "prototypes"],
            "cost_estimate": ["CostEstimate", "estimate_cost"],
            "diagnosis": ["Diagnosis", "Finding", "diagnose"],
            "checked_intervals": ["IntervalReport", "interval_report"],
            "outlier_scores": ["Outliers", "outliers"],
            "sample_map": ["ProximityMap", "proximity_map"],
        },
    )

__all__ = [
    "CostEstimate",
    "Diagnosis",
    "Finding",
    "IntervalReport",
    "Outliers",
    "Prototypes",
    "ProximityMap",
    "diagnose",
    "estimate_cost",
    "interval_report",
    "outliers",
    "prototypes",
    "proximity_map",
]
