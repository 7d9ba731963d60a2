#!/usr/bin/env python3
"""scripts/release.sh, with packages that are built already: what it makes, and that it says why it does not."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r"^project\(gpulab VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
WHEEL = f"gpulab-{VERSION}-py3-none-manylinux_2_99_x86_64.whl"  # of no C library that templates could name by chance


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def release(self, *words):
        return subprocess.run(["bash", ROOT / "scripts/release.sh", *map(str, words)], capture_output=True, text=True, check=False,
                              cwd=self.folder, stdin=subprocess.DEVNULL)

    def packages(self):
        """A Debian package of one file, and a file with a wheel's name."""
        tree = self.folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "usr/bin/gpulab").write_text("#!/bin/sh\n")
        (tree / "DEBIAN/control").write_text(f"Package: gpulab\nVersion: {VERSION}\nArchitecture: amd64\nMaintainer: a <a@b.invalid>\nDescription: a test\n")
        packages = self.folder / "packages"
        packages.mkdir()
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, packages / f"gpulab_{VERSION}_amd64.deb"], check=True, capture_output=True)
        (packages / WHEEL).write_bytes(b"a wheel")
        return packages

    def test_a_release_is_one_folder_with_sums_and_what_it_is_made_of(self):
        if not shutil.which("dpkg-deb"):
            self.skipTest("no dpkg-deb")
        packages = self.packages()
        for name in ("one", "two"):
            made = self.release(VERSION, "--dirty", "--packages", packages, self.folder / name)
            self.assertEqual(made.returncode, 0, made.stderr)
        one, two = self.folder / "one", self.folder / "two"
        files = sorted(path.name for path in one.iterdir())
        program = next(name for name in files if "-linux-" in name)
        image, bill = f"gpulab-{VERSION}-image.tar.gz", f"gpulab-{VERSION}.spdx.json"
        self.assertEqual(set(files), {"SHA256SUMS", "action.yml", "devcontainer.json", "gitlab.yml", image, program, bill, WHEEL,
                                      f"gpulab_{VERSION}_amd64.deb"})
        self.assertEqual(sorted(made.stdout.splitlines()), sorted(str(two / name) for name in files))
        for name in files:
            self.assertEqual((one / name).read_bytes(), (two / name).read_bytes(), f"{name} has other bytes the second time")
        sums = dict(reversed(line.split()) for line in (one / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(sorted(sums), [name for name in files if name != "SHA256SUMS"])
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((one / name).read_bytes()).hexdigest(), digest)
        with tarfile.open(one / program) as archive:
            self.assertIn(program.removesuffix(".tar.gz") + "/bin/gpulab", archive.getnames())
        with tarfile.open(one / image) as archive:
            self.assertLessEqual({f"gpulab-{VERSION}-image/Containerfile", f"gpulab-{VERSION}-image/gpulab_{VERSION}_amd64.deb"}, set(archive.getnames()))
        for name in ("action.yml", "gitlab.yml", "devcontainer.json"):
            self.assertNotRegex((one / name).read_text(), "@[A-Z]+@")
        for name in ("action.yml", "gitlab.yml"):
            self.assertIn(WHEEL, (one / name).read_text())
            self.assertEqual(set(re.findall(r"[\w.-]*manylinux[\w.*-]*", (one / name).read_text())), {WHEEL})
        # A container's machine is not this one: the shell there finds the wheel of its own.
        self.assertIn(f"gpulab-{VERSION}-py3-none-manylinux_*_$(uname -m).whl", (one / "devcontainer.json").read_text())
        json.loads((one / "devcontainer.json").read_text())
        made_of = json.loads((one / bill).read_text())
        self.assertEqual(made_of["spdxVersion"], "SPDX-2.3")
        self.assertLessEqual({"gpulab", "fmt", "libpng", "zlib", "nettle"}, {part["name"] for part in made_of["packages"]})
        self.assertIn(sums[WHEEL], json.dumps(made_of["files"]))

    def test_what_cannot_be_released_is_refused_before_anything_is_built(self):
        (self.folder / "full").mkdir()
        (self.folder / "full/file").write_text("")
        for words, what in (([], "error: which version is to be released?"), (["1.x"], "error: which version is to be released?"),
                            (["99.0.0"], f"error: this tree is version {VERSION}, not 99.0.0"),
                            ([VERSION, "--frob"], "error: release.sh: there is no option '--frob'"),
                            ([VERSION, "--dirty", "--packages", "/nosuch"], "error: --packages: there is no such folder"),
                            ([VERSION, "--dirty", "full"], "error: full is not empty"),
                            ([VERSION, "--dirty", "--packages", self.folder / "full", "new"], "has no packages of version")):
            with self.subTest(words=words):
                made = self.release(*words)
                self.assertEqual((made.returncode, made.stdout), (2, ""))
                self.assertIn(what, made.stderr)
                self.assertIn("hint: ", made.stderr)


if __name__ == "__main__":
    ran = unittest.main(exit=False).result
    print(f"{ran.testsRun - len(ran.failures) - len(ran.errors)} passed, {len(ran.failures) + len(ran.errors)} failed")
    sys.exit(not ran.wasSuccessful())
