#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Loads recordings that `fxt json` converted into speedscope in a headless Chromium.

npm installs speedscope into the build folder.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import browser
import npm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

SPEEDSCOPE = "speedscope@1.25.0"
PAGE = None  # the path of speedscope's page


class Speedscope(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page_url = f"file://{PAGE}"
        cls.folder = harness.class_folder(cls)
        cls.trace = os.path.join(cls.folder, "trace.fxt")
        harness.record_everything(cls.trace)
        cls.chromium = browser.find()

    def load(self, text, wanted):
        """Waits until `wanted(page)` is true. Returns the text of the page and its errors."""
        # speedscope's command line passes files in the same way.
        script = os.path.join(self.folder, "load.js")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'speedscope.loadFileFromBase64("trace.json", "{base64.b64encode(text).decode()}")')
        with browser.Browser(self.chromium) as page:
            page.open(f"{self.page_url}#localProfilePath={script}")
            page.wait_for(wanted)
            return page.evaluate("document.body.innerText"), page.errors

    def check(self, text):
        shown, errors = self.load(text, lambda page: page.errors or "trace.json" in page.evaluate("document.title"))
        self.assertEqual(errors, [])
        # speedscope shows a profile for each thread with durations.
        events = json.loads(text)["traceEvents"]
        tracks = {(event["pid"], event["tid"]) for event in events if event["ph"] in "BEX"}
        profiles = re.search(r"\(1/(\d+)\)", shown)
        if len(tracks) == 1:
            # speedscope shows no number for a single profile.
            self.assertIsNone(profiles, shown)
            (pid, tid), = tracks
            self.assertRegex(shown, rf"\(pid {pid}\), .*\(tid {tid}\)")
            return
        self.assertTrue(profiles, shown)
        self.assertEqual(int(profiles[1]), len(tracks))

    def test_loads_a_recording(self):
        self.check(harness.fxt("json", self.trace, "-o", "-", text=False))

    def test_loads_a_recording_with_slices_of_cpus(self):
        text = harness.fxt("json", "--cpu-slices", self.trace, "-o", "-", text=False)
        self.assertIn(b'"CPU 0"', text)
        self.check(text)

    def test_loads_imported_files_of_other_programs(self):
        """Files of clang and Node.js, imported and converted back."""
        made = []
        clang, node = shutil.which("clang++") or shutil.which("clang++-14"), shutil.which("node")
        if clang:
            with open(os.path.join(self.folder, "a.cc"), "w", encoding="utf-8") as file:
                file.write("#include <map>\nstd::map<int, int> numbers;\n")
            made.append(("a.json", [clang, "-ftime-trace", "-c", "a.cc", "-o", "a.o"]))
        if node:
            made.append(("node_trace.1.log", [node, "--trace-event-categories", "v8,node", "-e", "setTimeout(() => 1, 5)"]))
        if not made:
            self.skipTest("neither clang nor Node.js")
        for name, command in made:
            with self.subTest(name=name):
                subprocess.run(command, cwd=self.folder, check=True, capture_output=True, timeout=harness.DEADLINE_S)
                out = os.path.join(self.folder, "imported.fxt")
                harness.fxt("import", os.path.join(self.folder, name), "-o", out)
                self.check(harness.fxt("json", out, "-o", "-", text=False))

    def test_would_show_an_error(self):
        text = harness.fxt("json", self.trace, "-o", "-", text=False)
        _, errors = self.load(text.replace(b'"ph":"B"', b'"ph":"B'), lambda page: page.evaluate("1") and page.errors)
        self.assertNotEqual(errors, [])


# Reads a trace as the page does, with all times of the trace.
IMPORT = """(async () => {
  const text = await (await fetch(%s)).text();
  const options = new tr.importer.ImportOptions();
  options.shiftWorldToZero = false;
  const model = new tr.Model();
  new tr.importer.Import(model, options).importTraces([text]);
  const runs = [];
  for (const cpu of Object.values(model.kernel.cpus)) {
    for (const slice of cpu.slices) {
      runs.push([cpu.cpuNumber, Math.round(slice.start * 1e6), Math.round(slice.duration * 1e6), slice.args.tid]);
    }
  }
  let spans = 0;
  for (const process of model.getAllProcesses()) {
    for (const thread of Object.values(process.threads)) {
      // Instants are slices without a length.
      spans += thread.sliceGroup.slices.filter((slice) => slice.duration > 0 && !slice.didNotFinish).length;
    }
  }
  return {runs, spans, warnings: model.importWarnings.filter((one) => one.showToUser).map((one) => one.message)};
})()"""


@unittest.skipUnless(os.environ.get("TRACE_VIEWER"), "TRACE_VIEWER does not name a page of Catapult's trace viewer")
class OldChrome(unittest.TestCase):
    """The viewer of chrome://tracing, as a page that Catapult's vulcanize_trace_viewer makes."""

    def test_reads_runs_and_spans(self):
        folder = harness.class_folder(type(self))
        trace, made = os.path.join(folder, "trace.fxt"), os.path.join(folder, "trace.json")
        harness.record_everything(trace)
        harness.fxt("json", trace, "-o", made)
        with browser.Browser(browser.find()) as page:
            page.open("file://" + os.path.abspath(os.environ["TRACE_VIEWER"]))
            page.wait_for(lambda one: one.errors or one.evaluate("typeof tr == 'object' && !!tr.importer"))
            self.assertEqual(page.errors, [])
            shown = page.evaluate(IMPORT % json.dumps("file://" + made))
        self.assertEqual(shown["warnings"], [])
        got = {(cpu, tid): [] for cpu, _, _, tid in shown["runs"]}
        for cpu, begin, length, tid in shown["runs"]:
            got[(cpu, tid)].append((begin, length))
        wanted = harness.query(trace, "SELECT cpu, tid, ts, length FROM slices WHERE began = 'seen' AND ended = 'seen'")
        self.assertGreater(len(wanted), 0)
        for cpu, tid, begin, length in wanted:
            # The page has times as doubles, in milliseconds.
            self.assertTrue(any(abs(begin - shown_begin) < 100 and abs(length - shown_length) < 100
                                for shown_begin, shown_length in got[(cpu, tid)]), (cpu, tid, begin, length))
        self.assertEqual(shown["spans"], harness.query(trace, "SELECT count(*) FROM spans WHERE id IS NULL AND dur > 0")[0][0])


if __name__ == "__main__":
    if not browser.find():
        harness.skip("no Chromium (make deps DEPS=viewer)")
    harness.skip_unless_recordable()
    PAGE = npm.install(SPEEDSCOPE, "dist/release/index.html")
    harness.main()
