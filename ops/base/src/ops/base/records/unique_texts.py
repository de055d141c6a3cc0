"""When two texts of a unique field are equal."""

import re
import unicodedata
from typing import Final

_SEPARATORS: Final = re.compile("[^a-z0-9]+")


def normalised(text: str) -> str:
    """Return a text's letters and digits, without differences of case, kind of digits, or Unicode form."""
    if text.isascii():
        return _SEPARATORS.sub("", text.lower())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        str(unicodedata.decimal(one)) if one.isdecimal() else one for one in folded if one.isalnum()
    )
