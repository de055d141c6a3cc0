"""Sending over SMTP: encryption, authentication, refusals and lost connections."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from ops.testing.smtp_sink import SmtpSink
from projections.failures import ProjectionStopped
from projections.notify.mail.smtp import Answer, MailServer, MailSettings, send

ACCEPTED = Answer(is_final=True, status=250)
REFUSED = Answer(is_final=True, status=550, error="550 5.1.1")
DELAYED = Answer(is_final=False, status=450, error="450 4.2.1")
RECIPIENTS = ["asha@fleet.example", "omar@fleet.example", "ingrid@fleet.example"]


@pytest.fixture
def sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmtpSink:
    sink = SmtpSink(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(sink.certificate))
    monkeypatch.setenv("FLEETLOG_SMTP", sink.address)
    monkeypatch.setenv("FLEETLOG_MAIL_FROM", "Fleetlog <fleet@fleet.example>")
    return sink


def server() -> MailServer:
    found = MailSettings.load(ProjectionStopped).server
    assert found is not None
    return found


def mails() -> list[tuple[str, EmailMessage]]:
    return [(recipient, mail(recipient)) for recipient in RECIPIENTS]


def mail(recipient: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "fleet@fleet.example", recipient, "Hello"
    message.set_content("Nothing.\n")
    return message


def test_each_recipient_gets_a_mail_over_starttls_with_authentication(sink: SmtpSink) -> None:
    with sink.running():
        assert send(server(), mails()) == [ACCEPTED] * 3
    assert [recipient for recipient, _ in sink.mails] == RECIPIENTS


def test_refusal_of_one_recipient_affects_no_other(sink: SmtpSink) -> None:
    sink.refusals = {
        RECIPIENTS[0]: "550 5.1.1 <asha@fleet.example>: no such user",
        RECIPIENTS[1]: "450 4.2.1 omar@fleet.example is greylisted",
    }
    with sink.running():
        answers = send(server(), mails())
    assert answers == [REFUSED, DELAYED, ACCEPTED]


def test_absent_server_is_tried_again(sink: SmtpSink) -> None:
    answer = send(server(), mails())[2]
    assert (answer.is_final, answer.error) == (False, "the mail server does not answer: Connection refused")


def test_wrong_password_is_tried_again(sink: SmtpSink) -> None:
    with sink.running():
        answers = send(server()._replace(password="guess"), mails())
    assert [answer.error for answer in answers] == ["the mail server refuses the password: 535 5.7.8"] * 3


def test_untrusted_certificate_gets_no_password(sink: SmtpSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with sink.running():
        (answer, *_) = send(server(), mails())
    assert (answer.is_final, answer.error) == (
        False,
        "the mail server's certificate is not valid: self-signed certificate",
    )


def test_server_without_starttls_gets_no_password(sink: SmtpSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sink, "certificate", None)
    with sink.running():
        (answer, *_) = send(server(), mails())
    assert answer.error == "the mail server offers no STARTTLS or no known authentication"
    assert sink.mails == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("smtps://a%40b:p%2Fw@mail.example", MailServer("smtps", "mail.example", 465, "a@b", "p/w")),
        ("smtp://mail.example", MailServer("smtp", "mail.example", 587, "", "")),
        ("smtps://[::1]:4650", MailServer("smtps", "::1", 4650, "", "")),
    ],
)
def test_server_is_read_from_its_setting(address: str, expected: MailServer) -> None:
    assert MailSettings(smtp=address).server == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SMTP", "http://s3cret@mail.example"),
        ("SMTP", "smtps://s3cret@"),
        ("SMTP", "smtps://s3cret@mail.example:99999"),
        ("SMTP", "smtps://s3cret@mail.example/path"),
        ("SMTP", "smtp+plain://s3cret@mail.example"),
        ("MAIL_FROM", "s3cret"),
        ("MAIL_FROM", "fleet@s3cret.example\r\nBcc: x@y.example"),
    ],
)
def test_malformed_setting_is_named_without_its_value(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"FLEETLOG_{name}", value)
    with pytest.raises(ProjectionStopped) as stopped:
        MailSettings.load(ProjectionStopped)
    assert f"FLEETLOG_{name}" in str(stopped.value)
    assert "s3cret" not in str(stopped.value)


def test_plain_server_is_for_development(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_SMTP", "smtp+plain://localhost:2525")
    monkeypatch.setenv("FLEETLOG_ENVIRONMENT", "development")
    assert server() == MailServer("smtp+plain", "localhost", 2525, "", "")
