"""The channels of this installation."""

from collections.abc import Mapping

from projections.notify.channel import ChannelFactory
from projections.notify.mail.channel import mail
from projections.notify.mail.smtp import MailSettings
from projections.notify.settings import NotifySettings
from projections.notify.webhooks.channel import webhooks


def channels(settings: NotifySettings, mails: MailSettings) -> Mapping[str, ChannelFactory]:
    """Return a factory for each channel, by its name in subscriptions."""
    return {"email": mail(mails), "webhook": webhooks(settings.webhook_networks)}
