"""Random patches (thesis ch. 8) of tables that need not fit into memory."""

from typing import TYPE_CHECKING

from silvics._lazy import attach

if TYPE_CHECKING:
    from silvics.patches.drawing import DrawnPatch, draw
else:
    __getattr__, __dir__ = attach(__name__, {"drawing": ["DrawnPatch", "draw"]})

__all__ = ["DrawnPatch", "draw"]
