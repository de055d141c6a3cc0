"""Personal data is marked once, on the field that holds it; every masking derives from that mark.

But for what everybody may see: that is declared the other way round, see `publication`.
"""

from dataclasses import dataclass
from typing import Annotated

from command_api.domain.rules import LONG_TEXT, Text


@dataclass(frozen=True)
class PersonalData:
    """Marks a field that identifies or exposes a person, and is shown to nobody without need."""


@dataclass(frozen=True)
class FreeText(PersonalData):
    """Marks free text: it may name people, so it is masked, unless its owners know that it does not."""


Note = Annotated[str | None, Text(max_length=LONG_TEXT), FreeText()]
"""Long free text."""
