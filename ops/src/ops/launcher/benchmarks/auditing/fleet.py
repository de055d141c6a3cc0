"""A fleet with a long past, of which little is rare."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import psycopg

from ops.launcher.benchmarks.filling import ID_PREFIX, Filling
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.jobs import PICK_LENGTH
from ops.launcher.benchmarks.report import Step
from ops.launcher.errors import LauncherError

RARE: Final = 20
"""So many locations were registered, by an auditor and with a reason, when the log was young."""
REASON: Final = "found at the stocktaking"
AUDITOR: Final = "auditor"

_EVENTS_PER_DRIVER: Final = 25
SEAL_SECONDS: Final = 1
"""So long new events wait for their seal at most."""
_IDLE_SECONDS: Final = 60.0


class LongFleet:
    """Horses, of which one was changed often; the rest of the log is other horses' and drivers' changes."""

    def __init__(self, instance: Instance, *, entities: int, deep: int) -> None:
        """Register the horses, and let happen what is rare later.

        Args:
            instance: has an empty log.
            entities: how many horses.
            deep: how many events the first of them has.
        """
        self._instance = instance
        self._filling = Filling(instance)
        self._others = entities - 1
        self._changes = 0
        self._drivers = 0
        self._filling.add_horses(entities)
        self._filling.add_locations(RARE, user=AUDITOR, reason=REASON)
        self._filling.change_horses(1, times=deep - 1)
        self.young = self.events
        """How many events there were when all this had happened."""
        self.entities = entities
        self.deep = deep

    @property
    def events(self) -> int:
        """How many there are now."""
        return self._filling.events()

    @property
    def deep_id(self) -> str:
        """The id of the horse that was changed often."""
        return f"{ID_PREFIX}{0:0{PICK_LENGTH}}"

    def grow(self, events: int, step: Step) -> None:
        """Let happen what is missing for so many events (or a few more), and wait until it can be read.

        One part are the other horses' changes, the other are drivers and their changes.
        """
        missing = events - self.events
        if missing > 0:
            step(f"growing to {events}", 0, 1)
            drivers = missing // 2 // _EVENTS_PER_DRIVER
            if drivers:
                self._filling.add_drivers(drivers, first=self._drivers)
                self._filling.change_drivers(drivers, times=_EVENTS_PER_DRIVER - 1, first=self._drivers)
                self._drivers += drivers
            times = -(-(events - self.events) // self._others)
            self._filling.change_horses(self._others, times=times, first=1, version=2 + self._changes)
            self._changes += times
        self._filling.wait_until_projected(lambda done, total: step(f"growing to {events}", done, total))

    def moment(self, position: int) -> str:
        """When a position of the log was written, as an address has it."""
        with psycopg.connect(self._instance.owner_dsn) as connection:
            ((moment,),) = connection.execute(
                "SELECT moment FROM log.events WHERE notification_id = %s", (position,)
            ).fetchall()
        return _told(moment)

    def deep_moment(self) -> str:
        """When the horse that was changed often had half of its changes."""
        with psycopg.connect(self._instance.owner_dsn) as connection:
            ((moment,),) = connection.execute(
                "SELECT moment FROM log.events WHERE originator_id = %s AND originator_version = %s",
                (f"horse:{self.deep_id}", self.deep // 2),
            ).fetchall()
        return _told(moment)

    def wait_until_sealed(self, report: Callable[[int, int], None]) -> None:
        """Wait until all of it is sealed.

        Raises:
            LauncherError: nothing is sealed any more.
        """
        wanted = self.events
        reached, moved = -1, time.monotonic()
        while (sealed := self._instance.sealed) < wanted:
            report(sealed, wanted)
            if sealed != reached:
                reached, moved = sealed, time.monotonic()
            elif time.monotonic() - moved > _IDLE_SECONDS:
                raise LauncherError(f"nothing is sealed beyond position {sealed}")
            time.sleep(0.2)
        time.sleep(2 * SEAL_SECONDS)  # the checkpoint comes after the hashes


def _told(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
