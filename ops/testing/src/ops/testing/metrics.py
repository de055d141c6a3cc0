"""Metrics of this process."""

from prometheus_client import REGISTRY


def sample(name: str, **labels: str) -> float:
    """Return a sample's value, or 0 if it has none yet.

    Args:
        name: with its suffix, such as `fleetlog_command_repeats_total`.
        labels: all of its labels.
    """
    return REGISTRY.get_sample_value(name, labels) or 0.0
