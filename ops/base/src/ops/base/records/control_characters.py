"""Control characters (Unicode category Cc), which texts have none of but tabs and line ends.

Calendars, terminals, XML and HTML cannot have them, and nobody sees them in a form.
"""

import re
from typing import Final

CONTROLS: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""All but tab, line feed and carriage return, as the inside of a pattern's brackets."""
NO_CONTROLS: Final = f"^[^{CONTROLS}]*$"
"""Pattern of a text without them, for OpenAPI documents."""
_CONTROL: Final = re.compile(f"[{CONTROLS}]")


def has_controls(text: str) -> bool:
    """Return whether a text has control characters other than tabs and line ends."""
    return _CONTROL.search(text) is not None


def without_controls(text: str) -> str:
    """Return a text without them: records of former releases may have some."""
    return text if text.isprintable() else _CONTROL.sub("", text)
