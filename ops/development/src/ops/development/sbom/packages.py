"""CycloneDX components of the packages in a Python lock."""

import re
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.component import Component, ComponentScope
from packageurl import PackageURL
from packaging.markers import Marker

_PIN: Final = re.compile(r"^(\S+)==(\S+)(?: ; (.+))? \\\n((?: {4}--hash=sha256:.+\n?)+)", re.MULTILINE)
_LINUX: Final = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
_SPDX: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
}
"""SPDX identifiers of licence names that packages use in place of an SPDX expression."""


def read_lock(lock: Path, python: str, *, scope: ComponentScope) -> Iterator[Component]:
    """Yield the packages that a lock installs on Linux.

    Licences come from the installed packages: `.venv` holds every package of every lock at the same version.

    Args:
        lock: the file.
        python: version of Python that it is installed for, such as "3.13".
        scope: of all components.
    """
    for name, pinned, marker, hashes in _PIN.findall(lock.read_text()):
        if marker and not Marker(marker).evaluate(
            {**_LINUX, "python_version": python, "python_full_version": f"{python}.0"}
        ):
            continue
        url = PackageURL("pypi", name=name, version=pinned)
        licence = _declared_licence(name)
        yield Component(
            name=name,
            version=pinned,
            purl=url,
            bom_ref=str(url),
            scope=scope,
            licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
            # A lock has the hashes of all files of a version, so none of them is the hash of the component.
            external_references=[
                ExternalReference(
                    type=ExternalReferenceType.DISTRIBUTION,
                    url=XsUri(str(url)),
                    comment="hashes of all files of this version that the lock accepts",
                    hashes=[
                        HashType(alg=HashAlgorithm.SHA_256, content=digest)
                        for digest in re.findall(r"sha256:([0-9a-f]+)", hashes)
                    ],
                )
            ],
        )


def _declared_licence(name: str) -> str | None:
    """Return the licence that a package declares: an SPDX expression where `_SPDX` or the package has one."""
    declared = metadata(name).json
    if "license_expression" in declared:
        return str(declared["license_expression"])
    classifiers = [str(text) for text in declared.get("classifier", ()) if str(text).startswith("License ::")]
    names = [str(declared.get("license", "")), *(text.rpartition(" :: ")[2] for text in classifiers)]
    named = [_SPDX.get(text, text) for text in names if text and "\n" not in text]
    return named[0] if named else None
