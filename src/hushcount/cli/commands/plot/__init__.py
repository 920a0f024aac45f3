"""Draw a picture into a PNG, SVG or PDF file, without data.

Curves are told apart by colour, dashes and markers, for the colour-blind and in grey too. Needs matplotlib: install
hushcount with its extra figures.
"""

COMMANDS = ("mechanism", "rows", "errors", "optimal-set", "medium", "privacy-profile", "sweep")
