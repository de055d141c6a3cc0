"""A notifier that sends mails to a sink, and the contents of these mails."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import date, datetime
from email.message import EmailMessage
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from ops.base.encryption.key_cache import KEYS
from ops.base.process.failpoints import FAILPOINTS, SETTING, Failpoints
from ops.base.process.tasks import running
from ops.testing.postgres import Database
from projections.notify.clock import Clock
from projections.notify.mail.channel import mail
from projections.notify.mail.smtp import MailSettings
from projections.notify.worker import Notifier
from projections_testing.forks import _SERVER
from projections_testing.notifications import ADDRESS

_LINE: Final = re.compile(
    r"^(\S+) +(Driving licence|Passport) +(\d+ \w+ \d{4}) +(?:\d+ days? (?:left|ago)|Last day today)$",
    re.MULTILINE,
)
_DOCUMENTS: Final = {"Driving licence": "licence", "Passport": "passport"}


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """Return a part of a mail, with line ends as in Python."""
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def documents_in(mail: EmailMessage) -> set[tuple[str, str, date]]:
    """Return the documents of a digest, each with its driver and last day."""
    return {
        (driver, _DOCUMENTS[document], datetime.strptime(day, "%d %b %Y").date())  # noqa: DTZ007 - a day
        for driver, document, day in _LINE.findall(text_of(mail))
    }


@asynccontextmanager
async def run_mailer(database: Database, clock: Clock) -> AsyncIterator[Notifier]:
    """Run a notifier in this process, with the settings of its environment."""
    notifier = Notifier(database.notify, ADDRESS, {"email": mail(MailSettings.load())}, clock)
    async with running(notifier.run):
        yield notifier


class FileClock:
    """A clock in a file, which the test moves for processes that are killed."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self._file.read_text())

    def set(self, now: datetime) -> None:
        """Move the clock."""
        following = self._file.with_suffix(".next")
        following.write_text(now.isoformat())
        following.rename(self._file)


@contextmanager
def mailer_process(database: Database, clock: FileClock, *, failpoint: str = "") -> Iterator[BaseProcess]:
    """Run a notifier in a process of its own, which ends with the context."""
    environment = {**os.environ, SETTING: failpoint}
    process = _SERVER.Process(target=_run, args=(database, clock, environment), daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def _run(database: Database, clock: FileClock, environment: Mapping[str, str]) -> None:
    os.environ.update(environment)
    vars(FAILPOINTS).update(vars(Failpoints(environment)))

    async def work() -> None:
        async with KEYS.use(), run_mailer(database, clock):
            await asyncio.Event().wait()

    asyncio.run(work())
