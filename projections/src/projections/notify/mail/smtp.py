"""Sends mails over SMTP (RFC 5321), and classifies the server's answers."""

import re
import smtplib
import ssl
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from typing import Final, Literal, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from ops.base.http.client import trusting
from ops.base.settings import PREFIX, Settings

ANSWER_SECONDS: Final = 30.0
"""Time-out of each of the server's answers."""
_PORTS: Final = {"smtps": 465, "smtp": 587, "smtp+plain": 25}
_MALFORMED: Final = "must look like smtps://user:password@host:465 or smtp://user@host:587"
_SENDER: Final = re.compile(r"(?:[^<>@\"\r\n]+ )?<?[!-~]+@[A-Za-z0-9.-]+>?", re.ASCII)
_ENHANCED: Final = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}")


class MailSettings(Settings):
    """Environment variables named `FLEETLOG_…`."""

    model_config = SettingsConfigDict(env_ignore_empty=True)

    smtp: SecretStr | None = Field(default=None, description="server: smtps:// (TLS) or smtp:// (STARTTLS)")
    mail_from: str | None = Field(default=None, description="sender of mails")
    environment: Literal["development", "production"] = "production"

    @model_validator(mode="after")
    def _check(self) -> Self:
        _ = self.server
        if self.mail_from is not None and not _SENDER.fullmatch(self.mail_from):
            raise ValueError(f"{PREFIX}MAIL_FROM: must be an address such as fleet@example.com")
        return self

    @property
    def missing(self) -> list[str]:
        """The settings without which no mail can be sent."""
        names = {"SMTP": self.smtp, "MAIL_FROM": self.mail_from}
        return [f"{PREFIX}{name}" for name, value in names.items() if not value]

    @property
    def server(self) -> "MailServer | None":
        """The server; raises `ValueError`, without the value, if the setting is malformed."""
        if not self.smtp:
            return None
        try:
            url = urlsplit(self.smtp.get_secret_value())
            port = url.port or _PORTS[url.scheme]
        except (ValueError, KeyError):
            raise ValueError(f"{PREFIX}SMTP: {_MALFORMED}") from None
        if not url.hostname or url.path.strip("/") or url.query or url.fragment:
            raise ValueError(f"{PREFIX}SMTP: {_MALFORMED}")
        if url.scheme == "smtp+plain" and self.environment != "development":
            raise ValueError(f"{PREFIX}SMTP: without TLS only for {PREFIX}ENVIRONMENT=development")
        user, password = unquote(url.username or ""), unquote(url.password or "")
        return MailServer(url.scheme, url.hostname, port, user, password)


class MailServer(NamedTuple):
    """A server that accepts mails for delivery."""

    scheme: str
    host: str
    port: int
    user: str
    password: str

    def connect(self) -> smtplib.SMTP:
        """Return an authenticated connection; raises `OSError`, which includes `SMTPException`."""
        context = trusting()
        if self.scheme == "smtps":
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                self.host, self.port, timeout=ANSWER_SECONDS, context=context
            )
        else:
            smtp = smtplib.SMTP(self.host, self.port, timeout=ANSWER_SECONDS)
        try:
            if self.scheme == "smtp":
                smtp.starttls(context=context)  # raises if the server does not offer it
            if self.user:
                smtp.login(self.user, self.password)
        except BaseException:
            smtp.close()
            raise
        return smtp


class Answer(NamedTuple):
    """The result of sending a mail to one recipient."""

    is_final: bool
    """Whether it must not be sent again: it was accepted, or refused permanently."""
    status: int | None
    error: str | None = None
    """A description without addresses; None: the server has accepted the mail."""


def send(
    server: MailServer,
    mails: Sequence[tuple[str, EmailMessage]],
    is_stopped: Callable[[], bool] = lambda: False,
) -> list[Answer]:
    """Send a mail to each recipient over one connection, until stopped, and return the answers.

    A permanent refusal (5xx) of one recipient or mail affects no other. After a lost connection, a refused
    sender or password, and a missing or invalid certificate, the remaining mails can be sent later.
    """
    answers: list[Answer] = []
    try:
        with server.connect() as smtp:
            for recipient, mail in mails:
                if is_stopped():
                    break
                try:
                    smtp.send_message(mail, to_addrs=[recipient])
                    answers.append(Answer(is_final=True, status=250))
                except smtplib.SMTPRecipientsRefused as error:
                    answers.append(_refusal(*error.recipients[recipient]))
                except smtplib.SMTPDataError as error:
                    answers.append(_refusal(error.smtp_code, error.smtp_error))
    except OSError as error:
        later = Answer(is_final=False, status=getattr(error, "smtp_code", None), error=_describe(error))
        answers += [later] * (len(mails) - len(answers))
    return answers


def _refusal(status: int, text: bytes | str) -> Answer:
    return Answer(is_final=status >= 500, status=status, error=_codes(status, text))


def _codes(status: int, text: bytes | str) -> str:
    """Return the codes of an answer, whose text may quote an address."""
    found = _ENHANCED.search(text if isinstance(text, bytes) else text.encode())
    return f"{status} {found[0].decode()}" if found else str(status)


def _describe(error: OSError) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        what = "password" if isinstance(error, smtplib.SMTPAuthenticationError) else "request"
        return f"the mail server refuses the {what}: {_codes(error.smtp_code, error.smtp_error)}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the mail server's certificate is not valid: {error.verify_message}"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "the mail server offers no STARTTLS or no known authentication"
    return f"the mail server does not answer: {error.strerror or type(error).__name__}"
