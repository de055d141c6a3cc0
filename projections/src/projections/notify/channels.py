"""The channels of this installation."""

from collections.abc import Mapping

from projections.notify.channel import ChannelFactory
from projections.notify.settings import NotifySettings
from projections.notify.webhooks.channel import webhooks


def channels(settings: NotifySettings) -> Mapping[str, ChannelFactory]:
    """Return a factory for each channel, by its name in subscriptions."""
    return {"webhook": webhooks(settings.webhook_networks)}
