"""Signatures of Standard Webhooks, with the specification's rules and vectors."""

import hmac
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta

import pytest

from ops.base.encryption.keys import Key
from ops.base.records.webhook_secrets import webhook_secret
from projections.notify.webhooks.channel import FIRST_PAUSE, LONGEST_PAUSE, pause_after
from projections.notify.webhooks.sender import Answer
from projections.notify.webhooks.signatures import signed_headers

NOW = datetime(2021, 2, 25, 17, 43, 34, 500_000, tzinfo=UTC)


def test_the_vector_of_the_reference_implementation() -> None:
    body = b'{"test": 2432232314}'
    moment = datetime.fromtimestamp(1614265330, UTC)
    headers = signed_headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", moment, body, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_each_secret_signs_id_timestamp_and_body() -> None:
    secrets = [webhook_secret(Key.new(), "SUB-1", generation) for generation in (2, 1)]
    headers = signed_headers("log:7", NOW, b"{}", secrets)
    content = f"log:7.{headers['webhook-timestamp']}.{{}}".encode()
    macs = [hmac.digest(b64decode(secret.removeprefix("whsec_")), content, "sha256") for secret in secrets]
    assert headers["webhook-signature"] == " ".join(f"v1,{b64encode(mac).decode()}" for mac in macs)


def test_secrets_differ_by_key_subscription_and_generation() -> None:
    key = Key.new()
    made = {webhook_secret(key, *which) for which in (("SUB-1", 1), ("SUB-1", 2), ("SUB-2", 1))}
    made.add(webhook_secret(Key.new(), "SUB-1", 1))
    assert len(made) == 4
    assert all(len(b64decode(secret.removeprefix("whsec_"))) == 32 for secret in made)
    assert webhook_secret(Key(key.id, key.secret), "SUB-1", 1) in made


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("120", 120),
        ("-5", 0),
        ("soon", 0),
        ("9" * 400, float("inf")),
        ("Thu, 25 Feb 2021 17:44:34 GMT", 59.5),
        ("Thu, 25 Feb 2021 17:42:34 GMT", -60.5),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float) -> None:
    assert Answer(1, status=503, retry_after=header).retry_seconds(NOW) == seconds


def test_pauses_grow_to_an_hour_and_respect_the_receiver() -> None:
    pauses = [pause_after(attempts, 0, lambda: 1.0) for attempts in range(1, 30)]
    assert pauses[:4] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, 8 * FIRST_PAUSE]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    assert pause_after(29, 0, lambda: 0.0) == 0.75 * LONGEST_PAUSE
    assert pause_after(1, 120) == timedelta(seconds=120)
    assert pause_after(1, float("inf")) == LONGEST_PAUSE
    assert pause_after(1, -60) >= FIRST_PAUSE
