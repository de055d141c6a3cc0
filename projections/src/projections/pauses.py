"""How long to wait before something that failed is tried again."""

from typing import Final

FIRST_SECONDS: Final = 0.1


class Pauses:
    """Ever longer pauses, up to a bound, until something works again."""

    def __init__(self) -> None:
        self.seconds = FIRST_SECONDS

    def next(self, *, longest: float) -> None:
        """Make the next pause twice as long, but no longer than `longest` seconds."""
        self.seconds = min(2 * self.seconds, longest)

    def reset(self) -> None:
        """Begin with a short pause the next time."""
        self.seconds = FIRST_SECONDS
