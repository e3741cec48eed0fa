"""Importances of variables: the theory (thesis, chapters 6 and 7), exact."""

from silvics.importance.asymptotic import AsymptoticImportances
from silvics.importance.encoding import binary_encoding
from silvics.importance.masking import Masking, masking
from silvics.importance.null import NullInformation, null_information
from silvics.importance.redundancy import Copies, Redundancy, copies, redundant
from silvics.importance.relevance import Relevance, relevance
from silvics.importance.result import Importances
from silvics.importance.theory import asymptotic_importances

__all__ = [
    "AsymptoticImportances",
    "Copies",
    "Importances",
    "Masking",
    "NullInformation",
    "Redundancy",
    "Relevance",
    "asymptotic_importances",
    "binary_encoding",
    "copies",
    "masking",
    "null_information",
    "redundant",
    "relevance",
]
