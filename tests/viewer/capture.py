# SPDX-License-Identifier: BSD-2-Clause
"""A recording of this machine, as Trace Event Format too, for the tests in this folder."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*command, stdin=None):
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def why_not_recordable(build):
    """Empty where this machine can be recorded. With FXT_REQUIRE_CAPTURE=1 that it cannot is an error."""
    done = subprocess.run([os.path.join(build, "capture_tests"), "--could-capture"],
                          capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        return ""
    reason = (done.stdout + done.stderr).strip() or f"capture_tests ended with status {done.returncode}"
    if os.environ.get("FXT_REQUIRE_CAPTURE") == "1":
        raise AssertionError(f"this machine cannot be recorded: {reason}")
    return reason


def skip(reason):
    """Ends the program as a test that was skipped."""
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(0)


def skip_unless_recordable(build):
    reason = why_not_recordable(build)
    if reason:
        skip(reason)


def record(build, path):
    """A second of everything there is, with programs that start, wait and end, and a log message."""
    work = "for i in 1 2 3 4 5 6 7 8 9 10; do ls -R /proc/self/task >/dev/null 2>&1; sleep 0.1; done; " \
           "echo 'fxt-record: a message of the tests' >/dev/kmsg"
    run(os.path.join(build, "fxt-record"), "-q", "-c", "all", "-o", path, "--", "sh", "-c", work)


def convert(build, path, *options):
    """The text that `fxt json` makes."""
    return run(os.path.join(build, "fxt"), "json", *options, path, "-o", "-")


def info(build, path):
    return json.loads(run(os.path.join(build, "fxt"), "info", "--json", path))
