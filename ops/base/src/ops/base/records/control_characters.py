"""Control characters (Unicode category Cc), which texts must not contain, except tabs and line ends.

Calendars, terminals, XML and HTML cannot represent them, and forms do not show them.
"""

import re
from typing import Final

CONTROLS: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""All but tab, line feed and carriage return, as a character class of a pattern."""
NO_CONTROLS: Final = f"^[^{CONTROLS}]*$"
"""Pattern of a text without control characters, for OpenAPI documents."""
_CONTROL: Final = re.compile(f"[{CONTROLS}]")


def has_controls(text: str) -> bool:
    """Return whether a text has control characters other than tabs and line ends."""
    return _CONTROL.search(text) is not None


def without_controls(text: str) -> str:
    """Remove control characters, which records of earlier releases may contain."""
    return text if text.isprintable() else _CONTROL.sub("", text)
