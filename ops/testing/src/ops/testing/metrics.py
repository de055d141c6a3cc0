"""What this process tells Prometheus."""

from prometheus_client import REGISTRY


def sample(name: str, **labels: str) -> float:
    """Return a sample's value now; 0 where there is none yet.

    Args:
        name: with its ending, such as `fleetlog_command_repeats_total`.
        labels: all of its labels.
    """
    return REGISTRY.get_sample_value(name, labels) or 0.0
