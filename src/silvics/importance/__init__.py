"""Importances of variables: of forests, with tests and selection; the theory, exact."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.importance.forest.forest_masking import ForestMasking, forest_masking
    from silvics.importance.forest.result import Importances
    from silvics.importance.selection.by_importance import SelectByTest, SelectByThreshold
    from silvics.importance.selection.elimination import SelectByElimination, SelectTuned
    from silvics.importance.selection.non_redundant import SelectNonRedundant
    from silvics.importance.significance.permutation_tests import (
        conditional_error_rate,
        one_forest_test,
        permutation_test,
    )
    from silvics.importance.significance.result import Significance
    from silvics.importance.significance.shadow_tests import boruta, contrast_test
    from silvics.importance.theory.asymptotic import asymptotic_importances
    from silvics.importance.theory.binary_encoding import binary_encoding
    from silvics.importance.theory.exact_masking import Masking, masking
    from silvics.importance.theory.null_information import NullInformation, null_information
    from silvics.importance.theory.redundancy import Copies, Redundancy, copies, redundant
    from silvics.importance.theory.relevance import Relevance, relevance
    from silvics.importance.theory.result import AsymptoticImportances
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "forest.forest_masking": ["ForestMasking", "forest_masking"],
            "forest.result": ["Importances"],
            "selection.by_importance": ["SelectByTest", "SelectByThreshold"],
            "selection.elimination": ["SelectByElimination", "SelectTuned"],
            "selection.non_redundant": ["SelectNonRedundant"],
            "significance.permutation_tests": [
                "conditional_error_rate",
                "one_forest_test",
                "permutation_test",
            ],
            "significance.result": ["Significance"],
            "significance.shadow_tests": ["boruta", "contrast_test"],
            "theory.asymptotic": ["asymptotic_importances"],
            "theory.binary_encoding": ["binary_encoding"],
            "theory.exact_masking": ["Masking", "masking"],
            "theory.null_information": ["NullInformation", "null_information"],
            "theory.redundancy": ["Copies", "Redundancy", "copies", "redundant"],
            "theory.relevance": ["Relevance", "relevance"],
            "theory.result": ["AsymptoticImportances"],
        },
    )

__all__ = [
    "AsymptoticImportances",
    "Copies",
    "ForestMasking",
    "Importances",
    "Masking",
    "NullInformation",
    "Redundancy",
    "Relevance",
    "SelectByElimination",
    "SelectByTest",
    "SelectByThreshold",
    "SelectNonRedundant",
    "SelectTuned",
    "Significance",
    "asymptotic_importances",
    "binary_encoding",
    "boruta",
    "conditional_error_rate",
    "contrast_test",
    "copies",
    "forest_masking",
    "masking",
    "null_information",
    "one_forest_test",
    "permutation_test",
    "redundant",
    "relevance",
]
