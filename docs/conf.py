"""Configuration of the documentation site; `make docs` builds it into build/docs."""

import inspect
import os
import sys
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path

import matplotlib
from sphinx_gallery.sorting import FileNameSortKey

import silvics

matplotlib.use("Agg")
os.environ.setdefault("PYTHONWARNINGS", "ignore")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

project = "silvics"
author = "The silvics developers"
copyright = "2026, The silvics developers"
version = release = silvics.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_templates", "examples", "gallery/*.py"]
templates_path = ["_templates"]
nitpicky = True
# Types in docstrings are English ("array-like of shape ..."), not references.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!silvics\.).*"),
]
suppress_warnings = ["config.cache", "ref.python"]  # the latter: one method name in several classes

myst_enable_extensions = ["deflist", "dollarmath"]
html_math_renderer = "mathml"
copybutton_selector = "div.highlight-python pre"  # code, and not what it prints
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "alphabetical"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


def own_methods(name: str) -> list[str]:
    """Public methods of a class that silvics defines; those of scikit-learn are not repeated."""
    module, _, of = name.rpartition(".")
    members = inspect.getmembers(getattr(import_module(module), of), inspect.isfunction)
    return [
        key
        for key, member in members
        if not key.startswith("_") and member.__module__.startswith("silvics")
    ]


autosummary_context = {"own_methods": own_methods}


def without_private_constructor(app, what, name, obj, options, signature, returns):  # noqa: ARG001
    """Signature of a class; none for results, which functions and methods construct."""
    if what == "class" and (is_dataclass(obj) and obj.__module__ != "silvics.recipes"):
        return "", None
    return signature, returns


def setup(app):
    """Register the hooks."""
    app.connect("autodoc-process-signature", without_private_constructor)


sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["auto_examples"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": FileNameSortKey,
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
}

html_theme = "pydata_sphinx_theme"
html_title = f"silvics {version}"
html_static_path = ["_static"]
html_css_files = ["silvics.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
}
html_sidebars = {"index": [], "changelog": []}
