"""Cases as data: reading cases/*.toml, playing their steps, holding what came against what should."""
import dataclasses
import glob
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time
import tomllib

STEP_SECONDS = 300  # a step that takes longer hangs
POLL_SECONDS = 0.005

# What no user should ever be shown.
NEVER = re.compile(r"terminate called|unexpected failure|what\(\):|Traceback|core dumped|std::|"
                   r"Segmentation|AddressSanitizer|Assertion|\.cc:\d+")

STEP_KEYS = {"run", "sh", "together", "damage", "journal", "status", "stdout", "stderr", "not_stdout",
             "not_stderr", "error_line", "json", "files", "absent", "holds", "signal", "when", "env"}
CASE_KEYS = {"title", "copy", "files", "env", "own_data", "mount", "not_root", "step"}


class Failed(Exception):
    pass


@dataclasses.dataclass
class Case:
    file: str
    title: str
    steps: list
    copies: list
    files: dict
    env: dict
    own_data: bool
    mounts: dict
    needs_root_less: bool

    @property
    def name(self):
        return f"{self.file}: {self.title}"

    def short_name(self):
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower())[:40].strip("-")


def load_all(folder):
    cases = []
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        for raw in tomllib.loads(path.read_text())["case"]:
            unknown = set(raw) - CASE_KEYS
            for step in raw["step"]:
                unknown |= set(step) - STEP_KEYS
            if unknown:
                raise SystemExit(f"{path}: {raw.get('title')}: unknown keys {sorted(unknown)}")
            cases.append(Case(path.stem, raw["title"], raw["step"], raw.get("copy", []),
                              raw.get("files", {}), raw.get("env", {}), raw.get("own_data", False),
                              raw.get("mount", {}), raw.get("not_root", False)))
    return cases


@dataclasses.dataclass
class Outcome:
    command: str
    status: int
    stdout: str
    stderr: str


def play(one, place):
    for number, step in enumerate(one.steps, 1):
        outcomes = []
        try:
            outcomes = perform(step, place)
            for outcome in outcomes:
                check(step, outcome)
            check_files(step, place.path)
        except Failed as failure:
            words = [f"step {number}: {failure}"]
            for outcome in outcomes:
                words += [f"$ {outcome.command}    (status {outcome.status})",
                          "stdout: " + tail(outcome.stdout), "stderr: " + tail(outcome.stderr)]
            raise Failed("\n".join(words)) from None
        except Exception as error:  # a mistake in the case is its failure, not the suite's end
            raise Failed(f"step {number}: {type(error).__name__}: {error}") from None


def tail(text, most=1500):
    return text if len(text) <= most else "..." + text[-most:]


# Doing a step.

def perform(step, place):
    environment = place.environment() | step.get("env", {})
    if "damage" in step:
        damage(step["damage"], place)
        return []
    if "journal" in step:
        check_journal(step["journal"], place.path)
        return []
    if "sh" in step:
        commands = [["bash", "-c", step["sh"]]]
    elif "together" in step:
        commands = [shlex.split(command) for command in step["together"]]
    else:
        commands = [shlex.split(step["run"])]
    started = [subprocess.Popen(command, cwd=place.path, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for command in commands]
    if "signal" in step:
        send_when(started[0], step, place)
    outcomes = []
    for command, process in zip(commands, started):
        try:
            stdout, stderr = process.communicate(timeout=STEP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"{shlex.join(command)}: no end after {STEP_SECONDS} s") from None
        outcomes.append(Outcome(shlex.join(command), process.returncode, text(stdout), text(stderr)))
    return outcomes


def text(raw):
    return raw.decode("utf-8", errors="backslashreplace")


def send_when(process, step, place):
    """Sends the signal once `when.file` is there and, if it says so, holds `text` `times` times."""
    when = step["when"]
    end = time.monotonic() + STEP_SECONDS
    while time.monotonic() < end:
        found = glob.glob(str(place.path / when["file"]))
        if found and ("text" not in when or
                      pathlib.Path(found[0]).read_text().count(when["text"]) >= when["times"]):
            process.send_signal(getattr(signal, "SIG" + step["signal"]))
            return
        if process.poll() is not None:
            return  # what it said is checked, and its status is not that of a signal
        time.sleep(POLL_SECONDS)  # between two looks at the file; nothing is assumed of the time
    process.kill()
    raise Failed(f"it never came to {when}")


def damage(how, place):
    """Makes one file what it should not be. `file` is a glob; the largest that fits is taken."""
    found = [pathlib.Path(p) for p in glob.glob(str(place.path / how["file"]), recursive=True)]
    if not found:
        raise Failed(f"nothing to damage: {how['file']}")
    path = max(found, key=lambda p: (p.stat().st_size, str(p)))
    before = path.stat()
    content = path.read_bytes()
    if "flip" in how:  # one byte, at this share of the file
        at = int(len(content) * how["flip"])
        content = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1:]
    elif "cut" in how:  # this many bytes off the end
        content = content[:-how["cut"]]
    elif "append" in how:
        content += how["append"].encode("utf-8")
    elif "line" in how:  # another text for this line, from 1
        lines = content.split(b"\n")
        lines[how["line"] - 1] = how["with"].encode("utf-8")
        content = b"\n".join(lines)
    elif "replace" in how:
        if how["replace"].encode("utf-8") not in content:
            raise Failed(f"{path.name} does not hold {how['replace']!r}")
        content = content.replace(how["replace"].encode("utf-8"), how["with"].encode("utf-8"))
    elif "random" in how:  # bytes that mean nothing
        content = bytes((i * 7919 + 13) * 31 % 251 for i in range(how["random"]))
    elif how.get("delete"):
        path.unlink()
        return
    else:
        raise Failed(f"unknown damage {how}")
    path.write_bytes(content)
    if how.get("keep_time"):  # as bit rot does
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


# Holding it against what should be.

def holds(pattern, where):
    if pattern.startswith("re:"):
        return re.search(pattern[3:], where, re.MULTILINE) is not None
    return pattern in where


def check(step, outcome):
    wanted = step.get("status", 0)
    if outcome.status not in (wanted if isinstance(wanted, list) else [wanted]):
        raise Failed(f"status {outcome.status}, not {wanted}")
    for stream in ("stdout", "stderr"):
        came = getattr(outcome, stream)
        for pattern in step.get(stream, []):
            if not holds(pattern, came):
                raise Failed(f"{stream} lacks {pattern!r}")
        for pattern in step.get("not_" + stream, []):
            if holds(pattern, came):
                raise Failed(f"{stream} holds {pattern!r}")
        if found := NEVER.search(came):
            raise Failed(f"{stream} shows a user {found.group()!r}")
    if step.get("error_line"):
        lines = outcome.stderr.splitlines()
        if len(lines) != 1 or not lines[0].startswith("lakegauge: "):
            raise Failed("not one line that begins with 'lakegauge: '")
        if outcome.stdout:
            raise Failed("an error, and something on standard output")
    if "json" in step or (" --json" in outcome.command and outcome.status in (0, 1) and
                          not outcome.command.startswith("bash") and not step.get("error_line")):
        check_json(step.get("json", {}), outcome.stdout)


def check_json(wanted, came):
    try:
        document = json.loads(came)
    except ValueError as error:
        raise Failed(f"standard output is no JSON document: {error}") from None
    for path, value in wanted.items():
        found = at_path(document, path)
        if isinstance(value, dict):
            if "length" in value and len(found) != value["length"]:
                raise Failed(f"{path} has {len(found)} items, not {value['length']}")
            if "least" in value and not found >= value["least"]:
                raise Failed(f"{path} is {found}, less than {value['least']}")
            if "like" in value and not re.search(value["like"], str(found)):
                raise Failed(f"{path} is {found!r}, not like {value['like']!r}")
        elif found != value:
            raise Failed(f"{path} is {found!r}, not {value!r}")


def at_path(document, path):
    """a.0.b; the empty path is the document."""
    for part in filter(None, path.split(".")):
        try:
            document = document[int(part) if isinstance(document, list) else part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Failed(f"the JSON document has no {path}") from None
    return document


def check_files(step, folder):
    for pattern in step.get("files", []):
        if not glob.glob(str(folder / pattern)):
            raise Failed(f"no file {pattern}")
    for pattern in step.get("absent", []):
        if found := glob.glob(str(folder / pattern)):
            raise Failed(f"there should be no {found[0]}")
    for pattern, texts in step.get("holds", {}).items():
        found = glob.glob(str(folder / pattern))
        if not found:
            raise Failed(f"no file {pattern}")
        content = pathlib.Path(found[0]).read_text(errors="backslashreplace")
        for wanted in texts:
            if not holds(wanted, content):
                raise Failed(f"{pattern} lacks {wanted!r}")
        if found := NEVER.search(content) if not pattern.endswith(".html") else None:
            raise Failed(f"{pattern} shows a user {found.group()!r}")


def check_journal(wanted, folder):
    """No execution has two end lines (but for a cancelled one), and `ended` of them have one."""
    ended = []
    for line in (folder / wanted["file"]).read_text().splitlines():
        entry = json.loads(line)
        if entry.get("type") == "end" and entry.get("status") != "cancelled":
            ended.append(entry["execution"])
    twice = sorted({number for number in ended if ended.count(number) > 1})
    if twice:
        raise Failed(f"executions {twice} were run twice")
    if "ended" in wanted and len(ended) != wanted["ended"]:
        raise Failed(f"{len(ended)} executions ended, not {wanted['ended']}")
    if "least" in wanted and len(ended) < wanted["least"]:
        raise Failed(f"{len(ended)} executions ended, fewer than {wanted['least']}")
