"""Formulas as MathML, which browsers draw themselves: the site needs no script from the network."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(translator, node):
    """Write a formula within a line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(translator, node):
    """Write a formula on its own lines, which scrolls if it is wide."""
    translator.body.append(
        f'<div class="formula">{convert(node.astext().strip(), display="block")}</div>\n'
    )
    raise nodes.SkipNode


def setup(app):
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
