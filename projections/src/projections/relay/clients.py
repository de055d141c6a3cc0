"""Kafka clients whose failed connections release their resources and state the cause."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from kafka.errors import KafkaConnectionError, KafkaTimeoutError, SaslAuthenticationFailedError
from kafka.net.compat import KafkaNetClient

from projections.relay.settings import PREFIX

_Client = TypeVar("_Client")

_CERTIFICATE: Final = re.compile("certificate|handshake", re.IGNORECASE)
_ATTEMPTS: Final = logging.getLogger("kafka.net.manager")


class _FirstError(logging.Handler):
    """Stores the error of the first attempt, because later attempts may end in timeouts."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        for argument in record.args if isinstance(record.args, tuple) else ():
            if isinstance(argument, BaseException) and not isinstance(argument, KafkaTimeoutError):
                self.error = self.error or argument


def connect_client(kind: Callable[..., _Client], **options: Any) -> _Client:
    """Create a client and connect it to its cluster.

    A failing constructor leaks its thread and descriptors (kafka-python 3.0), which repeated attempts would
    exhaust. Its error does not state whether network, certificate or password is the cause; its log does.

    Args:
        kind: `KafkaAdminClient`, `KafkaConsumer` or `KafkaProducer`.
        options: the client's options.

    Raises:
        kafka.errors.KafkaError: the cluster does not answer, or refuses the connection.
    """
    created: list[KafkaNetClient] = []

    def create(**settings: Any) -> KafkaNetClient:
        created.append(KafkaNetClient(**settings))
        return created[-1]

    with _record_first_error() as first:
        try:
            return kind(**options, kafka_client=create)
        except BaseException as error:
            for client in created:
                client.close()
            if first.error is not None and isinstance(error, KafkaTimeoutError):
                raise KafkaConnectionError(_describe(first.error, **options)) from error
            raise


def _describe(refusal: BaseException, *, security_protocol: str = "PLAINTEXT", **_: Any) -> str:
    """Describe the error; a broker may close the connection if the protocol or the password is wrong."""
    if isinstance(refusal, KafkaConnectionError | SaslAuthenticationFailedError) and not _CERTIFICATE.search(
        str(refusal)
    ):
        signs_in = security_protocol.startswith("SASL")
        setting = "SASL_USERNAME and its password" if signs_in else "SECURITY_PROTOCOL"
        return f"{refusal}; if the broker is running, check {PREFIX}{setting}"
    return str(refusal)


@contextmanager
def _record_first_error() -> Iterator[_FirstError]:
    first = _FirstError(logging.WARNING)
    former = _ATTEMPTS.level, _ATTEMPTS.propagate
    _ATTEMPTS.addHandler(first)
    _ATTEMPTS.setLevel(logging.WARNING)
    _ATTEMPTS.propagate = False
    try:
        yield first
    finally:
        _ATTEMPTS.removeHandler(first)
        _ATTEMPTS.level, _ATTEMPTS.propagate = former
