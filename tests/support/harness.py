# SPDX-License-Identifier: BSD-2-Clause
"""Functions that the Python tests share: the tree, the programs under test, deadlines, reasons to skip, recordings.

A test finds this module with

    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

and ends with `harness.main()`, which takes --build DIR from the command line. BUILD in the environment does the same
for modules that are imported before main() runs.
"""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _take_build():
    """Removes --build DIR from the command line. Returns the build folder."""
    folder = os.environ.get("BUILD") or os.path.join(ROOT, "build")
    if "--build" in sys.argv[:-1]:
        at = sys.argv.index("--build")
        folder = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    return os.path.abspath(folder)


BUILD = _take_build()
FXT = os.environ.get("FXT") or os.path.join(BUILD, "fxt")
RECORDER = os.environ.get("RECORD") or os.path.join(BUILD, "fxt-record")
# Seconds that anything may take on a busy machine. It bounds a hang and measures nothing.
DEADLINE_S = 600
# Seconds of one test. One that waits for ever fails and says where it waits; the next ones run.
TEST_LIMIT_S = 3 * DEADLINE_S


def run(*command, ok=None, text=True, timeout=DEADLINE_S, **more):
    """Runs a command and captures its output. `ok` lists the exit statuses that do not raise (None: all)."""
    if text:
        more.setdefault("errors", "replace")
    if "stdin" not in more and "input" not in more:
        more["stdin"] = subprocess.DEVNULL
    done = subprocess.run(command, capture_output=True, text=text, check=False, timeout=timeout, **more)
    if ok is not None and done.returncode not in ok:
        shown = done.stdout + done.stderr if text else (done.stdout + done.stderr).decode(errors="replace")
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}: {shown[-4000:]}")
    return done


def fxt(*words, **more):
    """Runs `fxt`, which has to succeed, and returns its standard output."""
    more.setdefault("ok", (0,))
    return run(FXT, *words, **more).stdout


def eventually(condition, timeout=DEADLINE_S, pause=0.01):
    """Waits until `condition()` is true. Returns whether it was true before the deadline."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def why_not_recordable():
    """The reason why this machine cannot be recorded, or an empty text.

    With FXT_REQUIRE_CAPTURE=1 a reason is an error: .ci/run sets it where the machine can record.
    """
    reason = ""
    if os.geteuid() != 0:
        reason = "needs root"
    elif not os.path.exists("/sys/kernel/btf/vmlinux"):
        reason = "needs a kernel with BTF"
    elif os.access(RECORDER, os.X_OK):
        with tempfile.TemporaryDirectory() as folder:
            done = run(RECORDER, "-q", "-c", "sched", "-o", os.path.join(folder, "try.fxt"), "--", "true")
        if done.returncode != 0:
            reason = f"cannot record: {(done.stderr.splitlines() or ['no message'])[0]}"
    else:
        reason = f"{RECORDER} is not built"
    if reason and os.environ.get("FXT_REQUIRE_CAPTURE") == "1":
        raise AssertionError(f"this machine cannot be recorded: {reason}")
    return reason


def skip(reason):
    """Ends the program as a skipped test."""
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(0)


def skip_unless_recordable():
    reason = why_not_recordable()
    if reason:
        skip(reason)


def use_own_socket():
    """Other tests may record providers at the same time, which find the recorder by its socket. Called by setUpModule()."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    os.environ["FXT_RECORD_SOCKET"] = os.path.join(folder.name, "control")


def record(path, *command, options=("-q", "-c", "all")):
    """Records a command, by default in all categories."""
    return run(RECORDER, *options, "-o", path, "--", *command, ok=(0,))


def record_everything(path):
    """Records a second in all categories: programs start, wait and end, and one writes a log message."""
    record(path, "sh", "-c",
           "timeout 1 sh -c 'while :; do ls -R /proc/self/task >/dev/null 2>&1; sleep 0.1; done'; "
           "echo 'fxt-record: a message of the tests' >/dev/kmsg")


def query(path, statement):
    """The rows of `fxt query`, each a list of values."""
    return [list(row.values()) for row in json.loads(fxt("query", "--json", path, statement))]


class FolderTest(unittest.TestCase):
    """A test with a temporary folder, which other users may read."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """Writes a file (text or bytes) below the folder and returns its path."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path


def class_folder(cls, **where):
    """Makes a temporary folder that lives as long as the tests of the class. Returns its path."""
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True, **where)
    cls.addClassCleanup(folder.cleanup)
    return folder.name


def read(*parts):
    """The text of a file of the tree."""
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def in_one_of(times):
    """A test that passes if it passes with one of `times` recordings, of which other load of the machine may spoil some. It
    makes its recording itself, or its class does, with record_again()."""
    def mark(method):
        @functools.wraps(method)
        def tries(self):
            for _ in range(times - 1):
                try:
                    return method(self)
                except (AssertionError, LookupError) as error:
                    print(f"recorded again: {error!r}", file=sys.stderr)
                    getattr(self, "record_again", lambda: None)()
            return method(self)
        return tries
    return mark


class LimitedResult(unittest.TextTestResult):
    """Interrupts a test after TEST_LIMIT_S, or after what its method says (`limited`)."""

    def startTest(self, test):
        super().startTest(test)
        method = getattr(test, getattr(test, "_testMethodName", ""), None)
        limit = getattr(method, "limit_s", TEST_LIMIT_S)

        def late(*_):
            raise TimeoutError(f"the test did not end within {limit} s")
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, limit)

    def stopTest(self, test):
        signal.setitimer(signal.ITIMER_REAL, 0)
        super().stopTest(test)


class LimitedRunner(unittest.TextTestRunner):
    resultclass = LimitedResult


def limited(seconds):
    """A test that may take another time than TEST_LIMIT_S."""
    def mark(method):
        method.limit_s = seconds
        return method
    return mark


def main(*modules, argv=None):
    """Runs the tests of the calling program, or of the named modules unless the command line chooses some."""
    words = list(sys.argv if argv is None else argv)
    if modules:
        if not any(not word.startswith("-") for word in words[1:]):
            words += modules
        unittest.main(module=None, argv=words, testRunner=LimitedRunner, verbosity=2)
    else:
        unittest.main(argv=words, testRunner=LimitedRunner, verbosity=2)
