"""Time stamps are accepted only for their checkpoint, and of a trusted authority."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.time_stamps import (
    BadTimeStamp,
    check_time_stamp,
    read_authorities,
    time_stamp_request,
)
from ops.testing.sealed_logs import a_log, checkpoint_of
from ops.testing.time_stamp_authority import TimeStampAuthority, needs_openssl

pytestmark = needs_openssl
SECOND = timedelta(seconds=1)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> TimeStampAuthority:
    authority = TimeStampAuthority(tmp_path_factory.mktemp("authority") / "files")
    authority.create()
    return authority


@pytest.fixture
def checkpoint() -> Checkpoint:
    return replace(checkpoint_of(a_log(5)), moment=datetime.now(UTC).replace(microsecond=0))


def test_stamp_of_a_checkpoint_has_its_time(authority: TimeStampAuthority, checkpoint: Checkpoint) -> None:
    request = time_stamp_request(checkpoint.text())
    begun = datetime.now(UTC)
    response = authority.stamp(request.as_bytes())
    trusted = read_authorities(authority.certificate)
    moment = check_time_stamp(response, checkpoint, trusted, nonce=request.nonce)
    assert begun - SECOND <= moment <= datetime.now(UTC)
    assert check_time_stamp(response, checkpoint, trusted) == moment
    assert request.nonce is not None
    with pytest.raises(BadTimeStamp, match="Nonce mismatch"):
        check_time_stamp(response, checkpoint, trusted, nonce=request.nonce + 1)


def test_stamp_of_another_checkpoint_authority_or_time_is_refused(
    authority: TimeStampAuthority, checkpoint: Checkpoint, tmp_path: Path
) -> None:
    response = authority.stamp(time_stamp_request(checkpoint.text()).as_bytes())
    trusted, moment = read_authorities(authority.certificate), checkpoint.moment
    assert moment is not None
    with pytest.raises(BadTimeStamp, match="Mismatch between messages"):
        check_time_stamp(response, replace(checkpoint, moment=moment - SECOND), trusted)
    later = replace(checkpoint, moment=moment + timedelta(hours=1))
    with pytest.raises(BadTimeStamp, match="older than the checkpoint"):
        check_time_stamp(authority.stamp(time_stamp_request(later.text()).as_bytes()), later, trusted)
    other = TimeStampAuthority(tmp_path / "other")
    other.create()
    with pytest.raises(BadTimeStamp, match="verify"):
        check_time_stamp(response, checkpoint, read_authorities(other.certificate))


def test_changed_response_is_refused(authority: TimeStampAuthority, checkpoint: Checkpoint) -> None:
    response = authority.stamp(time_stamp_request(checkpoint.text()).as_bytes())
    trusted = read_authorities(authority.certificate)
    signature = response[-20:-1] + bytes([response[-1] ^ 1])
    for changed in (b"", b"<html>", response[:-1], response + b"x", response[:-20] + signature):
        with pytest.raises(BadTimeStamp):
            check_time_stamp(changed, checkpoint, trusted)
    refusal = authority.stamp(b"not a request")
    with pytest.raises(BadTimeStamp):
        check_time_stamp(refusal, checkpoint, trusted)
