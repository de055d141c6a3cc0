"""Kafka clients that leave nothing behind when they cannot be made, and say why they could not."""

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


class _Refusals(logging.Handler):
    """Remembers why the first attempt failed; a broker does not always say it again."""

    first: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        for reported in record.args if isinstance(record.args, tuple) else ():
            # At the end of its patience it tells only that.
            if isinstance(reported, BaseException) and not isinstance(reported, KafkaTimeoutError):
                self.first = self.first or reported


def connected(kind: Callable[..., _Client], **options: Any) -> _Client:
    """Make a client that is connected to its cluster.

    A client's constructor that fails leaves its thread and descriptors behind (kafka-python 3.0): trying
    again for a night would use up all there are. And it does not say whether it was the network, the
    certificate or the password; its log does.

    Args:
        kind: `KafkaAdminClient`, `KafkaConsumer` or `KafkaProducer`.
        options: of that client.

    Raises:
        kafka.errors.KafkaError: the cluster does not answer, or refuses.
    """
    made: list[KafkaNetClient] = []

    def make(**settings: Any) -> KafkaNetClient:
        made.append(KafkaNetClient(**settings))
        return made[-1]

    with _noticing_refusals() as refusals:
        try:
            return kind(**options, kafka_client=make)
        except BaseException as error:
            for client in made:
                client.close()
            if refusals.first is not None and isinstance(error, KafkaTimeoutError):
                raise KafkaConnectionError(_told(refusals.first, **options)) from error
            raise


def _told(refusal: BaseException, *, security_protocol: str = "PLAINTEXT", **_: Any) -> str:
    """What a first attempt met, and what to look at: a broker may just hang up on whom it does not let in."""
    if isinstance(refusal, KafkaConnectionError | SaslAuthenticationFailedError) and not _CERTIFICATE.search(
        str(refusal)
    ):
        signs_in = security_protocol.startswith("SASL")
        setting = "SASL_USERNAME and its password" if signs_in else "SECURITY_PROTOCOL"
        return f"{refusal}; if it is not down, look at {PREFIX}{setting}"
    return str(refusal)


@contextmanager
def _noticing_refusals() -> Iterator[_Refusals]:
    refusals = _Refusals(logging.WARNING)
    former = _ATTEMPTS.level, _ATTEMPTS.propagate
    _ATTEMPTS.addHandler(refusals)
    _ATTEMPTS.setLevel(logging.WARNING)
    _ATTEMPTS.propagate = False
    try:
        yield refusals
    finally:
        _ATTEMPTS.removeHandler(refusals)
        _ATTEMPTS.level, _ATTEMPTS.propagate = former
