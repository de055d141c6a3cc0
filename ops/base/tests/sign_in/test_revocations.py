"""The list of revocations, in any order of events."""

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.base.database.connection import BoundedConnection, connect
from ops.base.sign_in import Actor, InvalidToken, SigningKeysUnavailable, VerifiedToken
from ops.base.sign_in.revocations import KEPT, OLDEST_SECONDS, Revocations
from ops.testing.postgres import Database

BEGAN = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)


def moment(seconds: float) -> datetime:
    return BEGAN + timedelta(seconds=seconds)


def token(subject: str = "asha", session: str | None = None, issued: int | None = 0) -> VerifiedToken:
    return VerifiedToken(
        Actor(subject, subject),
        moment(7200),
        issued_at=None if issued is None else moment(issued),
        session=session,
    )


def listed(*rows: tuple[str | None, str | None, float]) -> Revocations:
    revocations = Revocations(followed=False)
    revocations.add((number, *row[:2], moment(row[2])) for number, row in enumerate(rows, 1))
    return revocations


@pytest.mark.parametrize(
    ("subject", "session", "until", "known"),
    [
        *(("asha", None, 10, True), ("asha", None, 5, True), ("asha", None, 11, False)),
        *(("mei", "S1", 10, True), ("mei", "S2", 5, True), (None, "S1", 20, True), (None, "S2", 20, True)),
        *(("mei", "S1", 11, False), ("mei", "S3", 5, False), ("mei", None, 5, False)),
    ],
)
def test_redundant_revocation_is_recognised(
    subject: str | None, session: str | None, until: int, *, known: bool
) -> None:
    revocations = listed(("asha", None, 10), ("mei", "S1", 10), (None, "S2", 10))
    assert revocations.covers(subject, session, moment(until)) is known


def test_tokens_are_refused_without_a_recent_list(monkeypatch: pytest.MonkeyPatch) -> None:
    followed, alone = Revocations(), Revocations(followed=False)
    alone.check(token())
    with pytest.raises(SigningKeysUnavailable):
        followed.check(token())
    followed._read_at = time.monotonic()
    followed.check(token())
    followed._read_at -= OLDEST_SECONDS
    with pytest.raises(SigningKeysUnavailable):
        followed.check(token())
    with pytest.raises(InvalidToken, match="revoked"):
        listed(("asha", None, 10)).check(token())


def test_revocation_callback_is_called_within_its_context() -> None:
    revocations, called = listed(("rohan", None, 10)), list[str]()
    with revocations.notify(token("rohan"), lambda: called.append("rohan")):
        assert called == ["rohan"], "it had happened before"
    with revocations.notify(token("asha"), lambda: called.append("asha")):
        revocations.add([(2, "mei", None, moment(10))])
        assert called == ["rohan"]
        revocations.add([(3, "asha", None, moment(10))])
        assert called == ["rohan", "asha"]
    revocations.add([(4, "asha", None, moment(20))])
    assert called == ["rohan", "asha"]


def test_expired_revocations_are_dropped() -> None:
    long_ago = -KEPT.total_seconds()
    revocations = listed(
        *((f"s{number}", None, long_ago) for number in range(1000)), ("asha", None, 0), (None, "S1", 0)
    )
    assert revocations.include(token("asha"))
    assert not revocations.include(token("s1", issued=None))
    assert (len(revocations._subjects), len(revocations._sessions)) == (1, 1)


# --- with the list in the database


@pytest.fixture(scope="module")
def owner(module_database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield connection


@pytest.fixture
async def reader(module_database: Database) -> AsyncIterator[BoundedConnection]:
    async with await connect(module_database.query, autocommit=True) as connection:
        yield connection


@dataclass(frozen=True)
class Revoke:
    subject: str | None
    session: str | None
    until: int

    def concerns(self, judged: VerifiedToken) -> bool:
        if self.session is not None and judged.session is not None:
            return judged.session == self.session
        if judged.actor.sub != self.subject:
            return False
        return judged.issued_at is None or judged.issued_at <= moment(self.until)


names = st.sampled_from(["asha", "rohan"])
sessions = st.none() | st.sampled_from(["S1", "S2", "S3"])
seconds = st.integers(0, 5)
revokes = st.builds(Revoke, st.none() | names, sessions, seconds).filter(
    lambda one: one.subject is not None or one.session is not None
)
steps = st.lists(st.one_of(revokes, st.sampled_from(["look", "reconnect"])), max_size=12)
EVERY_TOKEN = [
    token(subject, session, issued)
    for subject in ("asha", "rohan", "mei")
    for session in (None, "S1", "S2", "S3", "S4")
    for issued in (None, *range(6))
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
async def test_polled_list_refuses_exactly_the_revoked_tokens(
    steps: list[Revoke | str], owner: psycopg.Connection, reader: BoundedConnection
) -> None:
    owner.execute("TRUNCATE sign_in.revocations")
    revocations, done = Revocations(), list[Revoke]()
    for step in [*steps, "look"]:
        if isinstance(step, Revoke):
            row = [step.subject, step.session, moment(step.until), "test"]
            owner.execute("SELECT sign_in.revoke(%s, %s, %s, %s)", row)
            done.append(step)
            continue
        if step == "reconnect":
            revocations.reset()
        await revocations.update(reader)
        for one in EVERY_TOKEN:
            assert revocations.include(one) == any(revoke.concerns(one) for revoke in done), one


async def test_reset_list_drops_deleted_revocations(
    owner: psycopg.Connection, reader: BoundedConnection
) -> None:
    """As where the database was restored."""
    revocations = Revocations()
    owner.execute("SELECT sign_in.revoke('asha', NULL, now(), 'test')")
    await revocations.update(reader)
    assert revocations.include(token())
    owner.execute("TRUNCATE sign_in.revocations")
    await revocations.update(reader)
    assert revocations.include(token())
    revocations.reset()
    await revocations.update(reader)
    assert not revocations.include(token())


def test_revocation_list_is_bounded_and_ignores_repeats(
    owner: psycopg.Connection,
) -> None:
    owner.execute("TRUNCATE sign_in.revocations")
    for until in ("2026-01-01", "2026-01-01", "2025-01-01", "2026-01-02"):
        owner.execute("SELECT sign_in.revoke('asha', NULL, %s, 'operator mei')", [until])
        owner.execute("SELECT sign_in.revoke('asha', 'S1', %s, 'provider')", [until])
    assert owner.execute("SELECT count(*) FROM sign_in.revocations").fetchone() == (4,)
    for kept, left_over in ((KEPT, 2), (timedelta(days=365), 0)):
        owner.execute("UPDATE sign_in.revocations SET moment = now() - %s", [kept])
        owner.execute("SELECT sign_in.revoke('rohan', NULL, 'infinity', 'test')")
        counted = owner.execute("SELECT count(*) FROM sign_in.revocations WHERE subject = 'asha'")
        assert counted.fetchone() == (left_over,)
    left = owner.execute(
        "SELECT subject, issued_until < clock_timestamp() + interval '3 minutes' FROM sign_in.revocations"
    )
    assert left.fetchall() == [("rohan", True)]


@pytest.mark.parametrize(("subject", "session"), [(None, None), ("", None), ("s" * 256, None), ("asha", "")])
def test_revocation_without_subject_or_session_is_refused(
    owner: psycopg.Connection, subject: str | None, session: str | None
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        owner.execute("SELECT sign_in.revoke(%s, %s, now(), 'test')", [subject, session])
