"""`./fleetlog sbom`: write a CycloneDX document for each image and for the frontend."""

import argparse
from pathlib import Path

from ops.development.sbom import documents


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, help="folder for the files NAME.cdx.json")


def run(arguments: argparse.Namespace) -> int:
    """Write the documents."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, document in documents().items():
        file = arguments.folder / f"{name}.cdx.json"
        file.write_text(document)
        print(file)
    return 0
