"""Runs the house tests, and ends with their count."""

import pathlib
import sys
import unittest

here = pathlib.Path(__file__).parent
sys.dont_write_bytecode = True
suite = unittest.defaultTestLoader.discover(str(here), pattern="*_test.py")
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors)
count = f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed"
print(count + (f", {len(result.skipped)} skipped" if result.skipped else ""))
sys.exit(bool(failed))
