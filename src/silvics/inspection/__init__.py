"""What a fitted forest says about the data and about itself."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.inspection.diagnosis import Diagnosis, Finding, diagnose
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "diagnosis": ["Diagnosis", "Finding", "diagnose"],
        },
    )

__all__ = ["Diagnosis", "Finding", "diagnose"]
