"""Importances of variables: of forests, with tests and selection; the theory, exact."""

from silvics.importance.asymptotic import AsymptoticImportances
from silvics.importance.contrasts import boruta, contrast_test
from silvics.importance.elimination import SelectByElimination, SelectTuned
from silvics.importance.encoding import binary_encoding
from silvics.importance.forest_masking import ForestMasking, forest_masking
from silvics.importance.masking import Masking, masking
from silvics.importance.null import NullInformation, null_information
from silvics.importance.redundancy import Copies, Redundancy, copies, redundant
from silvics.importance.relevance import Relevance, relevance
from silvics.importance.result import Importances
from silvics.importance.selection import SelectByTest, SelectByThreshold
from silvics.importance.significance import Significance
from silvics.importance.testing import conditional_error_rate, one_forest_test, permutation_test
from silvics.importance.theory import asymptotic_importances

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
