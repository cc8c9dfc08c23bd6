#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Loads recordings, as `fxt json` converts them, into speedscope in a headless Chromium.

speedscope comes from npm, into the build folder.
"""

import base64
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import browser
import capture

BUILD = os.path.join(capture.ROOT, "build")
SPEEDSCOPE = "speedscope@1.25.0"
PAGE = None  # its page, once it is there


def install_speedscope():
    """Path of its page. Skips where there is no npm, or it cannot install."""
    folder = os.path.abspath(os.path.join(BUILD, "viewer"))
    pages = os.path.join(folder, "node_modules/speedscope/dist/release/index.html")
    if not os.path.exists(pages):
        if not shutil.which("npm"):
            capture.skip("no npm to install speedscope with")
        os.makedirs(folder, exist_ok=True)
        done = subprocess.run(["npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", SPEEDSCOPE],
                              capture_output=True, text=True, check=False, timeout=300)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            capture.skip(f"npm cannot install {SPEEDSCOPE}: {last}")
    return glob.glob(pages)[0]


class Speedscope(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page_url = f"file://{PAGE}"
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.trace = os.path.join(cls.folder.name, "trace.fxt")
        capture.record(BUILD, cls.trace)
        cls.chromium = browser.find()

    def load(self, text, wanted):
        """What the page shows once `wanted`, a function of it, is true, and its errors."""
        # As speedscope's own command line hands files over.
        script = os.path.join(self.folder.name, "load.js")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'speedscope.loadFileFromBase64("trace.json", "{base64.b64encode(text).decode()}")')
        with browser.Browser(self.chromium) as page:
            page.open(f"{self.page_url}#localProfilePath={script}")
            page.wait_for(wanted)
            return page.evaluate("document.body.innerText"), page.errors

    def check(self, text):
        shown, errors = self.load(text, lambda page: page.errors or "trace.json" in page.evaluate("document.title"))
        self.assertEqual(errors, [])
        # A profile for each thread that has durations.
        events = json.loads(text)["traceEvents"]
        tracks = {(event["pid"], event["tid"]) for event in events if event["ph"] in "BEX"}
        profiles = re.search(r"\(1/(\d+)\)", shown)
        if len(tracks) == 1:
            # It does not count one.
            self.assertIsNone(profiles, shown)
            (pid, tid), = tracks
            self.assertRegex(shown, rf"\(pid {pid}\), .*\(tid {tid}\)")
            return
        self.assertTrue(profiles, shown)
        self.assertEqual(int(profiles[1]), len(tracks))

    def test_loads_a_recording(self):
        self.check(capture.convert(BUILD, self.trace))

    def test_loads_a_recording_with_slices_of_cpus(self):
        text = capture.convert(BUILD, self.trace, "--cpu-slices")
        self.assertIn(b'"CPU 0"', text)
        self.check(text)

    def test_loads_what_others_wrote_and_was_imported(self):
        """What clang, Node.js and perf write, there and back."""
        made = []
        clang, node = shutil.which("clang++") or shutil.which("clang++-14"), shutil.which("node")
        if clang:
            with open(os.path.join(self.folder.name, "a.cc"), "w", encoding="utf-8") as file:
                file.write("#include <map>\nstd::map<int, int> numbers;\n")
            made.append(("a.json", [clang, "-ftime-trace", "-c", "a.cc", "-o", "a.o"]))
        if node:
            made.append(("node_trace.1.log", [node, "--trace-event-categories", "v8,node", "-e", "setTimeout(() => 1, 5)"]))
        if not made:
            self.skipTest("neither clang nor Node.js")
        for name, command in made:
            with self.subTest(name=name):
                subprocess.run(command, cwd=self.folder.name, check=True, capture_output=True, timeout=120)
                out = os.path.join(self.folder.name, "imported.fxt")
                capture.run(os.path.join(BUILD, "fxt"), "import", os.path.join(self.folder.name, name), "-o", out)
                self.check(capture.convert(BUILD, out))

    def test_would_show_an_error(self):
        text = capture.convert(BUILD, self.trace)
        _, errors = self.load(text.replace(b'"ph":"B"', b'"ph":"B'), lambda page: page.evaluate("1") and page.errors)
        self.assertNotEqual(errors, [])


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if not browser.find():
        capture.skip("no Chromium (make deps DEPS=viewer)")
    capture.skip_unless_recordable(BUILD)
    PAGE = install_speedscope()
    unittest.main(verbosity=2)
