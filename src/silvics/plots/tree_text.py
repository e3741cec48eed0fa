"""Trees as text, and in the DOT language of Graphviz."""

from __future__ import annotations

from typing import Any

from silvics.plots.tree_outline import OutlineNode, outline


def tree_to_text(tree: Any, max_depth: int | None) -> str:
    """Return one line for each node, indented by its depth."""
    lines = []
    for node in outline(tree, max_depth):
        condition = "all samples" if node.branch is None else node.branch.condition
        is_leaf = not node.question and not node.n_hidden
        line = "|   " * (node.depth - 1) + "|-- " * (node.depth > 0) + condition
        lines.append(f"{line}{' ->' if is_leaf else ':'} {node.content}")
        if node.n_hidden:
            lines.append("|   " * node.depth + f"|-- ... {_more(node)}")
    return "\n".join(lines) + "\n"


def tree_to_dot(tree: Any, max_depth: int | None) -> str:
    """Return the tree in the DOT language."""
    lines = ["digraph tree {", '  node [shape=box, style="rounded", fontname="sans-serif"];']
    lines.append('  edge [fontname="sans-serif"];')
    for place, node in enumerate(outline(tree, max_depth)):
        parts = [node.question, node.content, f"... {_more(node)}" if node.n_hidden else ""]
        label = r"\n".join(_quoted(part) for part in parts if part)
        lines.append(f'  n{place} [label="{label}"];')
        if node.branch is not None:
            edge = _quoted(node.branch.label)
            lines.append(f'  n{node.parent} -> n{place} [label="{edge}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _more(node: OutlineNode) -> str:
    return f"{node.n_hidden:,} more nodes"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
