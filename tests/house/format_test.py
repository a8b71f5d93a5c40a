import subprocess
import unittest

import tree


class Format(unittest.TestCase):
    def test_cpp_is_formatted_by_the_projects_clang_format(self):
        files = tree.committed("*.h", "*.cc")
        checked = subprocess.run(["clang-format-16", "--dry-run", "--Werror", *map(str, files)],
                                 capture_output=True, text=True, cwd=tree.ROOT)
        found = sorted({str(path.relative_to(tree.ROOT)) for path in files
                        if f"{path}:" in checked.stderr})
        self.assertEqual(checked.returncode, 0, "clang-format-16 -i " + " ".join(found))

    def test_headers_are_guarded_by_pragma_once(self):
        found = [str(path) for path in tree.committed("src/*.h")
                 if not path.read_text().startswith("#pragma once\n")]
        self.assertEqual(found, [])
