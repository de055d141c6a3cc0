"""Recipients who may see names, and the record of the mails that name people."""

import time
from collections.abc import Collection
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from psycopg import AsyncConnection

from ops.base.access_log.recorder import BATCH_ENTRIES
from ops.base.access_log.views import RECORD_VIEWS, PersonalContent, PersonalView, batch_of
from ops.base.records.json_values import json_bytes
from ops.base.records.signed_links import recipient_mark
from projections.notify.subscriptions import Subscription
from read_model.tables.acknowledgements import DOCUMENTS

# As long as the confirming user keeps signing in with `personal:read`: see `notify.renew_confirmations`.
_CONFIRMED: Final = """
SELECT recipient, confirmed_by FROM notify.confirmations
WHERE subscription_id = %s AND confirmed_at > clock_timestamp() - interval '90 days'
"""
_OF_MAILS: Final = PersonalContent("e-mail", "mail", "driver", ("name", *DOCUMENTS.values()))


async def read_confirmed(connection: AsyncConnection, subscription: Subscription) -> dict[str, str]:
    """Return the user who has confirmed each address that receives names."""
    rows = await (await connection.execute(_CONFIRMED, (subscription.id,))).fetchall()
    users: dict[bytes, str] = dict(rows)
    return {one: users[mark] for one, mark in marks_of(subscription).items() if mark in users}


def marks_of(subscription: Subscription) -> dict[str, bytes]:
    """Return the digest of each address; none if the subscription is not encrypted."""
    key = subscription.key
    return {} if key is None else {one: recipient_mark(key, one) for one in subscription.recipients}


async def record_mail(
    connection: AsyncConnection, mail: str, *, subscription: str, user: str, drivers: Collection[str]
) -> None:
    """Record, before it is sent, that a mail names drivers; a repeated mail is recorded once.

    Args:
        mail: identifies the mail: its content and recipient.
        user: the user who has confirmed the address.
    """
    who, wanted = json_bytes({"sub": user}), json_bytes({"subscription": subscription})
    moment, mail_id = time.time_ns() // 1000, uuid5(NAMESPACE_URL, mail)
    views = [
        PersonalView(
            json_bytes(f"driver:{driver}"),
            who,
            _OF_MAILS.what,
            b'%d,%s,"%s",%s,null' % (moment, json_bytes(driver), mail_id.hex.encode(), wanted),
        )
        for driver in drivers
    ]
    for first in range(0, len(views), BATCH_ENTRIES):
        batch = batch_of(views[first : first + BATCH_ENTRIES]).decode()
        await connection.execute(RECORD_VIEWS, (uuid5(mail_id, str(first)), batch))
