"""The files of this project that are, or would be, committed."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def committed(*patterns):
    """Paths below ROOT of the tracked files that match any of the git patterns."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--", *patterns],
        check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def bash_scripts():
    """Committed scripts whose first line names bash, and the parts that such scripts source."""
    return [path for path in committed()
            if path.suffix == ".sh" or path.read_bytes()[:64].startswith(b"#!/usr/bin/env bash")]
