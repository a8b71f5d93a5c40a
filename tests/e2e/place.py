"""Where a case happens: a folder of its own, the shared data, and small file systems mounted in it."""
import os
import pathlib
import shutil
import subprocess
import tempfile

# The one dataset that all cases share: TPC-DS as small as its generator makes it, in two layouts.
SHARED_DATA = ["layout", "--dataset", "tpcds", "--scale", "0.01",
               "--file-size", "unlimited", "--file-size", "64KiB"]


class Skipped(Exception):
    """What this machine cannot show; counted, with the reason."""


class Broken(Exception):
    """Nothing can be tried at all."""


class World:
    """What all cases have in common."""

    def __init__(self, root, binary, experiments, keep):
        self.root = root
        self.binary = binary
        self.experiments = experiments
        self.keep = keep
        self.data = root / "data"
        self.bin = root / "bin"
        self.bin.mkdir()
        (self.bin / "lakegauge").symlink_to(binary)

    def prepare_data(self):
        done = subprocess.run([self.binary, *SHARED_DATA, "--data", self.data],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Broken(f"the shared data could not be made:\n{done.stdout}{done.stderr}")

    def environment(self, extra):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith("LAKEGAUGE")}
        variables["PATH"] = f"{self.bin}:{variables.get('PATH', '')}"
        variables["LC_ALL"] = "C.UTF-8"
        variables["LAKEGAUGE_DATA"] = str(self.data)
        variables.update(extra)
        return variables


class Place:
    """A folder for one case; what it mounts is unmounted and it is deleted in the end."""

    def __init__(self, one, world):
        self.one = one
        self.world = world
        self.path = None
        self.mounted = []

    def __enter__(self):
        if self.one.needs_root_less and os.geteuid() == 0:
            raise Skipped("root may do everything: needs another user")
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=self.one.short_name() + "-",
                                                  dir=self.world.root))
        try:
            for name in self.one.copies:
                shutil.copy(self.world.experiments / name, self.path / name)
            for name, text in self.one.files.items():
                target = self.path / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            if self.one.own_data:
                shutil.copytree(self.world.data, self.path / "data", symlinks=True)
            for name, options in self.one.mounts.items():
                self._mount(name, options)
        except Exception:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, *_):
        for target in reversed(self.mounted):
            subprocess.run(["umount", "--lazy", target], capture_output=True)
        if not (self.world.keep and kind is not None and not issubclass(kind, Skipped)):
            shutil.rmtree(self.path, ignore_errors=True)

    def environment(self):
        extra = dict(self.one.env)
        if self.one.own_data:
            extra["LAKEGAUGE_DATA"] = "data"
        return self.world.environment(extra)

    def _mount(self, name, options):
        target = self.path / name
        target.mkdir()
        if os.geteuid() != 0:
            raise Skipped("mounting a small file system takes root")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", target],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped("this machine lets nothing be mounted: " + done.stderr.strip())
        self.mounted.append(target)
