"""Draw a picture into a PNG, SVG or PDF file, without data.

Curves differ in color, dashes and markers, and so remain distinct for the color-blind and in gray. Needs matplotlib:
install hushcount with its extra figures."""

COMMANDS = ("table", "mechanism", "rows", "errors", "optimal-set", "medium", "prices", "privacy-profile", "sweep")
