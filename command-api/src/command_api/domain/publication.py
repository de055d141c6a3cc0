"""A field is public because its declaration says so, and then only in values that nobody can write freely."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final

from command_api.domain.rules import is_day


@dataclass(frozen=True)
class Public(ABC):
    """Marks a field that everybody may see, and says in which values. Without a mark it is masked.

    What the log holds is looked at again here: it may be older than the field's rule.
    """

    def shows(self, value: Any) -> bool:
        """Return whether a value of the field may be seen; that it has none always may."""
        return value is None or self.is_harmless(value)

    @abstractmethod
    def is_harmless(self, value: Any) -> bool:
        """Return whether a value is one of those that can say nothing of anybody."""

    def described(self) -> str:
        """Return what schemas say of it besides what the field is."""
        return ""


@dataclass(frozen=True)
class Everything(Public):
    """Stands for the mark of free text, where an instance publishes that."""

    def is_harmless(self, value: Any) -> bool:  # noqa: ARG002
        """Return whether the instance's operators say so: they do."""
        return True


EVERYTHING: Final = Everything()


@dataclass(frozen=True)
class PublicNumber(Public):
    """Marks a public number."""

    def is_harmless(self, value: Any) -> bool:
        """Return whether it is a number."""
        return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class PublicDay(Public):
    """Marks a public day, `YYYY-MM-DD`."""

    def is_harmless(self, value: Any) -> bool:
        """Return whether it is a day."""
        return is_day(value)


@dataclass(frozen=True)
class PublicWord(Public):
    """Marks a field of which some words are public; any other text in it is masked."""

    words: tuple[str, ...]

    def is_harmless(self, value: Any) -> bool:
        """Return whether it is one of the words."""
        return isinstance(value, str) and value in self.words

    def described(self) -> str:
        """Return the words."""
        return f"shown where it is one of: {', '.join(self.words)}"
