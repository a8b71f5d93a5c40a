"""./setup without a network: what it refuses, and that its pins are whole."""

import re
import subprocess
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
