"""Imputation of missing values by forests (thesis, section 4.4.4)."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.impute.error_by_round import ErrorByRound
    from silvics.impute.forest_imputer import ForestImputer
    from silvics.impute.proximity_imputer import ProximityImputer
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "error_by_round": ["ErrorByRound"],
            "forest_imputer": ["ForestImputer"],
            "proximity_imputer": ["ProximityImputer"],
        },
    )

__all__ = ["ErrorByRound", "ForestImputer", "ProximityImputer"]
