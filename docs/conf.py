"""Settings of Sphinx for the site, which docs/make_site.py builds from a copy of the pages."""

from massprops_cli._front import VERSION

project = "massprops"
author = copyright = "The massprops authors"
release = version = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"massprops {VERSION}"
html_extra_path = ["extra"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
# anchors are those of GitHub, down to the lowest headings
myst_heading_anchors = 6
myst_enable_extensions: list[str] = []
suppress_warnings = [
    "myst.header",  # pages of rules begin with the second level
    "ref.python",  # `mass` in a list of types of numpydoc is a word, and an attribute of several classes
    "misc.highlighting_failure",  # outputs and incomplete examples, which cannot be parsed
]
autodoc_typehints = "none"  # the sections of numpydoc state types, with shapes and units
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]
