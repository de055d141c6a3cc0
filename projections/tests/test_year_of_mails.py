"""A year of digests on a driven clock, while the worker and the database are killed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import psycopg
import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.leases import catch_up, eventually
from projections_testing.mails import FileClock, documents_in, mailer_process, text_of
from projections_testing.notifications import Subscriptions

from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.testing.postgres import Database, throw_away_postgres
from ops.testing.smtp_sink import SmtpSink
from ops.testing.soak import soak_count
from projections.entity_tables.search_terms import refill
from projections.notify.mail.due import DRIVERS
from read_model.tables.acknowledgements import DOCUMENTS

DAY: Final = timedelta(days=1)
BEGIN: Final = datetime(2026, 2, 20, 12, tzinfo=UTC)
"""At noon UTC, the digests of the current local day are due in each of the zones."""
ZONES: Final = {"Asia/Kolkata": 7, "America/Los_Angeles": 2, "Pacific/Kiritimati": 0}
"""The hour of digests, by zone; in Los Angeles the change to summer time skips this hour."""
_SOAK: Final = (soak_count(10_000), 365, soak_count(20))

Document = Literal["licence", "passport"]
KINDS: Final[tuple[Document, ...]] = ("licence", "passport")
Due = set[tuple[str, str, date]]


@dataclass
class Model:
    """A fleet, and the documents that each digest must contain, by a rule of its own."""

    fleet: Fleet
    chance: Random
    last_days: dict[tuple[str, Document], date] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    silent: dict[tuple[str, str], date] = field(default_factory=dict)
    """Acknowledged documents, with the day on which reminders begin again."""
    reminded: dict[tuple[str, str, str, date], date] = field(default_factory=dict)

    def register(self, driver: str, today: date) -> None:
        """Register a driver with documents that may have expired."""
        days = {one: today + self.chance.randint(-20, 400) * DAY for one in KINDS}
        self.fleet.register("driver", driver, **{DOCUMENTS[one]: str(day) for one, day in days.items()})
        self.last_days |= {(driver, one): day for one, day in days.items()}

    def change(self, today: date) -> None:
        """Renew and acknowledge some documents that expire; remove, restrict and erase a few drivers."""
        for (driver, one), last_day in self.last_days.items():
            if last_day > today + 9 * DAY or driver in self.absent:
                continue
            if self.chance.random() < 0.02:
                until = self.chance.choice([None, today + 5 * DAY])
                aggregate = self.fleet.aggregate("driver", driver)
                self.fleet.append(aggregate.acknowledge(one, until, METADATA))
                self.silent[driver, one] = until or date.max
            if self.chance.random() < 0.15:
                renewed = today + self.chance.randint(15, 500) * DAY
                self.fleet.change("driver", driver, **{DOCUMENTS[one]: str(renewed)})
                self.last_days[driver, one] = renewed
                self.silent.pop((driver, one), None)
        present = sorted({driver for driver, _ in self.last_days} - self.absent)
        for driver in (one for one in present if self.chance.random() < 0.003):
            self.absent.add(driver)
            if (what := self.chance.randrange(3)) == 0:
                self.fleet.remove("driver", driver)
                continue
            self.fleet.restrict("driver", driver)
            if what == 1:
                self.fleet.erase("driver", driver)

    def digest(self, zone: str, today: date) -> Due:
        """Return the documents with a stage that has begun since the last mail about their last day."""
        due: Due = set()
        for (driver, one), last_day in self.last_days.items():
            passed = (today - last_day).days
            if passed < -30 or driver in self.absent or today < self.silent.get((driver, one), today):
                continue
            begun = [-30, -14, -7, -1, *range(0, passed + 1, 7)]
            latest = last_day + max(stage for stage in begun if stage <= passed) * DAY
            if self.reminded.get((zone, driver, one, last_day), date.min) < latest:
                self.reminded[zone, driver, one, last_day] = today
                due.add((driver, one, last_day))
        return due


@dataclass
class Year:
    """The steps of a driven clock, and the mails that have arrived."""

    database: Database
    model: Model
    sink: SmtpSink
    clock: FileClock
    arrived: dict[str, EmailMessage] = field(default_factory=dict)
    repeats: int = 0

    def has_digests(self, now: datetime) -> bool:
        """Return whether each subscription has handled the digest of its local day."""
        rows = self.model.fleet.connection.execute(
            "SELECT subscription_id, max(day) FROM notify.digests GROUP BY 1"
        )
        return dict(rows.fetchall()) == local_days(now)

    async def kill(self, now: datetime, failpoint: str) -> None:
        """Move the clock for a worker that is killed at a failpoint, if it reaches it."""
        self.clock.set(now)
        with mailer_process(self.database, self.clock, failpoint=failpoint) as process:
            await eventually(lambda: not process.is_alive() or self.has_digests(now))

    async def kill_database(self) -> None:
        """Kill a session of the notifier: the server ends all others, and recovers as after a crash."""
        fleet = self.model.fleet
        sessions = "SELECT pid FROM pg_stat_activity WHERE usename LIKE '%_notify'"
        pids = fleet.connection.execute(sessions).fetchall()
        os.kill(self.model.chance.choice(pids)[0], signal.SIGKILL)

        def is_back() -> bool:
            try:
                fleet.connection.execute("SELECT")
            except psycopg.OperationalError:
                fleet.connection.close()
                with suppress(psycopg.OperationalError):
                    fleet.connection = psycopg.connect(self.database.owner, autocommit=True)
                    return True
            return False

        await eventually(is_back)
        async with await connect(self.database.projections, autocommit=True) as connection:
            assert await refill(connection, DRIVERS)  # a crash empties search terms

    async def catch_up(self) -> None:
        """Project the log."""
        async with await connect(self.database.sealer, autocommit=True) as connection:
            await catch_up(connection)

    async def step(self, now: datetime, *, loses_database: bool) -> None:
        """Move the clock, and compare the mails that arrive with the model."""
        self.clock.set(now)
        self.model.fleet.connection.execute("NOTIFY fleetlog_notify")
        if loses_database:
            await asyncio.sleep(self.model.chance.random() / 10)  # so that kills hit at any moment
            await self.kill_database()
        await eventually(lambda: self.has_digests(now))
        found: dict[str, Due] = {}
        for recipient, mail in self.sink.mails:
            identity = str(mail["Message-ID"])
            if identity in self.arrived:
                self.repeats += 1
                assert text_of(mail) == text_of(self.arrived[identity])
            else:
                assert recipient not in found
                found[recipient] = documents_in(mail)
                self.arrived[identity] = mail
        self.sink.mails.clear()
        for zone, today in local_days(now).items():
            assert found.get(f"{ZONES[zone]}@fleet.example", set()) == self.model.digest(zone, today), now


def local_days(now: datetime) -> dict[str, date]:
    """Return the current day in each zone."""
    return {zone: now.astimezone(ZoneInfo(zone)).date() for zone in ZONES}


@pytest.fixture
def database() -> Iterator[Database]:
    """A database on a server of its own, which is killed."""
    with throw_away_postgres() as server:
        yield server.create_database()


@pytest.fixture
async def year(database: Database, fleet: Fleet, smtp_sink: SmtpSink, tmp_path: Path) -> AsyncIterator[Year]:
    subscriptions = Subscriptions(fleet.connection)
    for zone, hour in ZONES.items():
        details: dict[str, Any] = {"content": "due_dates", "schedule": "daily", "time_zone": zone}
        await subscriptions.write(
            zone, **details, channel="email", hour=hour, recipients=[f"{hour}@fleet.example"]
        )
    yield Year(database, Model(fleet, Random(1)), smtp_sink, FileClock(tmp_path / "clock"))
    fleet.connection.close()


@pytest.mark.parametrize(
    ("drivers", "days", "kills"),
    [
        pytest.param(40, 45, 4, id="suite"),
        pytest.param(*_SOAK, id="soak", marks=(pytest.mark.soak, pytest.mark.timeout(6 * 3600))),
    ],
)
async def test_year_of_mails_with_kills_loses_none_and_repeats_equal_ids(
    year: Year, drivers: int, days: int, kills: int
) -> None:
    model, chance = year.model, year.model.chance
    model.fleet.use_for_records(await KEYS.store.issue(drivers + 10))
    for number in range(drivers):
        model.register(f"EMP-{number}", BEGIN.date())
    steps = [BEGIN]
    while steps[-1] < BEGIN + days * DAY:  # the worker is idle for some days
        steps.append(steps[-1] + chance.choice([1] * 9 + [4]) * DAY)
    killed = set(chance.sample(range(1, len(steps)), kills))
    without_database = set(chance.sample(range(1, len(steps)), kills // 2))
    year.clock.set(BEGIN)
    await year.catch_up()
    with ExitStack() as worker:
        worker.enter_context(mailer_process(year.database, year.clock))
        await year.step(BEGIN, loses_database=False)
        for number, now in enumerate(steps[1:], 1):
            model.change(now.date())
            if number in killed:
                worker.close()
                await year.catch_up()
                points = ("answered", "recorded", "answered:2")
                await year.kill(now, f"mail.{points[len(killed) % 3]}")
                killed.remove(number)
                worker.enter_context(mailer_process(year.database, year.clock))
            await year.catch_up()
            await year.step(now, loses_database=number in without_database)
    assert year.repeats >= kills // 4
    assert model.absent
