"""Mails: what is due is sent once, to all reachable recipients, and omits absent people."""

import re
import threading
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any, Final

import pytest
from projections_testing.encrypted_fleet import encrypt
from projections_testing.fleet import BEGIN, Fleet, insert_event
from projections_testing.leases import catch_up, eventually
from projections_testing.mails import documents_in, run_mailer, text_of
from projections_testing.notifications import ADDRESS, DrivenClock, Subscriptions, advance
from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.records.own_digests import own_digest_id
from ops.base.records.signed_links import LASTING, SignedLink, confirm_purpose, recipient_mark
from ops.testing.postgres import Database
from ops.testing.smtp_sink import SmtpSink
from projections.notify.mail.message import TEST, compose
from projections.notify.service import NotifyService

TODAY: Final = DrivenClock().now.date()
"""The driven clock begins on this day at 4:00 UTC."""
DAY: Final = timedelta(days=1)
OFFICE, DEPOT = "office@fleet.example", "depot@fleet.example"
DUE: Final = {"channel": "email", "content": "due_dates", "schedule": "daily", "hour": 3}


@dataclass(frozen=True)
class World:
    """A fleet, a mail server and the notifier's clock."""

    database: Database
    fleet: Fleet
    connection: AsyncConnection
    sink: SmtpSink
    clock: DrivenClock = field(default_factory=DrivenClock)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The subscriptions, none yet."""
        return Subscriptions(self.fleet.connection)

    async def subscribe(self, name: str = "SUB-1", **details: Any) -> None:
        """Register or change a subscription by e-mail."""
        await self.subscriptions.write(name, **{**DUE, "recipients": [OFFICE], **details})

    async def register(self, driver: str, *, licence: int = 400, passport: int = 400) -> None:
        """Register a driver whose documents have a number of days left, and project the log."""
        days = {"driving_license_expiry": licence, "passport_expiry_date": passport}
        texts = {name: (TODAY + left * DAY).isoformat() for name, left in days.items()}
        self.fleet.register("driver", driver, **texts)
        await catch_up(self.connection)

    def digests(self) -> list[tuple[Any, ...]]:
        """Return day, state and error of the digests of SUB-1."""
        return self.fleet.connection.execute(
            "SELECT day, state, error FROM notify.digests WHERE subscription_id = 'SUB-1' ORDER BY day"
        ).fetchall()

    async def until_digests(self, *states: str) -> None:
        """Wait until the digests of SUB-1 have some states."""
        await eventually(lambda: [state for _, state, _ in self.digests()] == list(states))

    def drivers(self, number: int) -> list[str]:
        """Return the drivers of a mail, by its number."""
        return sorted({driver for driver, *_ in documents_in(self.sink.mails[number][1])})


@pytest.fixture
async def world(database: Database, fleet: Fleet, connection: AsyncConnection, smtp_sink: SmtpSink) -> World:
    await encrypt(fleet, KEYS.store)
    return World(database, fleet, connection, smtp_sink)


async def test_digest_lists_documents_by_urgency_and_names_nobody(world: World) -> None:
    for driver, left in (("EMP-1", -3), ("EMP-2", 0), ("EMP-3", 5), ("EMP-4", 30), ("EMP-5", 31)):
        await world.register(driver, licence=left)
    await world.register("EMP-6", passport=1)
    await world.subscribe(recipients=[OFFICE, DEPOT])
    async with run_mailer(world.database, world.clock):
        await world.until_digests("sent")
    assert [recipient for recipient, _ in world.sink.mails] == [OFFICE, DEPOT]
    (_, mail), (_, other) = world.sink.mails
    assert mail["Subject"] == "4 documents expire soon, 1 has expired"
    assert mail["To"] == OFFICE
    assert mail["List-Unsubscribe"] == f"<{ADDRESS}/management/notifications/SUB-1>"
    assert mail["Message-ID"] != other["Message-ID"]
    text, html = text_of(mail), text_of(mail, "html")
    groups = ["Expired", "Today", "Within 7 days", "Within 30 days"]
    for part in (text, html):
        assert [one for one in sorted(groups, key=part.find) if one in part] == groups
        assert f"{ADDRESS}/management/drivers/EMP-6" in part
        assert f"{ADDRESS}/management/due-dates" in part
        link = (
            rf"{ADDRESS}/management/drivers/EMP-6\?acknowledge=passport&(?:amp;)?link=SUB-1\.(\S+?)\.[\w-]+"
        )
        assert [date.fromisoformat(day) for day in re.findall(link, part)] == [TODAY + LASTING]
        assert not any(name in part for name in ("Ravi", "M1234567", "KA05", OFFICE))
    assert world.drivers(0) == [f"EMP-{number}" for number in (1, 2, 3, 4, 6)]
    (logged, _) = world.subscriptions.deliveries("SUB-1")
    assert (logged["kind"], logged["ok"], logged["status"]) == ("digest", True, 250)
    assert "example" not in str(logged)


async def test_confirmed_addresses_receive_names_and_each_mail_is_recorded_before(world: World) -> None:
    await world.register("EMP-1", licence=7, passport=7)
    await world.register("EMP-2", licence=7)
    world.fleet.restrict("driver", "EMP-2")
    await catch_up(world.connection)
    await world.subscribe(recipients=[OFFICE, DEPOT])
    ((key_id,),) = world.fleet.connection.execute("SELECT key_id FROM read.subscriptions").fetchall()
    key = KEYS.get(key_id)
    assert key is not None
    world.fleet.connection.execute(
        "INSERT INTO notify.confirmations (subscription_id, recipient, confirmed_by)"
        " VALUES ('SUB-1', %s, %s), ('SUB-1', %s, %s)",
        (recipient_mark(key, OFFICE), "dev|asha", recipient_mark(key, DEPOT), "dev|left"),
    )
    world.fleet.connection.execute(
        "UPDATE notify.confirmations SET confirmed_at = now() - interval '91 days'"
        " WHERE confirmed_by = 'dev|left'"
    )
    world.sink.refusals = {OFFICE: "451 4.7.1 later"}
    async with run_mailer(world.database, world.clock) as notifier:
        await eventually(lambda: world.subscriptions.cursor("SUB-1").get("attempts") == 1)
        world.sink.refusals = {}
        advance(notifier, world.clock, timedelta(minutes=1))
        await world.until_digests("sent")
    (_, unnamed), (_, named) = world.sink.mails
    confirm = f"{ADDRESS}/management/notifications/confirm?link="
    for kind in ("plain", "html"):
        assert text_of(named, kind).count("Ravi Kumar") == 2
        assert "Ravi" not in text_of(unnamed, kind)
        assert (confirm in text_of(unnamed, kind), confirm in text_of(named, kind)) == (True, False)
    (link,) = re.findall(re.escape(confirm) + r"(\S+)", text_of(unnamed))
    found = SignedLink.parse(link)
    assert found is not None
    assert found.check(key, confirm_purpose(DEPOT)) != "forged"
    assert found.check(key, confirm_purpose(OFFICE)) == "forged"
    # Once, although the mail was sent twice.
    ((details,),) = world.fleet.connection.execute("SELECT details FROM audit.accesses").fetchall()
    assert (details["subjects"], details["who"]) == (["driver:EMP-1"], [{"sub": "dev|asha"}])
    assert details["what"][0]["kind"] == "mail"
    assert details["views"][0][5] == {"subscription": "SUB-1"}


async def test_new_addresses_receive_a_link_to_confirm_them(world: World) -> None:
    await world.subscribe(recipients=[OFFICE], hour=20, is_welcomed=False)
    async with run_mailer(world.database, world.clock):
        await eventually(lambda: len(world.subscriptions.cursor("SUB-1").get("welcomed", ())) == 1)
        await world.subscribe(recipients=[OFFICE, DEPOT], is_welcomed=False)  # added later
        await eventually(lambda: len(world.subscriptions.cursor("SUB-1")["welcomed"]) == 2)
    world.subscriptions.request("SUB-1", "test")
    async with run_mailer(world.database, world.clock):  # a restart sends no other
        await eventually(lambda: len(world.subscriptions.deliveries("SUB-1")) == 2)
    assert [recipient for recipient, _ in world.sink.mails] == [OFFICE, DEPOT] * 2
    subjects = ["This address receives due dates", "Test of a notification"]
    for number, (_, mail) in enumerate(world.sink.mails):
        assert mail["Subject"] == subjects[number // 2]
        assert f"{ADDRESS}/management/notifications/confirm?link=SUB-1." in text_of(mail)


def test_mail_of_an_own_digest_leads_to_its_screen() -> None:
    where = {"address": ADDRESS, "sender": "fleet@fleet.example", "recipient": OFFICE}
    mail = compose(TEST, **where, subscription=own_digest_id("dev|mei"), key="1", now=DrivenClock().now)
    assert mail["List-Unsubscribe"] == f"<{ADDRESS}/management/notifications/own>"
    assert f"{ADDRESS}/management/notifications/own" in text_of(mail)


async def test_a_new_subscription_begins_at_its_next_hour(world: World) -> None:
    await world.register("EMP-1", licence=7)
    world.clock.now = BEGIN  # after the hour
    chosen = {"channel": "email", "content": "due_dates", "schedule": "daily", "hour": 3, "time_zone": "UTC"}
    world.fleet.register("subscription", "SUB-1", **chosen, recipients=[OFFICE], url=None)
    await catch_up(world.connection)
    async with run_mailer(world.database, world.clock) as notifier:
        await world.until_digests("empty")
        advance(notifier, world.clock, DAY)
        await world.until_digests("empty", "sent")
    assert [day for day, *_ in world.digests()] == [TODAY, TODAY + DAY]
    assert "6 days left" in text_of(world.sink.mails[-1][1])


async def test_a_pause_stops_a_mail_on_its_way_to_several_recipients(world: World) -> None:
    class Held(dict[str, str]):
        """Refuses nobody, and holds each answer until released."""

        asked, released = threading.Event(), threading.Event()

        def get(self, *_: object) -> None:  # type: ignore[override]
            self.asked.set()
            self.released.wait()

    world.sink.refusals = held = Held()
    await world.register("EMP-1", licence=7)
    await world.subscribe(recipients=[OFFICE, DEPOT])
    async with run_mailer(world.database, world.clock):
        await eventually(held.asked.is_set)
        await world.subscribe(status="paused")
        await world.subscribe("SUB-2", content="events", hour=4)
        await eventually(lambda: bool(world.subscriptions.cursor("SUB-2")))  # the pause was read before
        held.released.set()
        await eventually(lambda: bool(world.sink.mails))
        await world.subscribe(status="active", recipients=[OFFICE, DEPOT])
        await world.until_digests("sent")
    assert [recipient for recipient, _ in world.sink.mails] == [OFFICE, OFFICE, DEPOT]


async def test_absent_people_are_in_no_mail(world: World) -> None:
    for name in ("STAYS", "REMOVED", "RESTRICTED", "ERASED"):
        await world.register(name, licence=7)
    await world.subscribe()
    world.fleet.remove("driver", "REMOVED")
    world.fleet.restrict("driver", "RESTRICTED")
    world.fleet.restrict("driver", "ERASED")
    world.fleet.erase("driver", "ERASED")
    async with run_mailer(world.database, world.clock):
        await eventually(lambda: bool(world.subscriptions.cursor("SUB-1")))
        assert world.sink.mails == []  # until the read tables show everything
        await catch_up(world.connection)
        await world.until_digests("sent")
    assert world.drivers(0) == ["STAYS"]


async def test_reminders_are_unreadable_without_the_drivers_key(world: World) -> None:
    await world.register("EMP-1", licence=7)
    await world.subscribe()
    async with run_mailer(world.database, world.clock):
        await world.until_digests("sent")
    ((row,),) = world.fleet.connection.execute("SELECT to_jsonb(one) FROM notify.reminders AS one").fetchall()
    assert row["key_id"] == world.fleet.key_ids["driver:EMP-1"]
    stored = world.fleet.connection.execute("SELECT ciphertext FROM notify.reminders").fetchone() or (b"",)
    assert str(TODAY + 7 * DAY).encode() not in stored[0]
    tables = world.fleet.connection.execute(
        "SELECT (to_jsonb(digests) - 'moment')::text FROM notify.digests"  # which may be that day
        " UNION ALL SELECT to_jsonb(deliveries)::text FROM notify.deliveries"
    ).fetchall()
    assert str(TODAY + 7 * DAY) not in str(tables)


async def test_refusals_hold_up_nobody_else(world: World) -> None:
    await world.register("EMP-1", licence=7)
    await world.subscribe(recipients=["gone@fleet.example", DEPOT, OFFICE])
    world.sink.refusals = {"gone@fleet.example": "550 5.1.1 no such user", DEPOT: "451 4.7.1 later"}
    async with run_mailer(world.database, world.clock) as notifier:
        await eventually(lambda: world.subscriptions.cursor("SUB-1").get("attempts") == 1)
        assert [recipient for recipient, _ in world.sink.mails] == [OFFICE]
        assert world.subscriptions.cursor("SUB-1")["reason"] == "451 4.7.1"
        del world.sink.refusals[DEPOT]
        await world.register("EMP-2", licence=7)  # for the next digest: one recipient has this one
        advance(notifier, world.clock, timedelta(minutes=1))
        await world.until_digests("sent")
        assert world.digests() == [(TODAY, "sent", "550 5.1.1")]
        advance(notifier, world.clock, DAY)
        await world.until_digests("sent", "sent")
    assert [recipient for recipient, _ in world.sink.mails] == [OFFICE, DEPOT, DEPOT, OFFICE]
    assert [world.drivers(number) for number in range(4)] == [["EMP-1"]] * 2 + [["EMP-2"]] * 2
    assert world.subscriptions.cursor("SUB-1")["failing_since"] is None


async def test_nothing_is_lost_while_the_server_refuses_everyone(world: World) -> None:
    await world.register("EMP-1", licence=7)
    await world.subscribe()
    world.sink.refusals = {OFFICE: "451 4.7.1 later"}
    async with run_mailer(world.database, world.clock) as notifier:
        await eventually(lambda: world.subscriptions.cursor("SUB-1").get("attempts") == 1)
        advance(notifier, world.clock, DAY)
        await world.until_digests("refused")
        world.sink.refusals = {}
        advance(notifier, world.clock, timedelta(hours=1))
        await world.until_digests("refused", "sent")
    assert world.drivers(0) == ["EMP-1"]
    assert "6 days left" in text_of(world.sink.mails[0][1])


async def test_without_a_server_digests_are_due_and_the_current_one_is_sent_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.register("EMP-1", licence=7)
    await world.subscribe()
    with monkeypatch.context() as without:
        without.delenv("FLEETLOG_SMTP")
        async with run_mailer(world.database, world.clock) as notifier:
            await world.until_digests("due")
            advance(notifier, world.clock, DAY)
            await world.until_digests("due", "due")
        assert world.subscriptions.cursor("SUB-1")["is_configured"] is False
        service = NotifyService(world.database.notify, ADDRESS, {}, missing=["FLEETLOG_SMTP"])
        async with service.running():
            check = (await service.readiness())["mail"]
            assert check.degraded
            assert check.detail == "FLEETLOG_SMTP not set; active subscriptions by e-mail: 1"
            await world.subscribe(status="paused")
            assert "mail" not in await service.readiness()
            await world.subscribe(status="active")
    async with run_mailer(world.database, world.clock):
        await world.until_digests("sent")
    assert world.digests() == [(TODAY + DAY, "sent", None)]
    assert world.subscriptions.cursor("SUB-1")["is_configured"] is True
    assert "6 days left" in text_of(world.sink.mails[0][1])


async def test_events_are_sent_at_once_but_at_most_once_a_minute(world: World) -> None:
    await world.subscribe(content="events", schedule="at_once", entity_types=["driver", "horse"])
    async with run_mailer(world.database, world.clock) as notifier:
        await eventually(lambda: bool(world.subscriptions.cursor("SUB-1")))
        await world.register("EMP-1")
        await eventually(lambda: len(world.sink.mails) == 1)
        for number in range(2, 9):
            world.fleet.register("driver", f"EMP-{number}")
        world.fleet.register("location", "LOC-1")
        world.fleet.position += 1
        insert_event(
            world.fleet.connection,
            position=world.fleet.position,
            stream="driver:X",
            version=1,
            topic="driver.<b>\nX",
            state=b"{}",
        )
        world.fleet.register("horse", "HRS-1")
        world.fleet.restrict("driver", "EMP-2")
        world.fleet.restrict("driver", "EMP-3")
        world.fleet.erase("driver", "EMP-3")
        world.fleet.register("driver", "EMP-3")
        await catch_up(world.connection)
        await world.subscribe("SUB-2", content="events", schedule="daily", hour=4)
        await eventually(lambda: bool(world.subscriptions.cursor("SUB-2")))
        assert len(world.sink.mails) == 1
        advance(notifier, world.clock, timedelta(minutes=1))
        await eventually(lambda: world.subscriptions.cursor("SUB-1").get("position") == world.fleet.position)
    first, second = (mail for _, mail in world.sink.mails)
    assert (first["Subject"], second["Subject"]) == ("Driver registered: EMP-1", "7 changes")
    text = text_of(second)
    listed = [one for one in ("EMP-2", "EMP-3", "EMP-4", "EMP-8", "HRS-1", "LOC-1") if f"/{one}\n" in text]
    assert listed == ["EMP-3", "EMP-4", "EMP-8", "HRS-1"]


async def test_users_can_send_a_test_beside_a_zone_that_is_unknown_here(world: World) -> None:
    await world.subscribe("SUB-0", time_zone="Mars/Phobos")
    await world.subscribe(hour=23, time_zone="Pacific/Kiritimati")
    async with run_mailer(world.database, world.clock):
        await eventually(lambda: bool(world.subscriptions.cursor("SUB-1")))
        world.subscriptions.request("SUB-1", "test")
        await eventually(lambda: bool(world.subscriptions.deliveries("SUB-1")))
    assert [mail["Subject"] for _, mail in world.sink.mails] == ["Test of a notification"]
