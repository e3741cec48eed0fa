"""Plot of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics.plots.charts import new_axes
from silvics.plots.tree_outline import OutlineNode, outline

_LETTER = 0.62  # width of a letter, relative to the font size
_SIZE = 9.0  # preferred font size
_SMALLEST = 2.0
_LONGEST = 36  # maximum number of letters of a line


def plot_tree(tree: Any, max_depth: int | None, ax: Any) -> Any:
    """Draw the nodes as boxes, with the root at the top, and the branches as lines."""
    nodes = outline(tree, max_depth)
    texts = [_lines(node) for node in nodes]
    x = _places(nodes)
    widest = max(len(line) for lines in texts for line in lines) + 2
    n_leaves, n_levels = x.max() + 1, max(node.depth for node in nodes) + 1
    tallest = max(map(len, texts))
    width = min(100.0, n_leaves * widest * _LETTER * _SIZE / 72 + 0.3)
    height = min(100.0, n_levels * max((tallest + 3) * 1.35 * _SIZE / 72, 0.06 * width))
    ax = new_axes(ax, max(width, 3.0), max(height, 1.5))
    box = ax.get_window_extent()
    dpi = ax.figure.dpi
    size = min(
        _SIZE,
        box.width / dpi * 72 / (n_leaves * widest * _LETTER),
        box.height / dpi * 72 / (n_levels * (tallest + 3) * 1.2),
    )
    size = max(size, _SMALLEST)
    for place, (node, lines) in enumerate(zip(nodes, texts, strict=True)):
        if node.parent >= 0:
            _draw_branch(ax, node, x[[node.parent, place]], size)
        ax.text(
            x[place], -node.depth, "\n".join(lines), fontsize=size, ha="center", va="center",
            zorder=3,
            bbox={"boxstyle": "round,pad=0.35", "fc": _color(nodes, node), "ec": "0.35", "lw": 0.6},
        )  # fmt: skip
    ax.set_xlim(-0.5, n_leaves - 0.5)
    ax.set_ylim(-n_levels + 0.5, 0.5)
    ax.axis("off")
    return ax


def _draw_branch(ax: Any, node: OutlineNode, x: np.ndarray, size: float) -> None:
    assert node.branch is not None
    ax.plot(x, [1 - node.depth, -node.depth], color="0.55", lw=0.8, zorder=1)
    at = 0.5 * (x[0] + x[1])
    ax.text(
        at, 0.5 - node.depth, _short(node.branch.label), fontsize=0.9 * size, ha="center",
        va="center", zorder=2, bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"},
    )  # fmt: skip


def _lines(node: OutlineNode) -> list[str]:
    rows = "sample" if node.n_samples == 1 else "samples"
    lines = [node.question, node.prediction, f"{node.n_samples:,} {rows}"]
    if node.n_hidden:
        lines.append(f"... {node.n_hidden:,} more nodes")
    return [_short(line) for line in lines if line]


def _short(text: str) -> str:
    """Shorten a line, and escape dollar signs, which matplotlib reads as formulas."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 19] + "..." + text[-16:]  # keep the end, which has the threshold
    return text.replace("$", r"\$")


def _places(nodes: list[OutlineNode]) -> np.ndarray:
    """Return horizontal positions: leaves side by side, parents centred above their children."""
    first, last = np.full(len(nodes), np.inf), np.full(len(nodes), -np.inf)
    parents = np.array([node.parent for node in nodes])
    is_end = np.ones(len(nodes), dtype=bool)
    is_end[parents[parents >= 0]] = False
    first[is_end] = last[is_end] = np.arange(is_end.sum())
    x = np.zeros(len(nodes))
    for place in range(len(nodes) - 1, -1, -1):  # children come after their parents
        x[place] = 0.5 * (first[place] + last[place])
        parent = parents[place]
        if parent >= 0:
            first[parent] = min(first[parent], x[place])
            last[parent] = max(last[parent], x[place])
    return x


def _color(nodes: list[OutlineNode], node: OutlineNode) -> Any:
    """Return the color of a class, paler for lower probability; darker for larger numbers."""
    from matplotlib import colormaps

    if node.likeliest >= 0:
        color = np.array(colormaps["tab10"](node.likeliest % 10)[:3])
        return tuple(1 - (1 - color) * (0.1 + 0.5 * node.value**2))
    values = [other.value for other in nodes]
    low, high = min(values), max(values)
    share = (node.value - low) / (high - low) if high > low else 0.0
    return colormaps["Blues"](0.05 + 0.45 * share)
