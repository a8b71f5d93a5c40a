import os
import subprocess
import unittest

import tree


class Scripts(unittest.TestCase):
    def test_bash_scripts_parse(self):
        for path in tree.bash_scripts():
            checked = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_shellcheck_finds_nothing(self):
        checked = subprocess.run(["shellcheck", "-x", *map(str, tree.bash_scripts())],
                                 capture_output=True, text=True, cwd=tree.ROOT)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_commands_of_the_readme_are_executable(self):
        for name in ("setup", "run", "test", ".ci/run"):
            self.assertTrue(os.access(tree.ROOT / name, os.X_OK), name)

    def test_ci_calls_the_test_that_the_readme_gives(self):
        self.assertIn("./test", (tree.ROOT / ".ci/run").read_text())
