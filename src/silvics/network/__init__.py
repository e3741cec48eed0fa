"""Inference of networks: which variables predict which (GENIE3, thesis 7.3.3)."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.network.accuracy import NetworkAccuracy
    from silvics.network.inference import genie3
    from silvics.network.result import Network
else:
    # The same names: a test compares them. They are imported when they are first used.
    __getattr__, __dir__ = attach(
        __name__,
        {
            "accuracy": ["NetworkAccuracy"],
            "inference": ["genie3"],
            "result": ["Network"],
        },
    )

__all__ = ["Network", "NetworkAccuracy", "genie3"]
