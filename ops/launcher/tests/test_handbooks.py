"""Every shell block of the handbooks is run by a test, but for commands that are listed with the reason."""

import pytest

from ops.testing.handbooks import NOT_RUN, RUN, Block, blocks


@pytest.mark.parametrize("block", list(blocks()), ids=lambda block: f"{block.page}: {block.text[:24]}")
def test_a_block_is_run_by_a_test(block: Block) -> None:
    is_run = any(
        page == block.page and block.text.startswith(begins) for each in RUN.values() for page, begins in each
    )
    is_left_out = all(line.startswith((*NOT_RUN,)) for line in block.text.splitlines())
    assert is_run != is_left_out, "name it in ops.testing.handbooks.RUN, and say there what it prints"
