"""Holds every #include in src/ against the tables of what may include what.

Rooms: the table under "## Rooms" in docs/architecture.md. Libraries: third_party.tsv beside this
file. Usage: include_rules.py [SOURCE_FOLDER]
"""

import fnmatch
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_rooms(architecture):
    """The table of rooms as {room: set of rooms it may include}, itself and base among them."""
    section = architecture.split("## Rooms", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", section, re.MULTILINE)
    rooms = {room for room, _ in rows}
    allowed = {}
    for room, cell in rows:
        named = set() if cell == "nothing" else {name.strip() for name in cell.split(",")}
        if cell == "everything":
            named = set(rooms)
        if named - rooms:
            raise ValueError(f"the table lets {room} include unknown rooms {sorted(named - rooms)}")
        allowed[room] = named | {room, "base"}
    return allowed


def read_libraries(table):
    """Lines "headers TAB files that may include them", both as glob patterns."""
    rows = [line.split("\t") for line in table.splitlines() if line and line[0] != "#"]
    return [(headers.split(), files.split()) for headers, files in rows]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def violations(source, rooms, libraries):
    """What is wrong with the includes below the folder `source`, one line of text each."""
    found = []
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        name = path.relative_to(source).as_posix()
        room = name.split("/")[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if not include:
                continue
            quote, header = include.groups()
            where = f"src/{name}:{number}"
            if quote == '"':
                target = header.split("/")[0] if "/" in header else None
                if target not in rooms:
                    found.append(f'{where}: "{header}" is not rooted at src/ (write "room/file.h", '
                                 "and <...> for what is not ours)")
                elif room not in rooms:
                    found.append(f'{where}: "{room}" is not a room of docs/architecture.md')
                elif target not in rooms[room]:
                    found.append(f"{where}: {room} may not include {target}, only "
                                 f"{', '.join(sorted(rooms[room]))}")
            for headers, files in libraries:
                if matches(header, headers) and not matches(name, files):
                    found.append(f"{where}: <{header}> belongs only in {', '.join(files)}")
    return found


def main():
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "src"
    rooms = read_rooms((ROOT / "docs/architecture.md").read_text(encoding="utf-8"))
    libraries = read_libraries((HERE / "third_party.tsv").read_text(encoding="utf-8"))
    found = violations(source, rooms, libraries)
    print("\n".join(found) if found else "every include keeps to the tables")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
