"""How the documentation site is built: `make site`, offline, every warning an error."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

from phalanx.base.version import __version__

project = "Phalanx"
author = "the Phalanx authors"
copyright = "2026, the Phalanx authors"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "contents",
    "reference_pages",
    "plain_bars",
    "mathml",
]
exclude_patterns = ["_site"]
suppress_warnings = ["ref.python"]  # words of docstrings that several classes have as attributes

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"

python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False  # signatures have them

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Phalanx {release}"
html_static_path = ["_site/static"]
html_css_files = ["phalanx.css"]
html_show_sourcelink = False
html_copy_source = False
templates_path: list[str] = []
