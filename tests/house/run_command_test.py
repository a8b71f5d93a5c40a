"""./run around a program that is a script: what it is given, and what becomes of its status."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import tree

PROGRAM = """#!/bin/bash
echo "program: $*"
case "$*" in
  *--fail*) exit 7 ;;
  *--wait*)
    trap 'echo interrupted; exit 5' INT
    trap 'echo terminated; exit 6' TERM
    mkfifo pipe && echo started
    while :; do read -rt 0.1 -u 9; done 9<>pipe ;;
esac
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copy(tree.ROOT / "run", self.root / "run")
        self.script("setup", "#!/bin/sh\necho \"setup $*\" >&2\n")
        self.script("tools/build", "#!/bin/sh\necho \"build $*\" >&2\n")
        self.script("build/release/lakegauge", PROGRAM)
        (self.root / "examples").mkdir()
        (self.root / "examples/quickstart.yaml").touch()

    def script(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run_it(self, *arguments, cwd=None):
        return subprocess.run([self.root / "run", *arguments], capture_output=True, text=True,
                              cwd=cwd or self.root, stdin=subprocess.DEVNULL)

    def test_runs_the_quickstart_when_no_experiment_is_named(self):
        self.assertEqual(self.run_it("--quick").stdout,
                         "program: run examples/quickstart.yaml --quick\n")

    def test_the_first_argument_that_is_no_flag_is_the_experiment(self):
        self.assertEqual(self.run_it("mine.yaml", "--set", "a=b c").stdout,
                         "program: run mine.yaml --set a=b c\n")

    def test_finds_an_experiment_of_the_project_from_elsewhere(self):
        self.assertEqual(self.run_it(cwd="/").stdout,
                         f"program: run {self.root}/examples/quickstart.yaml\n")

    def test_sets_up_and_builds_only_what_a_run_needs(self):
        self.assertEqual(self.run_it().stderr.splitlines()[:2],
                         ["setup --quiet core", "build release lakegauge"])

    def test_ends_with_one_line_of_times_and_the_status_of_the_run(self):
        done = self.run_it("--fail")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr.splitlines()[-1],
                         r"^run: set-up \d+\.\d s, build \d+\.\d s, run \d+\.\d s$")

    def test_a_build_that_fails_is_the_end(self):
        self.script("tools/build", "#!/bin/sh\nexit 3\n")
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (3, ""))

    def signalled(self, send):
        def as_from_a_terminal():
            os.setsid()
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        with subprocess.Popen([self.root / "run", "--wait"], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, cwd=self.root,
                              preexec_fn=as_from_a_terminal) as process:
            while process.stdout.readline() != "started\n":
                pass
            send(process.pid)
            return process.stdout.read(), process.wait()

    def test_ctrl_c_reaches_the_program_and_its_ending_is_waited_for(self):
        self.assertEqual(self.signalled(lambda pid: os.killpg(pid, signal.SIGINT)),
                         ("interrupted\n", 5))

    def test_a_termination_of_the_script_is_passed_on(self):
        self.assertEqual(self.signalled(lambda pid: os.kill(pid, signal.SIGTERM)),
                         ("terminated\n", 6))
