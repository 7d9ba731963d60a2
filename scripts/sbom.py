#!/usr/bin/env python3
"""What a release is made of, as SPDX 2.3 (JSON): its files, and the libraries whose code is in the program.

usage: scripts/sbom.py VERSION FOLDER      FOLDER: the release's files. Prints the document.
Versions are those of this machine's packages, which the program was linked with. Same files, same commit: same bytes.
"""
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

# What the binary holds, by Debian's package of it: name, licence (SPDX), where it is from.
LIBRARIES = {
    "libfmt-dev": ("fmt", "MIT", "https://fmt.dev"),
    "libpng-dev": ("libpng", "libpng-2.0", "http://www.libpng.org/pub/png/libpng.html"),
    "zlib1g-dev": ("zlib", "Zlib", "https://zlib.net"),
    "nettle-dev": ("nettle", "LGPL-3.0-or-later OR GPL-2.0-or-later", "https://www.lysator.liu.se/~nisse/nettle"),
    "nlohmann-json3-dev": ("nlohmann-json", "MIT", "https://github.com/nlohmann/json"),
    "libcli11-dev": ("CLI11", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11"),
    "g++": ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org"),
}


def installed_version(package):
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 and asked.stdout.strip() else "NOASSERTION"


def library(package):
    name, licence, home = LIBRARIES[package]
    return {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": installed_version(package), "downloadLocation": home,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False}


def file_entry(number, path):
    content = path.read_bytes()
    return {"SPDXID": f"SPDXRef-File-{number}", "fileName": f"./{path.name}", "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, content).hexdigest()} for name in ("sha1", "sha256")]}


def document(version, folder):
    when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    ours = {"SPDXID": "SPDXRef-gpulab", "name": "gpulab", "versionInfo": version, "downloadLocation": "NOASSERTION", "licenseConcluded": "MIT",
            "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "filesAnalyzed": False, "primaryPackagePurpose": "APPLICATION"}
    files = [file_entry(number, path) for number, path in enumerate(sorted(folder.iterdir())) if path.suffix != ".json" or ".spdx" not in path.name]
    libraries = [library(package) for package in LIBRARIES]
    digest = hashlib.sha256("".join(one["checksums"][1]["checksumValue"] for one in files).encode()).hexdigest()
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [(ours["SPDXID"], "STATIC_LINK", one["SPDXID"]) for one in libraries]
    relations += [(one["SPDXID"], "GENERATED_FROM", ours["SPDXID"]) for one in files]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"gpulab-{version}",
            "documentNamespace": f"https://gpulab.invalid/spdx/{version}/{digest}",
            "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: gpulab-scripts-sbom.py"]},
            "packages": [ours, *libraries], "files": files,
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1].splitlines()[0])
    print(json.dumps(document(sys.argv[1], pathlib.Path(sys.argv[2])), indent=2))
