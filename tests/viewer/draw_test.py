#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of `fxt draw` of a recording: in a headless Chromium no name overlaps another one and all names are inside
the picture. One picture stays in the build folder."""

import json
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, FXT  # noqa: E402

# The picture has no more lanes of CPUs.
MOST_CPUS = 64
SVG = "{http://www.w3.org/2000/svg}"
# Thread names that are markup, wide or long.
NAMES = ("</text><b>&amp;", "WWWWWWWWWWWWWWW", "iiiiiiiiiiiiiii", "ä漢字漢字漢")
WORK = "import os, sys, time\n" \
       "for name in sys.argv[1:]:\n" \
       "  if os.fork() == 0:\n" \
       "    open('/proc/self/comm', 'w').write(name)\n" \
       "    for i in range(30):\n" \
       "      sum(range(40_000)); time.sleep(0.001)\n" \
       "    os._exit(0)\n" \
       "for _ in sys.argv[1:]: os.wait()\n"
# The bounding boxes of all texts, and whether they are inside the picture.
BOXES = """(() => { const svg = document.documentElement; const whole = svg.getBoundingClientRect();
  return JSON.stringify([...svg.querySelectorAll('text')].map((one) => { const box = one.getBoundingClientRect();
    return {text: one.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            inside: box.left >= whole.left && box.right <= whole.right && box.top >= whole.top && box.bottom <= whole.bottom};
  })); })()"""


def draw(*words):
    return harness.run(FXT, "draw", *words)


class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        cls.trace = os.path.join(cls.folder, "trace.fxt")
        harness.record(cls.trace, sys.executable, "-c", WORK, *NAMES,
                       options=("-q", "-c", "default,irq,softirq,syscall:clock_nanosleep,write"))
        cls.pictures = []
        # In the midst of the runs of a program: before, a CPU may not have switched, and has no lane.
        [cls.begin] = harness.query(cls.trace, "SELECT begin_ts FROM captures")[0]
        runs = harness.query(cls.trace, f"SELECT ts FROM slices WHERE thread = '{NAMES[2]}' ORDER BY ts")
        middle = runs[len(runs) // 2][0] - cls.begin
        cls.windows = [(max(0, middle - 10_000_000), middle + 10_000_000), (middle, middle + 1_000_000)]
        for number, window in enumerate((*map(cls.options_of, cls.windows), ("--rows", "200"))):
            cls.pictures.append(os.path.join(cls.folder, f"{number}.svg"))
            done = draw(cls.trace, "-o", cls.pictures[-1], *window)
            if done.returncode != 0:
                raise AssertionError(done.stderr)
        shutil.copy(cls.pictures[0], os.path.join(BUILD, "strip.svg"))

    @staticmethod
    def options_of(window):
        return ("--from", f"{window[0]}ns", "--to", f"{window[1]}ns")

    def test_is_xml_and_has_lanes(self):
        for path, (begin, end) in zip(self.pictures, (*self.windows, (0, 1 << 60))):
            root = xml.etree.ElementTree.parse(path).getroot()
            self.assertEqual(root.tag, SVG + "svg")
            shown = {text.text for text in root.iter(SVG + "text") if re.fullmatch(r"CPU \d+", text.text or "")}
            known = {f"CPU {cpu}" for cpu, in harness.query(
                self.trace, "SELECT DISTINCT cpu FROM (SELECT cpu, ts, length FROM slices UNION ALL SELECT cpu, ts, length FROM idle) "
                            f"WHERE length > 0 AND ts < {self.begin + end} AND ts + length > {self.begin + begin}")}
            self.assertEqual(shown, known if len(known) <= MOST_CPUS else shown & known)
            self.assertNotEqual(shown, set())
        titles = {title.text for title in root.iter(SVG + "title")}
        self.assertTrue(any(title.startswith(NAMES[0] + " of ") for title in titles), titles)
        self.assertGreater(len([path for path in root.iter(SVG + "path") if path.get("class") == "wake"]), 0)

    @unittest.skipUnless(browser.find(), "no Chromium (make deps DEPS=viewer)")
    def test_names_overlap_nothing(self):
        with browser.Browser(browser.find()) as page:
            for path in self.pictures + [os.path.join(harness.ROOT, "docs/images/server.svg")]:
                page.open("file://" + path)
                page.wait_for(lambda one: one.evaluate("document.readyState") == "complete")
                boxes = json.loads(page.evaluate(BOXES))
                self.assertGreater(len(boxes), 10)
                self.assertEqual([box for box in boxes if not box["inside"]], [])
                boxes.sort(key=lambda box: box["left"])
                for i, one in enumerate(boxes):
                    for other in boxes[i + 1:]:
                        if other["left"] >= one["right"]:
                            break
                        # Lines of text overlap by their empty margins.
                        apart = other["top"] >= one["bottom"] - 2 or other["bottom"] <= one["top"] + 2
                        self.assertTrue(apart, (one, other))

    @unittest.skipUnless(shutil.which("rsvg-convert"), "no rsvg-convert (make deps DEPS=viewer)")
    def test_png(self):
        path = os.path.join(self.folder, "strip.png")
        self.assertEqual(draw(self.trace, *self.options_of(self.windows[0]), "-o", path).returncode, 0)
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        shutil.copy(path, os.path.join(BUILD, "strip.png"))

    def test_without_rsvg_convert(self):
        path = os.path.join(self.folder, "none.png")
        done = harness.run(FXT, "draw", self.trace, "-o", path, env={"PATH": "/none"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("librsvg2-bin", done.stderr)
        self.assertFalse(os.path.exists(path))

    def test_threads_and_cpus_are_chosen(self):
        path = os.path.join(self.folder, "one.svg")
        self.assertEqual(draw(self.trace, "--thread", "iiii*", "--cpu", "0", "-o", path).returncode, 0)
        texts = [text.text for text in xml.etree.ElementTree.parse(path).getroot().iter(SVG + "text")]
        lanes = {title.text for title in xml.etree.ElementTree.parse(path).getroot().iter(SVG + "title")}
        self.assertEqual(len(lanes), 1)
        self.assertTrue(lanes.pop().startswith(NAMES[2] + " of "))
        self.assertNotIn("CPU 1", texts)

    def test_the_slowest_span(self):
        """The picture has the time of the call that took longest, and its path."""
        spans = harness.query(self.trace, "SELECT ts, dur FROM spans WHERE category = 'syscall' AND name = 'clock_nanosleep' "
                              "AND dur IS NOT NULL ORDER BY dur DESC LIMIT 2")
        ids = {}
        for number in (1, 2):
            done = draw(self.trace, "--span", "syscall/clock_*", "--slowest", str(number), "-o", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            ids[number] = done.stdout
            requests = json.loads(harness.fxt("path", self.trace, "--span", "syscall/clock_nanosleep", "--json"))["requests"]
            found = next(request for request in requests if request["dur"] == spans[number - 1][1])
            self.assertEqual(done.stdout, draw(self.trace, "--path", str(found["id"]), "-o", "-").stdout)
        self.assertNotEqual(ids[1], ids[2])

    def test_around_a_moment(self):
        around = draw(self.trace, "--around", "30ms", "--margin", "2ms", "-o", "-")
        self.assertEqual(around.returncode, 0, around.stderr)
        self.assertEqual(around.stdout, draw(self.trace, "--from", "28ms", "--to", "32ms", "-o", "-").stdout)
        # A margin beyond the trace is all of it.
        self.assertEqual(draw(self.trace, "--around", "30ms", "--margin", "900s", "-o", "-").stdout,
                         draw(self.trace, "-o", "-").stdout)

    def test_what_cannot_be_drawn(self):
        for words, reason in (((self.trace, "-o", "x.gif"), ".svg"), ((self.trace, "--from", "2s", "--to", "1s", "-o", "-"), "after"),
                              ((self.trace, "--from", "900s", "--to", "901s", "-o", "-"), "no CPU"),
                              ((self.trace, "--thread", "no such", "-o", "-"), "none of those threads"),
                              ((self.trace, "--span", "no such", "-o", "-"), "no span"),
                              ((self.trace, "--span", "*", "--slowest", "99999", "-o", "-"), "spans match"),
                              ((self.trace, "--slowest", "2", "-o", "-"), "--span"),
                              ((self.trace, "--around", "900s", "-o", "-"), "not in the trace"),
                              ((self.trace, "--around", "1ms", "--margin", "0s", "-o", "-"), "duration"),
                              (("/etc/passwd", "-o", "-"), "")):
            done = draw(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    harness.skip_unless_recordable()
    harness.main()
