"""Files imported by the frontend's own code: what it says is what comes of them, whatever is killed."""

import pytest

from ops.testing.product.importing import importing
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

SOAK_FILES = 400


def test_dry_run_run_and_list_agree_on_every_row_of_every_file(stack: Stack) -> None:
    assert importing(stack, "files").wait() == 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_dry_run_run_and_list_agree_on_every_row_of_many_imports(stack: Stack) -> None:
    assert importing(stack, "files", FLEETLOG_FILES=str(soak_count(SOAK_FILES))).wait() == 0
