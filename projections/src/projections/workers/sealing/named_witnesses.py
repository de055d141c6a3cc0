"""The witnesses that a setting names."""

from pathlib import Path

from projections.workers.sealing.witnesses import FolderWitness, HttpWitness, Witness


def witnesses_of(setting: str) -> list[Witness]:
    """Return the witnesses that a setting names.

    Args:
        setting: folders, `http:` or `https:` addresses, and `kafka:`, with blanks or commas between.

    Raises:
        ValueError: it names something else.
    """
    return [_witness_of(word) for word in setting.replace(",", " ").split()]


def _witness_of(word: str) -> Witness:
    if word == "kafka:":
        # Here, for Kafka's client is large, and few have such a witness.
        from projections.workers.sealing.kafka_witness import KafkaWitness  # noqa: PLC0415

        return KafkaWitness.from_environment()
    if word.startswith(("http://", "https://")):
        return HttpWitness(word)
    if word.startswith("/"):
        return FolderWitness(Path(word))
    raise ValueError("a witness is an absolute folder, an http: or https: address, or kafka:")
