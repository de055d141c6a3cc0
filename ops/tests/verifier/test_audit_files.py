"""Both verifiers agree on audit files: archives, manifests, time stamps, and contradicting files."""

import io
import random
import subprocess
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from ops.launcher.frontend.node import NODE
from ops.launcher.paths import PYTHON
from ops.tamper_evidence.audit_files import BadAuditFile, check_audit_file
from ops.tamper_evidence.proof_checks import BadProof
from ops.tamper_evidence.proofs import Scope
from ops.tamper_evidence.signed_notes import AUDIT_FILE, SigningKey
from ops.tamper_evidence.time_stamps import read_authorities, time_stamp_request
from ops.testing.audit_vectors import KEY, OTHER_KEY, changed_logs, checkpoint_at_end, log_of, proof_at_end
from ops.testing.second_verifier import VERIFIER, accepted_by_second
from ops.testing.time_stamp_authority import TimeStampAuthority, needs_openssl

ROWS: Final = log_of(23)
TO: Final = checkpoint_at_end(ROWS)
PROOF: Final = proof_at_end(ROWS, Scope("all"))
MANIFEST: Final = "manifest"
Entries = dict[str, bytes]


def manifest_of(entries: Entries, *, key: SigningKey = KEY, origin: str = TO.origin) -> bytes:
    hashes = [f"{sha256(data).hexdigest()} {name}" for name, data in sorted(entries.items())]
    return key.sign("".join(f"{line}\n" for line in (AUDIT_FILE, origin, *hashes))).encode()


def archive_of(entries: Entries, manifest: bytes | None = None, *, method: int = ZIP_DEFLATED) -> bytes:
    """Return a ZIP as the product streams it; by default with a right manifest."""
    target = io.BytesIO()
    target.seekable = lambda: False  # type: ignore[method-assign]
    with ZipFile(target, "w") as archive:
        for name, data in [*entries.items(), (MANIFEST, manifest or manifest_of(entries))]:
            info = ZipInfo(name)
            info.compress_type, info.external_attr = method, 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as entry:
                entry.write(data)
    return target.getvalue()


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> list[TimeStampAuthority]:
    """The trusted authority and another one."""
    folder = tmp_path_factory.mktemp("authorities")
    found = [TimeStampAuthority(folder / name) for name in ("trusted", "other")]
    for authority in found:
        authority.create()
    return found


def stamped(authority: TimeStampAuthority, text: str) -> bytes:
    return authority.stamp(time_stamp_request(text).as_bytes())


def verdicts(
    folder: Path, files: dict[str, bytes], authority: TimeStampAuthority
) -> tuple[set[str], set[str]]:
    """Return the names of the files that the product and the second verifier accept, each checked alone."""
    (folder / "key").write_text(str(KEY.verifying_key))
    (folder / "root.pem").write_bytes(authority.certificate)
    second = accepted_by_second(folder, files, '["--key", "key", "--authority", "root.pem"]')
    roots, product = read_authorities(authority.certificate), set[str]()
    for name in files:
        with suppress(BadAuditFile, BadProof):
            check_audit_file(folder / name, KEY.verifying_key, authorities=roots)
            product.add(name)
    return product, second


@needs_openssl
def test_changed_audit_files_are_refused(tmp_path: Path, authorities: list[TimeStampAuthority]) -> None:
    trusted, other = authorities
    entries = {
        "README.txt": b"read me",
        "changes.csv": b"",
        "proof.ndjson": PROOF,
        "stamps/1.tsr": stamped(trusted, TO.text()),
        "statement.html": b"<!doctype html>" * 5_000,
    }

    def changed(**members: bytes) -> Entries:
        return entries | {name.replace("__", "/").replace("_", "."): data for name, data in members.items()}

    earlier = checkpoint_at_end(log_of(22))
    stamp = entries["stamps/1.tsr"]
    valid = {
        "valid": archive_of(entries),
        "stored": archive_of(entries, method=ZIP_STORED),
        "only-proof": archive_of({"proof.ndjson": PROOF}),
        "two-stamps": archive_of(changed(stamps__2_tsr=stamped(trusted, TO.text()))),
    }
    listed = manifest_of(entries)
    refused = {
        "stamp-of-another-checkpoint": archive_of(changed(stamps__1_tsr=stamped(trusted, earlier.text()))),
        "stamp-by-another-authority": archive_of(changed(stamps__1_tsr=stamped(other, TO.text()))),
        "stamp-of-nothing": archive_of(changed(stamps__1_tsr=b"")),
        "stamp-cut": archive_of(changed(stamps__1_tsr=stamp[:-1])),
        "stamp-longer": archive_of(changed(stamps__1_tsr=stamp + b"\0")),
        "no-proof": archive_of({name: data for name, data in entries.items() if name != "proof.ndjson"}),
        "another-logs-manifest": archive_of(entries, manifest_of(entries, origin="fleetlog/other")),
        "another-keys-manifest": archive_of(entries, manifest_of(entries, key=OTHER_KEY)),
        "unsigned-manifest": archive_of(entries, listed.partition(b"\n\n")[0] + b"\n"),
        "proof-of-another-log": archive_of(changed(proof_ndjson=PROOF.replace(b"all", b"nothing", 1))),
        "more-entries": archive_of(entries | {"more.txt": b""}, listed),
        "manifest-listed": archive_of(entries, manifest_of(entries | {MANIFEST: b""})),
        **{
            f"changed-{name.replace('/', '-')}": archive_of(entries | {name: entries[name] + b"\n"}, listed)
            for name in entries
        },
        **{
            f"dropped-{name.replace('/', '-')}": archive_of(
                {one: data for one, data in entries.items() if one != name}, listed
            )
            for name in entries
        },
        **{
            f"log-{name}": archive_of(changed(proof_ndjson=proof_at_end(rows, Scope("all"), checkpoint=TO)))
            for name, rows in changed_logs(ROWS).items()
        },
        "appended": archive_of(entries) + b"\0",
        "prepended": b"PK" + archive_of(entries),
        "cut": archive_of(entries)[:-1],
        "twice": archive_of(entries) * 2,
    }
    assert verdicts(tmp_path, valid | refused, trusted) == (set(valid), set(valid))


@needs_openssl
def test_both_verifiers_agree_on_any_changed_byte(
    tmp_path: Path, authorities: list[TimeStampAuthority]
) -> None:
    source = random.Random(20261128)
    trusted = authorities[0]
    stamp = stamped(trusted, TO.text())
    entries = {"proof.ndjson": proof_at_end(ROWS, Scope("nothing")), "stamps/1.tsr": stamp}
    archive, files = archive_of(entries), dict[str, bytes]()
    imprint = stamp.index(sha256(TO.text().encode()).digest())
    signed = [*range(imprint, imprint + 32), *range(len(stamp) - 64, len(stamp))]
    for number in range(200):
        at, byte = source.randrange(len(archive)), source.randrange(256)
        files[f"archive-{number}"] = archive[:at] + bytes([byte]) + archive[at + 1 :]
    for at in source.sample(signed, 20):
        changed = stamp[:at] + bytes([stamp[at] ^ 1]) + stamp[at + 1 :]
        files[f"stamp-{at}"] = archive_of(entries | {"stamps/1.tsr": changed})
    product, second = verdicts(tmp_path, files, trusted)
    assert product == second
    assert len(product) < 50  # dates and versions of entries
    assert not any(name.startswith("stamp-") for name in product)


def test_two_histories_are_both_refused_and_a_damaged_file_is_alone(tmp_path: Path) -> None:
    other = changed_logs(ROWS)["state-changed"]
    for name, data in {
        "key": str(KEY.verifying_key).encode(),
        "a": archive_of({"proof.ndjson": PROOF}),
        "b": archive_of({"proof.ndjson": proof_at_end(other, Scope("all"))}),
        "damaged": PROOF.replace(b"driver.", b"horse.", 1),
    }.items():
        (tmp_path / name).write_bytes(data)
    assert proven(tmp_path, "a", "damaged") == ({"a"}, {"a"})
    for contradicting in ("a", "b"), ("b", "damaged"):
        assert proven(tmp_path, *contradicting) == (set(), set())


def proven(folder: Path, *names: str) -> tuple[set[str], set[str]]:
    """Return which of some files each command accepts if it checks them together."""
    outputs = [
        subprocess.run(
            [*command, "--key", "key", *names], cwd=folder, capture_output=True, text=True, check=False
        )
        for command in ([*PYTHON, "ops.launcher", "audit", "check"], [NODE, str(VERIFIER / "verify.mjs")])
    ]
    assert [done.returncode for done in outputs] == [1, 1]
    product, second = (
        {line.partition(": ")[0] for line in done.stdout.splitlines() if word in line}
        for done, word in zip(outputs, (": Proven", ": valid"), strict=True)
    )
    return product, second
