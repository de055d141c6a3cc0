"""An SMTP server that stores mails, over STARTTLS with authentication."""

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, Final, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from ops.launcher.processes.ports import free_port
from ops.testing.certificates import self_signed

USER: Final = "fleet"
PASSWORD: Final = "s3cret/word"  # noqa: S105 - of a server that exists during a test

logging.getLogger("mail.log").setLevel(logging.ERROR)  # it warns of its own use of a deprecated attribute


class SmtpSink:
    """The stored mails, and the answers to recipients.

    Attributes:
        mails: the accepted mails, by recipient, in the order of their arrival.
        refusals: answers to RCPT by recipient, such as `550 5.1.1 no such user`.
    """

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        """Create a server with a certificate in a folder; `running` starts it."""
        self.mails: list[tuple[str, EmailMessage]] = []
        self.refusals: dict[str, str] = {}
        self.port = port or free_port()
        self.certificate: Path | None = self_signed(folder)
        """None: the server offers no STARTTLS."""

    @property
    def address(self) -> str:
        """The value of FLEETLOG_SMTP."""
        return f"smtp://{USER}:s3cret%2Fword@127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Accept mails within the context."""
        context = None
        if self.certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self.certificate)
        controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            tls_context=context,
            require_starttls=context is not None,
            auth_required=True,
            authenticator=_authenticate,
        )
        controller.start()
        try:
            yield
        finally:
            controller.stop()

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        if refusal := self.refusals.get(address):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        mail = message_from_bytes(cast("bytes", envelope.content), policy=default)
        self.mails += [(recipient, mail) for recipient in envelope.rcpt_tos]
        return "250 OK"


def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    is_known = isinstance(data, LoginPassword) and data == LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_known, handled=False)
