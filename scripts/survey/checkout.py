"""Files of a checkout, or of a bare git directory, some of whose objects may be absent."""
import io
import os
import pathlib
import subprocess
import tarfile


class Checkout:
    def __init__(self, place, most_bytes):
        self.place, self.most_bytes = pathlib.Path(place), most_bytes
        self.libraries = False  # whether programs of closed libraries and of the driver's API are taken, too
        self.bare = (self.place / "HEAD").is_file() and (self.place / "objects").is_dir()
        self.objects = {}  # path -> (mode, object) of a bare one, (mode, None) of a folder
        if self.bare:
            listed = self.git("ls-tree", "-r", "-z", "HEAD").decode("utf-8", "replace")
            for line in filter(None, listed.split("\0")):
                facts, path = line.split("\t", 1)
                mode, kind, name = facts.split()
                if kind == "blob":
                    self.objects[path] = (mode, name)
        else:
            for folder, below, files in os.walk(self.place):
                below[:] = [b for b in below if b != ".git"]
                for file in files:
                    path = (pathlib.Path(folder) / file).relative_to(self.place)
                    self.objects[path.as_posix()] = ("100755" if os.access(self.place / path, os.X_OK) else "100644", None)
        self.by_folder = {}
        for path in sorted(self.objects):
            self.by_folder.setdefault(path.rpartition("/")[0], []).append(path)

    def git(self, *words, **more):
        return subprocess.run(["git", "-C", str(self.place), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                              env={**os.environ, "GIT_NO_LAZY_FETCH": "1"}, **more).stdout

    def read(self, path):
        """Its bytes; None where it is absent or too large."""
        mode, name = self.objects.get(path, (None, None))
        if mode is None:
            return None
        if not self.bare:
            file = self.place / path
            return file.read_bytes() if file.is_file() and file.stat().st_size <= self.most_bytes else None  # a link may lead nowhere
        size = self.git("cat-file", "-s", name).strip()
        if not size or int(size) > self.most_bytes:
            return None
        return self.git("cat-file", "blob", name)

    def text(self, path):
        return (self.read(path) or b"").decode("utf-8", "replace")

    def below(self, folder):
        """Paths of all files in a folder and its folders, or of the one file."""
        if folder in self.objects:
            return [folder]
        return [p for p in self.objects if p.startswith(folder + "/")]

    def extract(self, paths, target):
        """Writes them below `target`; the paths of those that we lack."""
        missing = []
        for path in paths:
            content = self.read(path)
            if content is None:
                missing.append(path)
                continue
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if self.objects[path][0] == "120000" and self.bare:  # a link's text is where it leads
                leads_to = (file.parent / content.decode()).resolve()
                if leads_to.is_relative_to(target.resolve()):
                    file.symlink_to(content.decode())
                continue
            file.write_bytes(content)
            file.chmod(int(self.objects[path][0][-3:], 8))
        return missing

    def add_to(self, archive, path):
        content = self.read(path)
        if content is None:
            return
        info = tarfile.TarInfo(path)
        info.size, info.mode = len(content), int(self.objects[path][0][-3:], 8)
        if self.objects[path][0] == "120000" and self.bare:
            info.type, info.linkname, info.size = tarfile.SYMTYPE, content.decode(), 0
            content = b""
        archive.addfile(info, io.BytesIO(content))
