"""Between what is stored and what happened, for applications that have events of their own as well."""

from typing import Any

from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import Mapper, StoredEvent

from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER


class FleetlogMapper(Mapper[Any]):
    """Our events go through our mapper, all others through the library's."""

    def to_stored_event(self, domain_event: DomainEventProtocol[Any]) -> StoredEvent:
        """Return what is to be stored of an event."""
        if isinstance(domain_event, Event):
            return MAPPER.to_stored_event(domain_event)
        return super().to_stored_event(domain_event)

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[Any]:
        """Return the event that is stored.

        Raises:
            UnreadableEvent: it is none of ours, or of no known shape.
            MapperDeserialisationError: it is one of the application's, and of no known shape.
        """
        if ":" in stored_event.topic:  # of a class, where ours are `<entity>.<kind>`
            return super().to_domain_event(stored_event)
        return MAPPER.to_domain_event(stored_event)
