"""Something that the tests of the split topology look for."""

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.split.stack import SplitStack


def register_horse(stack: SplitStack) -> tuple[str, int]:
    """Register a horse, and return its stream and its event's position."""
    with Client(stack) as client:
        body = usual_body("horse").sent
        answer = client.request("POST", PATHS["horse"], actor=sign_in(stack, "staff"), json=body)
    answer.raise_for_status()
    position = int(answer.headers["fleetlog-position"].rpartition(":")[2])
    return f"horse:{answer.headers['location'].rpartition('/')[2]}", position
