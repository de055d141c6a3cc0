"""The document, put together."""

from typing import Any, Final
from urllib.parse import urlsplit

from projections.public_events.asyncapi.attributes import envelope_schema
from projections.public_events.asyncapi.channels import FEED, FEED_PATH, FEED_QUERY, describe_channels
from projections.public_events.asyncapi.messages import describe_messages
from projections.public_events.envelope import DATA_CONTENT_TYPE

ASYNCAPI_PATH: Final = "/api/v1/asyncapi.json"

_INFO: Final = f"""\
Everything that happens in the fleet, without personal data, for analysts to subscribe to.

The document is written from a subscriber's side, who only receives. The same events come by Kafka, with
topics for each entity type, and over HTTP, all of them at `{FEED_PATH}`: as a stream of server-sent
events, described here, and also as lines of JSON and in batches, for which see the OpenAPI document.

Promised: every event at least once; the events of an entity in their order; ids that are the same
whenever an event is sent, so that repeats can be dropped; members of this version stay as they are.
Ignore types and members that you do not know. Not promised: that an event comes only once, and order
among entities on Kafka."""

_KAFKA: Final[dict[str, Any]] = {
    "host": "{bootstrap}",
    "protocol": "kafka",
    "description": "The Kafka cluster that this product's relay publishes to, where it has one; whether TLS"
    " and SASL are needed, its operators say.",
    "variables": {
        "bootstrap": {
            "default": "localhost:9092",
            "description": "`host:port` of a broker, as the product was started with: `up --kafka HOST:PORT`",
        }
    },
}
_ACCESS_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "an access token of the product's identity provider; the stream ends when it expires",
}
_HTTP_BINDING: Final = "0.3.0"


def asyncapi_document(address: str) -> dict[str, Any]:
    """Return the document.

    Args:
        address: the product's public address, such as `https://fleet.example`; empty: not known.
    """
    messages = describe_messages()
    channels = describe_channels(messages)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Fleetlog event stream",
            "version": "1",
            "description": _INFO,
            "license": {"name": "MIT"},
        },
        "defaultContentType": DATA_CONTENT_TYPE,
        "servers": {"kafka": _KAFKA, "http": _http(address)},
        "channels": channels,
        "operations": {f"receive-{name}": _operation(name, channel) for name, channel in channels.items()},
        "components": {
            "messages": messages,
            "schemas": {"CloudEvent": envelope_schema()},
            "securitySchemes": {"accessToken": _ACCESS_TOKEN},
        },
    }


def _http(address: str) -> dict[str, Any]:
    known = urlsplit(address)
    server: dict[str, Any] = {
        "host": known.netloc or "{host}",
        "protocol": known.scheme or "http",
        "description": "This product's own address.",
        "security": [{"$ref": "#/components/securitySchemes/accessToken"}],
    }
    if not known.netloc:
        server["variables"] = {"host": {"default": "localhost:8080", "description": "where it answers"}}
    return server


def _operation(name: str, channel: dict[str, Any]) -> dict[str, Any]:
    operation = {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{name}"},
        "summary": channel["description"],
    }
    if name == FEED:
        operation["bindings"] = {
            "http": {"method": "GET", "query": FEED_QUERY, "bindingVersion": _HTTP_BINDING}
        }
    return operation
