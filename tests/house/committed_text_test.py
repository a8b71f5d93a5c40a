import re
import unittest

import tree

# Split, so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.])/(wo" r"rk|ro" r"ot|fa" r"rm|ho" r"me/[a-z])(/|\b)")
REGISTRY = re.compile(
    r"--(extra-)?ind" r"ex-url|--regi" r"stry[ =]|<repo" r"sitory>|files\.python" r"hosted\.org|"
    r"registry\.npm" r"js\.org|pypi\.org/sim" r"ple")
MERGE_CONFLICT = re.compile(r"^(<{7}|>{7}) ")


def lines_that_match(pattern):
    found = []
    for path in tree.committed():
        data = path.read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(tree.ROOT)}:{number}: {line.strip()[:120]}")
    return found


class CommittedText(unittest.TestCase):
    def expect_none(self, pattern):
        found = lines_that_match(pattern)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_names_no_path_of_one_machine(self):
        self.expect_none(MACHINE_PATH)

    def test_names_no_package_registry_by_address(self):
        self.expect_none(REGISTRY)

    def test_holds_no_merge_conflict(self):
        self.expect_none(MERGE_CONFLICT)

    def test_the_patterns_find_what_they_are_for(self):
        for bad in ("cd /wo" "rk/main", '"/ro' 'ot/.npmrc"', "see /fa" "rm/"):
            self.assertTrue(MACHINE_PATH.search(bad), bad)
        for good in ("framework/", "a/work/b", "https://example.org/root", "./root/x", "/rooted"):
            self.assertFalse(MACHINE_PATH.search(good), good)
        self.assertTrue(REGISTRY.search("pip install --ind" "ex-url x"))
