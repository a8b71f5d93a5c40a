import pathlib
import tempfile
import unittest

import include_rules
import tree

TABLE = """
## Rooms

| room | holds | may include, beside base |
|---|---|---|
| `base` | results | nothing |
| `store` | stores | nothing |
| `engine` | engines | store |
| `cli` | commands | everything |

## Seams
| `other` | table | nothing |
"""


class RulesOfThisTree(unittest.TestCase):
    def setUp(self):
        self.rooms = include_rules.read_rooms((tree.ROOT / "docs/architecture.md").read_text())
        self.libraries = include_rules.read_libraries(
            (tree.ROOT / "tests/house/third_party.tsv").read_text())

    def test_every_include_keeps_to_the_tables(self):
        found = include_rules.violations(tree.ROOT / "src", self.rooms, self.libraries)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_folder_of_src_is_a_room(self):
        folders = {path.relative_to(tree.ROOT / "src").parts[0]
                   for path in tree.committed("src/*/**", "src/*/*")}
        self.assertEqual(folders - set(self.rooms), set())

    def test_rooms_include_one_another_without_a_cycle(self):
        below = {room: may - {room} for room, may in self.rooms.items()}
        while below:
            lowest = {room for room, may in below.items() if not may & set(below) - {room}}
            self.assertTrue(lowest, f"a cycle among {sorted(below)}")
            below = {room: may for room, may in below.items() if room not in lowest}

    def test_run_and_analyze_meet_only_in_files(self):
        self.assertNotIn("analyze", self.rooms["run"])
        self.assertNotIn("run", self.rooms["analyze"])


class TheCheckerItself(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            rooms = include_rules.read_rooms(TABLE)
            return include_rules.violations(
                pathlib.Path(folder), rooms, [(["duckdb.h", "duckdb/*"], ["engine/duckdb/*"])])

    def test_allows_base_the_room_itself_and_what_the_table_names(self):
        self.assertEqual(self.check("engine/a.cc", '#include "engine/a.h"\n#include "base/b.h"\n'
                                    '#include "store/c.h"\n#include <vector>\n'), [])

    def test_cli_may_include_everything(self):
        self.assertEqual(self.check("cli/a.cc", '#include "engine/a.h"\n'), [])

    def test_refuses_a_room_the_table_does_not_name(self):
        found = self.check("store/a.cc", '#include "base/b.h"\n#include "engine/a.h"\n')
        self.assertEqual(found, ["src/store/a.cc:2: store may not include engine, only base, store"])

    def test_refuses_a_back_edge_to_a_deeper_file_too(self):
        self.assertEqual(len(self.check("store/x/a.h", '#  include "engine/duckdb/a.h"\n')), 1)

    def test_refuses_an_include_that_is_not_rooted(self):
        self.assertEqual(len(self.check("store/a.cc", '#include "a.h"\n')), 1)
        self.assertEqual(len(self.check("store/a.cc", '#include "../engine/a.h"\n')), 1)

    def test_refuses_a_folder_that_is_no_room(self):
        self.assertEqual(len(self.check("utils/a.cc", '#include "base/a.h"\n')), 1)

    def test_keeps_a_library_behind_its_door(self):
        self.assertEqual(self.check("engine/duckdb/a.cc", "#include <duckdb.h>\n"), [])
        self.assertEqual(len(self.check("engine/a.cc", "#include <duckdb.h>\n")), 1)
        self.assertEqual(len(self.check("store/a.cc", "#include <duckdb/common/types.hpp>\n")), 1)

    def test_refuses_a_table_that_names_an_unknown_room(self):
        with self.assertRaises(ValueError):
            include_rules.read_rooms(TABLE.replace("| store |", "| shop |"))
