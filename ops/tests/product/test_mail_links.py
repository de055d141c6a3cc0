"""A user opens the links of real mails in a browser."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from ops.launcher.frontend.build import ensure_built
from ops.testing.browser_tests import run_browser_tests
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.smtp_sink import SmtpSink
from ops.testing.stack import Stack, instance_environment

pytestmark = pytest.mark.integration

OFFICE = "office@fleet.example"
SPEC = "e2e/mail-links.spec.ts"


def text_of_mail(sink: SmtpSink, number: int) -> str:
    """Return the text of a mail, once it has arrived."""
    wait_for(lambda: len(sink.mails) > number)
    recipient, mail = sink.mails[number]
    assert recipient == OFFICE
    return str(mail.get_body(("plain",)).get_content())  # type: ignore[union-attr]


def test_links_of_mails_confirm_an_address_and_acknowledge_a_reminder() -> None:
    now = datetime.now(UTC)
    noon_zone = f"Etc/GMT{now.hour - 12:+d}"  # where it is noon, so that the digest's hour can pass
    due = (now + timedelta(days=5)).date().isoformat()
    body = {
        "name": "Office",
        "content": "due_dates",
        "channel": "email",
        "schedule": "daily",
        "recipients": [OFFICE],
        "time_zone": noon_zone,
        "status": "active",
    }
    with open_folder() as folder:
        sink = SmtpSink(folder)
        settings = {"FLEETLOG_SMTP": sink.address, "FLEETLOG_MAIL_FROM": "Fleetlog <fleet@fleet.example>"}
        environment = instance_environment(**settings, SSL_CERT_FILE=str(sink.certificate))
        stack = Stack(folder, environment=environment, frontend=ensure_built())
        with sink.running(), stack, Client(stack) as client:
            staff = sign_in(stack, "staff")
            path = PATHS["subscription"]
            answer = client.request("POST", path, actor=staff, json={**body, "hour": 23}).raise_for_status()
            (confirm,) = re.findall(r"\S+/confirm\?link=\S+", text_of_mail(sink, 0))
            run_browser_tests(stack.address, SPEC, "-g", "confirms", MAIL_LINK=confirm)
            driver = {"id": "DRV-1", **usual_body("driver", driving_license_expiry=due).sent}
            client.request("POST", PATHS["driver"], actor=staff, json=driver).raise_for_status()
            changed = {**answer.json(), **body, "hour": 0}
            client.request(
                "PUT", f"{path}/{answer.json()['id']}", actor=staff, json=changed
            ).raise_for_status()
            text = text_of_mail(sink, 1)
            assert driver["name"] in text  # because the address is confirmed
            (acknowledge,) = re.findall(r"\S+\?acknowledge=licence\S+", text)
            run_browser_tests(stack.address, SPEC, "-g", "acknowledges", MAIL_LINK=acknowledge)
