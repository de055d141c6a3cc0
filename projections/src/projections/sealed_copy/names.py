"""What people are called leaves the rows of a log for the directory of actors."""

from datetime import datetime

from ops.base.sealing.actors import ACTORS


class Names:
    """Those that were met last, on the way through a log in its order."""

    def __init__(self) -> None:
        self._met: dict[str, str] = {}

    async def note(self, sub: str, name: str, moment: datetime | None) -> None:
        """Have the directory know what somebody was called at a moment.

        Raises:
            KeysUnavailable: it cannot be written now.
        """
        if name and moment is not None and self._met.get(sub) != name:
            await ACTORS.note(sub, name, since=moment)
            self._met[sub] = name
