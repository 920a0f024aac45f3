"""Text that can be read in any script, in whatever installed font has the characters.

matplotlib draws a character that its font lacks as an empty box, and warns. Here the families of a text are extended by
installed ones until every character is in one of them. Where no font has a character, an error names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import category

from hushcount.errors import InvalidParameter

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

__all__ = ["legible", "width_of"]

_UNDRAWN = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode's categories of control characters, surrogates, and separators of lines and paragraphs."""

_HINTED = 1.06
"""How much wider text may become where its outlines are fitted to pixels."""

LONGEST = 1000
"""The most characters of a text; a longer one is no title, and takes long to fit into lines."""

_PLACEHOLDERS = "last resort"
"""A font by Apple that ships with matplotlib and has, for every character, a box with the name of its script."""


def legible(text: Text, argument: str) -> None:
    """Give `text` the fonts that its characters need, and take it literally: `$` is a dollar sign.

    Args:
        argument: what the text is called in an error.

    Raises:
        InvalidParameter: more than 1,000 characters, control characters other than line breaks, or a character that no
            installed font has.
    """
    written = text.get_text()
    if not len(written) <= LONGEST:
        raise InvalidParameter(argument, written, f"text of at most {LONGEST:,} characters")
    if any(category(character) in _UNDRAWN and character != "\n" for character in written):
        raise InvalidParameter(argument, written, "text without control characters")
    text.set_parse_math(False)
    missing = {character for character in written if character != "\n"} - _of_first_choice(text.get_fontproperties())
    if not missing:
        return
    families = list(text.get_fontfamily())
    for family, has in _installed():
        if missing & has:
            families.append(family)
            missing -= has
        if not missing:
            text.set_fontfamily(families)
            return
    character = next(each for each in written if each in missing)
    raise InvalidParameter(
        argument,
        written,
        f"in characters that an installed font has (none has {character!r}, U+{ord(character):04X}; fonts such as Noto "
        "Sans have most)",
    )


def width_of(written: str, like: Text) -> float:
    """Return about the width of one line of text in points, in the fonts and the size of `like`; too wide rather
    than too narrow."""
    from matplotlib.textpath import text_to_path

    if not written.strip():
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(written, like.get_fontproperties(), ismath=False)
    return _HINTED * float(width)


def _of_first_choice(properties: FontProperties) -> frozenset[str]:
    from matplotlib.font_manager import findfont

    return _characters(findfont(properties))


def _installed() -> Iterator[tuple[str, frozenset[str]]]:
    """Yield families and their characters; those installed after matplotlib last looked come last."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    plain = {"normal", "regular", 400, "400"}
    known = sorted(fontManager.ttflist, key=lambda font: (font.weight not in plain, font.style != "normal", font.name))
    seen: set[str] = set()
    for font in known:
        if font.name not in seen and not font.name.lower().startswith(_PLACEHOLDERS):
            seen.add(font.name)
            yield font.name, _characters(font.fname)
    for path in sorted(set(findSystemFonts()) - {font.fname for font in known}):
        if has := _characters(path):
            fontManager.addfont(path)
            yield fontManager.ttflist[-1].name, has


@lru_cache(maxsize=1024)
def _characters(path: str) -> frozenset[str]:
    """Return the characters that a font file has outlines for; none where it cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
        return frozenset(map(chr, font.get_charmap())) if font.scalable else frozenset()
    except (OSError, RuntimeError):
        return frozenset()
