"""./setup without a network: what it refuses, and that its pins are whole."""

import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import tree


def pins():
    lines = (tree.ROOT / "tools/setup/pins.tsv").read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


class Pins(unittest.TestCase):
    def test_each_has_an_exact_version_and_a_checksum(self):
        for name, machine, client, _, version, sha256, _ in pins():
            self.assertIn(machine, ("x86_64", "aarch64", "any"), name)
            self.assertIn(client, ("npm", "wheel", "sdist"), name)
            self.assertRegex(version, r"^\d+(\.\d+)+(-r\.\d+)?$", name)
            self.assertRegex(sha256, r"^[0-9a-f]{64}$", name)

    def test_each_is_there_for_both_architectures(self):
        machines = {}
        for name, machine, *_ in pins():
            machines.setdefault(name, set()).add(machine)
        for name, given in machines.items():
            self.assertIn(given, ({"any"}, {"x86_64", "aarch64"}), name)

    def test_both_architectures_get_the_same_version(self):
        self.assertEqual(len({(name, version) for name, _, _, _, version, _, _ in pins()}),
                         len({name for name, *_ in pins()}))

    def test_every_pin_that_a_part_lays_out_exists(self):
        known = {name for name, *_ in pins()}
        for path in tree.committed("tools/setup.d/*.sh", "tools/setup/*.sh"):
            for named in re.findall(r"lay_out \w+ unpack_\w+ (.+?)(?: *[;}]|$)", path.read_text(), re.M):
                self.assertLessEqual(set(named.split()), known, path.name)


class Setup(unittest.TestCase):
    def setup(self, *arguments):
        return subprocess.run([tree.ROOT / "setup", *arguments], capture_output=True, text=True)

    def test_an_unknown_part_is_one_line_that_lists_the_parts(self):
        done = self.setup("sparkle")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn('unknown part "sparkle"; parts: core', done.stderr)

    def test_a_part_cannot_name_a_file_elsewhere(self):
        self.assertEqual(self.setup("../setup/machine").returncode, 1)

    def test_an_unknown_option_is_refused(self):
        self.assertIn("unknown option --quick", self.setup("--quick").stderr)


def package(text):
    """The bytes of an npm package that holds one file, page.js."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo("package/page.js")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
    return packed.getvalue()


class Downloads(unittest.TestCase):
    """A set-up of one part, `page`, whose npm is a script that serves files one after another."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(tree.ROOT / "tools/setup", self.root / "tools/setup")
        shutil.copy(tree.ROOT / "setup", self.root / "setup")
        (self.root / "tools/setup.d").mkdir()
        (self.root / "tools/setup.d/page.sh").write_text(
            "packages+=(bash)\n"
            "unpack_page() { tar -xzf \"$1\" --strip-components=1 package/page.js; }\n"
            "lay_out_page() { lay_out page unpack_page page; }\n"
            "layouts+=(lay_out_page)\n")
        (self.root / "bin").mkdir()
        npm = self.root / "bin/npm"
        npm.write_text(f"#!/bin/sh\necho \"$@\" >>{self.root}/asked\n"
                       f"next=$(ls {self.root}/served | head -n 1)\n"
                       f"[ -n \"$next\" ] || {{ echo 'npm error network' >&2; exit 1; }}\n"
                       f"mv {self.root}/served/$next page-1.0.tgz\n")
        npm.chmod(0o755)
        (self.root / "served").mkdir()
        self.good = package(b"good")
        self.pin(self.good)

    def pin(self, content):
        (self.root / "tools/setup/pins.tsv").write_text("\t".join(
            ["page", "any", "npm", "page", "1.0", hashlib.sha256(content).hexdigest(),
             "page-1.0.tgz"]) + "\n")

    def serve(self, *contents):
        for number, content in enumerate(contents):
            (self.root / f"served/{number}").write_bytes(content)

    def environment(self):
        return dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}",
                    XDG_CACHE_HOME=str(self.root / "cache"))

    def setup(self):
        return subprocess.run([self.root / "setup", "page"], capture_output=True, text=True,
                              env=self.environment())

    def asked(self):
        path = self.root / "asked"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def laid_out(self):
        path = self.root / "third_party/page/page.js"
        return path.read_bytes() if path.exists() else None

    def cached(self):
        return self.root / "cache/lakegauge/downloads/page-1.0.tgz"

    def test_a_second_call_asks_for_nothing(self):
        self.serve(self.good)
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(self.laid_out(), b"good")
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(self.asked(), 1)

    def test_a_partial_download_is_thrown_away_and_tried_again(self):
        self.serve(self.good[:20], self.good)
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(self.laid_out(), b"good")
        self.assertEqual(self.asked(), 2)

    def test_three_bad_downloads_end_in_one_error_and_leave_nothing(self):
        self.serve(b"bad", package(b"evil"), b"")
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: could not fetch page 1.0 with npm: what arrived does not have the "
                      "pinned checksum", done.stderr.splitlines()[-1])
        self.assertIsNone(self.laid_out())
        self.assertFalse(self.cached().exists())

    def test_a_call_after_a_failed_one_goes_on(self):
        self.assertIn("npm error network", self.setup().stderr)
        self.serve(self.good)
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(self.laid_out(), b"good")

    def test_a_damaged_file_in_the_cache_is_replaced(self):
        self.cached().parent.mkdir(parents=True)
        self.cached().write_bytes(self.good[:50])
        self.serve(self.good)
        self.assertIn("is damaged", self.setup().stderr)
        self.assertEqual(self.cached().read_bytes(), self.good)

    def test_a_changed_pin_is_laid_out_anew(self):
        newer = package(b"newer")
        self.serve(self.good)
        self.setup()
        self.pin(newer)
        self.serve(newer)
        self.assertEqual(self.setup().returncode, 0)
        self.assertEqual(self.laid_out(), b"newer")

    def test_what_cannot_be_unpacked_is_not_laid_out(self):
        strange = b"not an archive"
        self.pin(strange)
        self.serve(strange)
        done = self.setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not unpack page", done.stderr)
        self.assertIsNone(self.laid_out())

    def test_two_at_once_download_once(self):
        self.serve(self.good)
        both = [subprocess.Popen([self.root / "setup", "page"], stderr=subprocess.DEVNULL,
                                 env=self.environment()) for _ in range(2)]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.assertEqual(self.asked(), 1)
