#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt view` in a headless Chromium, with clicks and keys; its content beside `fxt query`; its access rules.

FXT_VIEW_POINTS is the number of random points (100), FXT_VIEW_BYTES makes and shows a trace of that size, with figures.
Pictures of several widths, light and dark, stay in the build folder.
"""

import base64
import bisect
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, FXT, fxt  # noqa: E402

# Limit of a device's overlapping requests that the page shows.
DEVICE_ROWS = 64
POINTS = int(os.environ.get("FXT_VIEW_POINTS", "100"))
LARGE_BYTES = int(os.environ.get("FXT_VIEW_BYTES", "0"))
DAMAGED = 100 if POINTS > 100 else 10
# The time that the server waits for a page to be reloaded.
RELOAD_S = 10
MAX_SERVER_MB = 1024
STATES = ["absent", "run", "wakeup", "preempted", "sleep", "blocked", "stopped", "throttled", "unknown", "idle"]
RUN, UNKNOWN, IDLE = 1, 8, 9
# As the name of a span, a thread or an argument, it would run in a page that treats names as markup.
HOSTILE = "\u202e<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>"
SIZES = ((800, 700), (1400, 900), (2560, 1300))
KEYS = {"Escape": 27, "Enter": 13, "/": 191, "?": 191, ".": 190, ",": 188, "0": 48}

# Programs that wait for a pipe, a lock, the disk and the clock. A slow disk must not make the recording large.
WORK = """
import os, threading, time
lock = threading.Lock()
end = time.monotonic() + 2
def work():
    for i in range(30):
        if i and time.monotonic() > end:
            return
        with lock:
            with open(os.path.join(os.environ['FOLDER'], 'file'), 'w') as file:
                file.write('x' * 5000)
                file.flush()
                os.fsync(file.fileno())
        time.sleep(0.004)
        sum(range(20000))
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


class Viewed:
    """A running `fxt view --print`."""

    def __init__(self, *words):
        self.process = subprocess.Popen([FXT, "view", "--print", *words], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.url = self.process.stdout.readline().strip()
        self.ssh = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    @property
    def path(self):
        return urllib.parse.urlsplit(self.url).path

    def ask(self, path, method="GET", body=None, **headers):
        """Status and body of a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.DEADLINE_S)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=named)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def peak_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


class Shown(browser.Browser):
    """The page of `fxt view`."""

    def size(self, width, height, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def show(self, url):
        self.open(url)
        self.wait_for(lambda page: page.errors or page.evaluate("!!window.fxtView && fxtView.isComplete"))
        self.settle()

    def settle(self):
        """Waits until all tiles are there and drawn."""
        is_settled = """new Promise((done) => setTimeout(() => requestAnimationFrame(() =>
            requestAnimationFrame(() => done(fxtView.tiles.isSettled && !fxtView.isDirty))), 60))"""
        self.wait_for(lambda page: page.errors or page.evaluate(is_settled))

    def key(self, key, **modifiers):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        more = {"text": key} if len(key) == 1 and not modifiers else {}
        flags = sum({"ctrl": 2, "shift": 8}[name] for name, is_held in modifiers.items() if is_held)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=flags,
                      **(more if kind == "keyDown" else {}))

    def hold(self, key, until):
        """Holds a key for a time in seconds, or until an expression is true: a held key moves with each frame that is drawn."""
        code = ord(key.upper())
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code)
        if isinstance(until, str):
            self.wait_for(lambda page: page.errors or page.evaluate(until))
        else:
            time.sleep(until)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y, modifiers=0, pressed=False):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" or pressed else "none",
                  buttons=1 if pressed or kind == "mousePressed" else 0, clickCount=1, modifiers=modifiers)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def drag(self, x, y, to_x, to_y, modifiers=0):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, modifiers)
        for step in (0.3, 0.7, 1):
            self.mouse("mouseMoved", x + (to_x - x) * step, y + (to_y - y) * step, modifiers, pressed=True)
        self.mouse("mouseReleased", to_x, to_y, modifiers)

    def click_on(self, selector):
        box = self.evaluate(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                            "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.click(*box)

    def place_of(self, lane, when, depth=0):
        """The position of the time in the lane, in pixels of the window; scrolls there."""
        return self.evaluate(f"""(async () => {{
            await fxtView.goTo(0, '{lane}', null);
            const row = fxtView.lanes.byLane.get('0:{lane}');
            const box = fxtView.canvas.getBoundingClientRect();
            const height = row.unit ? row.unit * ({depth} + 0.5) : row.height / 2;
            return [box.x + fxtView.geometry.x({when}), box.y + fxtView.geometry.rowY(row) + height];
        }})()""")

    def type_into(self, selector, text):
        self.click_on(selector)
        self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", text=text)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def shown(self):
        return self.evaluate("[fxtView.viewport.from, fxtView.viewport.to]")

    def drawn_at(self, points):
        """The items that the page draws at each (lane, time) at the finest resolution: state, value, begin and end, or None."""
        return self.evaluate(f"""(async () => {{
            const api = await import('./api.js');
            const found = [];
            for (const [lane, when] of {json.dumps(points)}) {{
              const [items] = await api.tile(0, when, when + 512, 1, [lane]);
              let at = null;
              for (let i = 0; i < items.count; i += 1) {{
                if (items.times[2 * i] <= when && items.times[2 * i + 1] > when) {{
                  at = [items.words[2 * i + 1] & 0xff, items.words[2 * i], items.times[2 * i], items.times[2 * i + 1]];
                }}
              }}
              found.push(at);
            }}
            return found;
        }})()""")

    def picture(self, name):
        with open(os.path.join(BUILD, f"view-{name}.png"), "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def pictures(self, name):
        """Pictures of what is shown at all sizes, light and dark; nothing may be cut off."""
        for width, height in SIZES:
            for scheme in ("light", "dark"):
                self.size(width, height, scheme)
                self.settle()
                self.picture(f"{name}-{width}-{scheme}")
                wide = self.evaluate("document.documentElement.scrollWidth")
                cut = self.evaluate("[...document.querySelectorAll('header button, nav button, .buttons button, th')].filter((one) => "
                                    "one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)")
                assert wide <= width and cut == [], f"{name} at {width}: {wide} pixels wide, cut: {cut}"
        self.size(1400, 900)
        self.settle()


class Facts:
    """The results of `fxt query`, by lane and time."""

    def __init__(self, path):
        self.begin, self.end = harness.query(path, "SELECT begin_ts, end_ts FROM captures")[0]
        self.lanes = {}
        for begin, length, cpu, koid in harness.query(path, "SELECT ts, length, cpu, koid FROM slices"):
            self._add(("cpu", cpu), begin, length, (RUN, koid))
            self._add(("thread", koid), begin, length, (RUN, cpu))
        for begin, length, cpu in harness.query(path, "SELECT ts, length, cpu FROM idle"):
            self._add(("cpu", cpu), begin, length, (IDLE, None))
        for begin, length, koid, kind in harness.query(path, "SELECT ts, length, koid, kind FROM waits"):
            self._add(("thread", koid), begin, length, (STATES.index(kind), None))
        for intervals in self.lanes.values():
            intervals.sort()

    def _add(self, lane, begin, length, what):
        if length > 0:
            self.lanes.setdefault(lane, []).append((begin, begin + length, what))

    def at(self, lane, when):
        """State and value; None where no row has the time."""
        intervals = self.lanes[lane]
        found = bisect.bisect_right(intervals, when, key=lambda one: one[0]) - 1
        if found < 0 or intervals[found][1] <= when:
            return None
        return intervals[found]


class Recorded(unittest.TestCase):
    """A recording, and a page that shows it."""

    OPTIONS = ()
    COMMAND = (sys.executable, "-c", WORK)

    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        cls.trace = os.path.join(cls.folder, "trace.fxt")
        os.environ["FOLDER"] = cls.folder
        harness.record(cls.trace, *cls.COMMAND, options=("-q", "-c", "default,syscall,irq,softirq,wait,stack,block", *cls.OPTIONS))
        cls.viewed = Viewed(cls.trace)
        cls.addClassCleanup(cls.viewed.__exit__)
        # The server continues while the page shows another server, however long that takes.
        live = http.client.HTTPConnection("127.0.0.1", cls.viewed.port, timeout=harness.DEADLINE_S)
        live.request("GET", cls.viewed.path + "live")
        cls.addClassCleanup(live.close)
        cls.page = Shown(browser.find())
        cls.addClassCleanup(cls.page.__exit__)
        cls.page.size(1400, 900)
        cls.page.show(cls.viewed.url)

    def setUp(self):
        self.page.open("about:blank")
        self.page.show(self.viewed.url)
        self.page.evaluate("location.hash = ''; document.querySelector('#search').value = '';"
                           "fxtView.viewport.marks = []; fxtView.viewport.showAll(); fxtView.clearSelection()")
        self.page.settle()

    def tearDown(self):
        errors, self.page.errors[:] = list(self.page.errors), []
        self.assertEqual(errors, [])

    def longest(self, statement):
        """ns since the first record, and the rest, of the first row."""
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        begin, *rest = harness.query(self.trace, statement)[0]
        return begin - first, *rest

    def number_of(self, koid):
        return self.page.evaluate(f"[...fxtView.lanes.traces[0].threads.values()].find((one) => one.koid === '{koid}').number")

    def shown_at(self, points):
        """The answer of `at` for each (lane, time, depth)."""
        found = []
        # Each of these requests may take as long as a single call.
        for first in range(0, len(points), 200):
            found += self.page.evaluate(f"""(async () => {{
                const api = await import('./api.js');
                const found = [];
                for (const [lane, when, depth] of {json.dumps(points[first:first + 200])}) {{
                    found.push(await api.at(0, lane, when, {{ depth, until: when }}));
                }}
                return found;
            }})()""")
        return found


class View(Recorded):
    """The page, by clicks and keys, and beside fxt query."""

    def sleep_with_a_stack(self):
        """Begin, length, koid and waker's tid of the longest sleep that a thread ended; a few sleeps have no stack."""
        runs, stacks = {}, {}
        for koid, begin, end in harness.query(self.trace, "SELECT koid, ts, ts + length FROM slices ORDER BY ts"):
            runs.setdefault(koid, []).append((begin, end))
        for koid, when in harness.query(self.trace, "SELECT koid, ts FROM instants WHERE category = 'stack' AND name = 'off'"):
            stacks.setdefault(koid, []).append(when)
        for begin, length, koid, waker in harness.query(
                self.trace, "SELECT ts, length, koid, waker_tid FROM waits WHERE kind = 'sleep' AND ended = 'seen' AND waker_tid IS "
                            "NOT NULL AND process LIKE 'python%' AND began = 'seen' ORDER BY length DESC"):
            run = next((run for run in runs.get(koid, []) if run[0] >= begin + length), None)
            if run and any(run[0] <= when < run[1] for when in stacks.get(koid, [])):
                return begin - int(self.page.evaluate("fxtView.clocks[0]")), length, koid, waker
        self.fail("no sleep has a stack")

    def select_sleep(self):
        """Clicks a sleep. Returns its begin, length, koid and waker's tid."""
        sleep = self.sleep_with_a_stack()
        begin, length, koid, _ = sleep
        self.page.evaluate(f"fxtView.viewport.show({begin - length}, {begin + 2 * length})")
        self.page.click(*self.page.place_of(f"s{self.number_of(koid)}", begin + length / 2))
        self.page.wait_for(lambda page: page.evaluate("!!fxtView.overlay.selected") or page.errors)
        return sleep

    def test_states_are_those_of_query(self):
        facts = Facts(self.trace)
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        numbers = dict(self.page.evaluate("[...fxtView.lanes.traces[0].threads.values()].map((one) => [one.koid, one.number])"))
        koids = {number: int(koid) for koid, number in numbers.items()}
        choose = random.Random(33)
        points = []
        for _ in range(POINTS):
            lane = choose.choice(list(facts.lanes))
            points.append((lane, choose.randrange(facts.begin, facts.end)))
        asked = [[f"c{lane[1]}" if lane[0] == "cpu" else f"s{numbers[str(lane[1])]}", when - first] for lane, when in points]
        for (lane, when), item in zip(points, self.page.drawn_at(asked)):
            expected = facts.at(lane, when)
            if expected is None or expected[2][0] == IDLE:
                self.assertIn(item and item[0], (None, UNKNOWN), f"{lane} at {when}: {item}, expected {expected}")
                continue
            begin, end, (state, value) = expected
            self.assertIsNotNone(item, f"{lane} at {when}: nothing, expected {expected}")
            self.assertEqual((STATES[item[0]], item[2], item[3]), (STATES[state], begin - first, end - first), f"{lane} at {when}")
            if state == RUN:
                self.assertEqual(koids[item[1]] if lane[0] == "cpu" else item[1], value, f"{lane} at {when}")

    def blocks_with_a_row(self):
        """Device and begin of the requests with a row. If a device has more requests at once, the page shows the number of omitted ones."""
        found, going_on = set(), {}
        for koid, begin, dur in harness.query(self.trace, "SELECT koid, ts, coalesce(dur, 1 << 52) FROM spans WHERE "
                                                          "category = 'block' ORDER BY ts"):
            others = going_on[koid] = [end for end in going_on.get(koid, []) if end > begin]
            if len(others) < DEVICE_ROWS:
                found.add((koid, begin))
                others.append(begin + dur)
        return found

    def test_interrupts_and_blocks_are_those_of_query(self):
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        numbers = dict(self.page.evaluate("[...fxtView.lanes.traces[0].threads.values()].map((one) => [one.koid, one.number])"))
        tracks = dict(self.page.evaluate("fxtView.lanes.traces[0].devices.flatMap((one) => one.async).map("
                                         "(one) => [one.device, one.number])"))
        rows = harness.query(self.trace, "SELECT ts, dur, category, name, args, koid FROM spans "
                                         "WHERE category IN ('irq', 'softirq', 'block') AND dur IS NOT NULL")
        self.assertEqual({row[2] for row in rows}, {"irq", "softirq", "block"})
        choose = random.Random(34)
        rows_of_block = self.blocks_with_a_row()
        rows = [row for row in rows if row[2] != "block" or (row[5], row[0]) in rows_of_block]
        chosen = choose.sample(rows, min(POINTS, len(rows)))
        lanes = []
        for row in chosen:
            number = numbers[str(row[5])]
            lanes.append(f"a{tracks[number]}" if row[2] == "block" else f"d{number}")
        # Requests to a device overlap: one of the rows of its lane has it.
        depths = [range(self.page.evaluate(f"fxtView.lanes.byLane.get('0:{lane}').depths")) for lane in lanes]
        points = [[lane, row[0] - first, depth] for lane, row, its in zip(lanes, chosen, depths) for depth in its]
        shown = iter(self.shown_at(points))
        for row, its in zip(chosen, depths):
            found = [(one["begin"] + first, one["end"] - one["begin"], one["category"], one["name"],
                      json.loads("{" + one["args"] + "}"))
                     for one in (next(shown) for _ in its) if "begin" in one]
            self.assertIn((row[0], row[1], row[2], row[3], json.loads(row[4] or "{}")), found)
        # Where query has no row, the page shows nothing.
        ends = {}
        for begin, dur, category, _, _, koid in rows:
            if category != "block":
                ends.setdefault(koid, []).append((begin, begin + dur))
        begin, end = harness.query(self.trace, "SELECT min(ts), max(ts + dur) FROM spans WHERE category = 'irq'")[0]
        for koid, spans in ends.items():
            for when in (choose.randrange(begin, end) for _ in range(20)):
                if not any(one[0] <= when < one[1] for one in spans):
                    self.assertEqual(self.shown_at([[f"d{numbers[str(koid)]}", when - first, 0]])[0], {}, (koid, when))

    def test_a_click_shows_an_interrupt_and_a_request(self):
        # An interrupt of a CPU that has switched before: otherwise the interrupted thread is unknown.
        first, *rest = self.longest("SELECT ts, dur, koid, name FROM spans JOIN (SELECT cpu, min(ts) AS known FROM (SELECT cpu, ts FROM "
                                    "slices UNION ALL SELECT cpu, ts FROM idle) GROUP BY cpu) USING (cpu) WHERE category = 'softirq' "
                                    "AND dur IS NOT NULL AND ts > known ORDER BY dur DESC LIMIT 1")
        length, koid, name = rest
        self.page.evaluate(f"fxtView.viewport.show({first - length}, {first + 2 * length})")
        self.page.click(*self.page.place_of(f"d{self.number_of(koid)}", first + length / 2))
        self.page.wait_for(lambda page: page.errors or "interrupted" in page.text("#selected"))
        self.assertIn(name, self.page.text("#selected h2"))
        self.assertIn("CPU", self.page.text("#selected"))
        rows_of_block = self.blocks_with_a_row()
        begin, length, koid, device, sector, asker = next(
            row for row in harness.query(self.trace, "SELECT ts, dur, koid, thread, args ->> 'sector', args ->> 'thread' FROM spans "
                                                     "WHERE category = 'block' AND dur IS NOT NULL AND args ->> 'sector' IS NOT NULL "
                                                     "ORDER BY dur DESC") if (row[2], row[0]) in rows_of_block)
        first = begin - int(self.page.evaluate("fxtView.clocks[0]"))
        self.page.evaluate(f"fxtView.viewport.show({first - length}, {first + 2 * length})")
        lane = self.page.evaluate(f"'a' + fxtView.lanes.traces[0].devices[0].async.find((one) => one.device === {self.number_of(koid)}).number")
        depth = next(depth for depth in range(DEVICE_ROWS) if self.shown_at([[lane, first, depth]])[0].get("begin") == first)
        self.page.click(*self.page.place_of(lane, first + length / 2, depth))
        self.page.wait_for(lambda page: page.errors or all(text in page.text("#selected") for text in (device, str(sector), "bytes")))
        if self.page.evaluate(f"fxtView.lanes.byKoid.has('0:{asker}')"):
            self.assertIn("asked by", self.page.text("#selected"))

    def test_pixels_have_the_colour_of_the_state(self):
        facts = Facts(self.trace)
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        choose = random.Random(7)
        lanes = [lane for lane in facts.lanes if lane[0] == "thread"]
        checked = 0
        while checked < 12:
            lane = choose.choice(lanes)
            begin, end, (state, _) = choose.choice(facts.lanes[lane])
            if state not in (RUN, 2, 3, 5) or end - begin < 2000:
                continue
            middle = (begin + end) // 2 - first
            length = (end - begin) * 20
            self.page.evaluate(f"fxtView.viewport.show({middle - length}, {middle + length})")
            x, y = self.page.place_of(f"s{self.number_of(lane[1])}", middle)
            self.page.settle()
            drawn, wanted = self.page.evaluate(f"""(() => {{
                const box = fxtView.canvas.getBoundingClientRect();
                // A letter of a label may cover some of the pixels.
                const data = fxtView.painter.context.getImageData(Math.floor({x} - box.x) - 2, Math.round({y} - box.y) - 8, 5, 5).data;
                const counts = new Map();
                for (let i = 0; i < data.length; i += 4) {{
                    const hex = '#' + [...data.slice(i, i + 3)].map((one) => one.toString(16).padStart(2, '0')).join('');
                    counts.set(hex, (counts.get(hex) || 0) + 1);
                }}
                const [most] = [...counts].sort((a, b) => b[1] - a[1])[0];
                return [most, fxtView.painter.colours.states[{state}]];
            }})()""")
            self.assertEqual(drawn, wanted, f"{lane} at {middle}, {STATES[state]}")
            checked += 1

    def test_keys_zoom_and_move(self):
        begin, end = self.page.shown()
        self.page.mouse("mouseMoved", 800, 300)
        is_near = f"fxtView.viewport.length < {(end - begin) * 0.8}"
        self.page.hold("w", is_near)
        self.page.settle()
        near = self.page.shown()
        self.assertLess(near[1] - near[0], (end - begin) * 0.8)
        self.page.hold("d", f"fxtView.viewport.from > {near[0]}")
        later = self.page.shown()
        self.assertGreater(later[0], near[0])
        self.page.hold("a", f"fxtView.viewport.from < {later[0]}")
        self.assertLess(self.page.shown()[0], later[0])
        self.page.hold("s", f"fxtView.viewport.length > {near[1] - near[0]}")
        self.assertGreater(self.page.shown()[1] - self.page.shown()[0], near[1] - near[0])
        self.page.hold("w", is_near)
        self.page.evaluate("fxtView.viewport.commit()")
        self.page.key("0")
        self.assertGreaterEqual(self.page.shown()[1] - self.page.shown()[0], (end - begin) * 0.99)
        self.page.key("z", ctrl=True)
        self.assertLess(self.page.shown()[1] - self.page.shown()[0], (end - begin) * 0.95)

    def test_a_click_shows_a_wait_and_goes_to_the_waker(self):
        begin, length, koid, waker = self.select_sleep()
        self.page.wait_for(lambda page: page.errors or "reading the file" not in page.text("#selected"))
        text = self.page.text("#selected")
        self.assertIn("asleep", text)
        self.assertIn("woken by", text)
        self.assertIn(str(waker), text)
        self.assertEqual(len(self.page.evaluate("fxtView.overlay.arrows")), 1)
        # It sleeps in futex(), and category `stack` has recorded the place.
        self.page.wait_for(lambda page: page.errors or "Stack in which it left its CPU" in page.text("#selected"))
        self.page.evaluate("[...document.querySelectorAll('#selected button.go')].at(-1).setAttribute('data-test', 'waker')")
        self.page.click_on("button[data-test]")
        self.page.wait_for(lambda page: page.errors or page.evaluate(
            f"fxtView.lanes.thread(0, Number(fxtView.viewport.selection?.lane.slice(1)))?.tid === {waker}"))
        # The waker runs at this moment.
        self.page.wait_for(lambda page: page.errors or "running" in page.text("#selected h2"))

    def test_fit_mark_and_undo(self):
        begin, length, *_ = self.select_sleep()
        # Undo also has a step for each view that is shown for a while. Here each key is a step.
        self.page.evaluate("fxtView.viewport.commit()")
        before = self.page.shown()
        self.page.key("f")
        shown = self.page.shown()
        self.assertLessEqual(shown[0], begin)
        self.assertGreaterEqual(shown[1], begin + length)
        self.assertLess(shown[1] - shown[0], 1.5 * length + 1000)
        self.page.evaluate("fxtView.viewport.commit()")
        self.page.key("m")
        self.assertEqual(self.page.evaluate("fxtView.viewport.marks"), [{"from": begin, "to": begin + length}])
        self.page.evaluate("fxtView.viewport.commit()")
        self.page.key("m")
        self.assertEqual(self.page.evaluate("fxtView.viewport.marks"), [])
        self.page.key("u")
        self.assertEqual(len(self.page.evaluate("fxtView.viewport.marks")), 1)
        self.page.key("u")
        self.assertEqual((self.page.evaluate("fxtView.viewport.marks"), self.page.shown()), ([], shown))
        self.page.key("u")
        self.assertEqual(self.page.shown(), before)

    def test_search_finds_names_and_arguments(self):
        spans = harness.query(self.trace, "SELECT count(*) FROM spans WHERE name = 'clock_nanosleep'")[0][0]
        self.page.key("/")
        self.page.call("Input.insertText", text="clock_nanosleep")
        self.page.key("Enter")
        self.page.wait_for(lambda page: page.errors or page.text("#count").startswith("1 of"))
        found = int(self.page.text("#count").split()[2].replace(",", ""))
        self.assertGreaterEqual(found, spans)
        # The page goes to the first hit and then to the next.
        self.page.wait_for(lambda page: page.errors or "clock_nanosleep" in page.text("#selected"))
        first = self.page.evaluate("fxtView.viewport.selection.time")
        self.page.key("Enter")
        self.page.wait_for(lambda page: page.errors or page.evaluate(f"fxtView.viewport.selection.time > {first}"))
        self.assertIn("2 of", self.page.text("#count"))
        self.page.key("Enter", shift=True)
        self.page.wait_for(lambda page: page.errors or page.evaluate(f"fxtView.viewport.selection.time === {first}"))

    def test_filter_pin_and_idle(self):
        rows = "fxtView.lanes.rows.filter((row) => row.lane).length"
        every = self.page.evaluate(rows)
        self.page.type_into("#filter", "python")
        self.page.settle()
        fewer = self.page.evaluate(rows)
        self.assertLess(fewer, every)
        self.assertGreater(fewer, 0)
        self.page.type_into("#filter", "no such lane")
        self.assertEqual(self.page.evaluate(rows), 0)
        self.page.evaluate("document.querySelector('#filter').value = ''; fxtView.viewport.filter = ''; fxtView.layOut()")
        begin, _, koid, _ = self.select_sleep()
        self.page.evaluate("fxtView.focusTracks()")
        self.page.key("p")
        self.assertEqual(self.page.evaluate("fxtView.lanes.rows[0].lane"), f"s{self.number_of(koid)}")
        self.page.key("p")
        self.assertEqual(self.page.evaluate("fxtView.lanes.pinnedRows"), 0)
        self.page.evaluate(f"fxtView.viewport.show({begin}, {begin + 20000})")
        self.page.key("h")
        self.page.wait_for(lambda page: page.errors or page.evaluate(rows) < every)
        self.page.key("h")
        self.page.wait_for(lambda page: page.errors or page.evaluate(rows) >= every)

    def test_an_interval_has_a_report_a_flame_graph_and_a_path(self):
        self.page.drag(600, 70, 1000, 70)
        self.page.settle()
        where = self.page.evaluate("fxtView.viewport.range")
        self.assertIsNotNone(where)
        self.wait_for_interval()
        self.page.click_on("#report")
        loaded = "document.querySelector('#page iframe').getAttribute('src')"
        self.assertTrue(self.page.evaluate(loaded).startswith("report?"))
        status, report = self.viewed.ask(self.viewed.path + self.page.evaluate(loaded))
        self.assertEqual(status, 200)
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        window = ("--from", f"@{first + int(where['from'])}", "--to", f"@{first - int(-where['to'] // 1)}")
        self.assertEqual(report.decode(), fxt("report", "--html", "-", *window, self.trace))
        self.page.settle()
        self.page.picture("report")
        self.page.click_on("#page button")
        self.go_from_page("#report", "report?", "document.querySelector('#worst-waits + details .place')")
        wait = json.loads(fxt("report", "--json", *window, self.trace))["worst_waits"][0]
        # The details are loaded after the place, and then their tab is shown.
        self.page.wait_for(lambda page: page.errors or page.evaluate("!!fxtView.overlay.selected"))
        shown = self.page.evaluate("fxtView.overlay.selected")
        self.assertEqual((shown["lane"], shown["begin"] + first), (f"s{self.number_of(str(wait['thread']['id']))}", int(wait["begin_ns"])))
        self.assertEqual(self.page.evaluate("fxtView.viewport.range"), {key: round(when) for key, when in where.items()})
        # A click on the strip of a CPU goes to that time.
        self.page.click_on("#tab-interval")
        self.go_from_page("#report", "report?", """(() => {
            const box = document.querySelector('.plot.cpu rect:last-of-type');
            const { x, width } = box.getBoundingClientRect();
            box.dispatchEvent(new MouseEvent('click', { clientX: x + width / 2 }));
            return document.querySelector('#way .place');
        })()""")
        self.assertAlmostEqual(sum(self.page.shown()) / 2, (where["from"] + where["to"]) / 2, delta=(where["to"] - where["from"]) / 50)
        # A flame graph leads to the lanes of the process or the thread of a frame.
        self.page.click_on("#tab-interval")
        self.go_from_page("#flame-off", "flame?", """(() => {
            [...document.querySelectorAll('.frame')].find((one) => one.style.bottom === '18px').click();
            return document.querySelector('.place');
        })()""")
        self.assertGreater(self.page.evaluate("fxtView.lanes.rows.filter((row) => row.lane).length"), 0)
        self.assertNotEqual(self.page.evaluate("document.querySelector('#filter').value"), "")
        self.page.evaluate("fxtView.viewport.filter = ''; fxtView.layOut()")
        self.page.click_on("#tab-interval")
        for of in ("off", "on", "wake"):
            status, flame = self.viewed.ask(f"{self.viewed.path}flame?of={of}&from={int(where['from'])}&to={int(where['to'])}")
            self.assertIn(status, (200, 400))
            self.assertTrue(b"<svg" in flame or b"<script" in flame or b"no stacks" in flame, flame[:200])
        self.wait_for_interval()
        self.page.evaluate("[...document.querySelectorAll('#interval td button')].at(1).setAttribute('data-test', 'path')")
        self.page.click_on("button[data-test='path']")
        self.page.wait_for(lambda page: page.errors or page.evaluate("fxtView.overlay.path.length > 0"))
        parts = self.page.evaluate("fxtView.overlay.path.map((one) => one.to - one.from)")
        self.assertAlmostEqual(sum(parts), where["to"] - where["from"], delta=2)
        self.page.settle()
        self.page.picture("path")

    def wait_for_interval(self):
        """Waits for the server's answer about the interval."""
        self.page.wait_for(lambda page: page.errors or page.evaluate(
            "document.querySelector('#interval').textContent.includes('threads ran')"))

    def go_from_page(self, button, address, place):
        """Opens a page of the interval, and clicks on its way back to the timeline."""
        before = self.page.evaluate("fxtView.viewport.toFragment()")
        # The previous page may still be shown for a moment, and would lose the click.
        self.assertTrue(harness.eventually(lambda: not self.page.has_frame(address)))
        self.page.click_on(button)

        def is_there(page):
            with page.within_frame(address):
                # A page draws its plots once their sizes are known. Before, there is nothing to click on.
                return page.evaluate(f"(() => {{ try {{ return !!({place}); }} catch {{ return false; }} }})()")
        self.page.wait_for(is_there)
        # The click closes the frame, possibly before it replies.
        with contextlib.suppress(browser.Replaced), self.page.within_frame(address):
            self.page.evaluate(f"({place}).click()")
        self.page.wait_for(lambda page: page.errors or page.evaluate("!document.querySelector('#page').open"))
        self.page.wait_for(lambda page: page.errors or page.evaluate(f"fxtView.viewport.toFragment() !== {json.dumps(before)}"))
        self.page.settle()

    def test_a_tab_that_was_chosen_stays(self):
        begin, length, koid, _ = self.select_sleep()
        chosen = self.page.evaluate(f"""(async () => {{
            const shown = fxtView.selectAt({{trace: 0, lane: 's{self.number_of(koid)}', time: {begin + length // 2}, depth: 0}});
            fxtView.showTab('sql');
            const found = await shown;
            return [!!found, document.querySelector('#tab-sql').getAttribute('aria-selected')];
        }})()""")
        self.assertEqual(chosen, [True, "true"])

    def test_sql(self):
        self.page.click_on("#tab-sql")
        self.page.type_into("#statement", "SELECT kind, count(*) AS n FROM waits GROUP BY kind ORDER BY kind")
        self.page.key("Enter", ctrl=True)
        self.page.wait_for(lambda page: page.errors or page.evaluate("!!document.querySelector('#result table')"))
        rows = self.page.evaluate("[...document.querySelectorAll('#result tbody tr')].map((row) => "
                                  "[...row.cells].map((cell) => cell.textContent))")
        wanted = harness.query(self.trace, "SELECT kind, count(*) FROM waits GROUP BY kind ORDER BY kind")
        self.assertEqual(rows, [[kind, str(count)] for kind, count in wanted])
        self.page.picture("sql")
        self.page.type_into("#statement", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
                                          "SELECT i FROM n")
        self.page.click_on("#run-sql")
        self.page.wait_for(lambda page: page.errors or page.text("#result").startswith("1,000 rows"))
        self.page.type_into("#statement", "SELECT nonsense")
        self.page.click_on("#run-sql")
        self.page.wait_for(lambda page: "no such column" in page.text("#result"))
        # The browser reports the refused request as an error.
        self.page.errors[:] = [error for error in self.page.errors if "400" not in error]

    def test_a_link_shows_the_same_place(self):
        begin, length, koid, _ = self.select_sleep()
        self.page.key("m")
        self.page.evaluate("fxtView.viewport.commit()")
        address = self.page.evaluate("location.href")
        state = "JSON.stringify([fxtView.viewport.toFragment(), fxtView.overlay.selected])"
        wanted = self.page.evaluate(state)
        with Viewed("--at", address, self.trace) as other:
            self.page.show(other.url)
            self.page.wait_for(lambda page: page.errors or page.evaluate("!!fxtView.overlay.selected"))
            self.assertEqual(self.page.evaluate(state), wanted)
            # A page reports an error when its server ends.
            self.page.open("about:blank")
        with Viewed("--at", f"{begin}ns", self.trace) as other:
            self.page.show(other.url)
            # The URL is read when the lanes are loaded, a moment after the last status.
            self.page.wait_for(lambda page: page.errors or page.evaluate("fxtView.viewport.marks.length > 0"))
            first, last = self.page.shown()
            self.assertTrue(first < begin < last, (first, begin, last))
            self.assertEqual(self.page.evaluate("fxtView.viewport.marks[0].from"), begin)
            self.page.open("about:blank")

    def test_pictures(self):
        page = self.page
        page.pictures("opened")
        page.mouse("mouseMoved", 800, 300)
        page.hold("w", 0.8)
        page.pictures("zoomed")
        page.key("0")
        page.key("/")
        page.call("Input.insertText", text="clock_nanosleep")
        page.key("Enter")
        page.wait_for(lambda one: one.errors or one.text("#count").startswith("1 of"))
        page.pictures("searched")
        page.key("Escape")
        begin, length, koid, _ = self.select_sleep()
        page.pictures("selected")
        page.evaluate(f"fxtView.showPath(0, {self.number_of(koid)}, {begin}, {begin + length})")
        page.wait_for(lambda one: one.errors or one.evaluate("fxtView.overlay.path.length > 0"))
        page.pictures("path")
        page.click_on("#tab-sql")
        page.click_on("#run-sql")
        page.wait_for(lambda one: one.errors or one.evaluate("!!document.querySelector('#result table')"))
        page.pictures("sql")
        for width in (800, 3000):
            self.page.size(width, 900)
            self.page.settle()
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
        self.page.size(1400, 900)
        self.page.settle()


class Lossy(Recorded):
    """Lost events: the buffers are small, and fxt-record is stopped for a while."""

    OPTIONS = ("-b", "4K")
    COMMAND = (os.path.join(BUILD, "tests", "odd_tasks"), "storm", "--times", "1000", "--hold", "fxt-record")

    def test_losses_and_gaps_are_those_of_query(self):
        first = int(self.page.evaluate("fxtView.clocks[0]"))
        tracks = self.page.evaluate("fxtView.lanes.traces[0].losses")
        rows = harness.query(self.trace, "SELECT ts, kind, cpu, category, count FROM losses")
        self.assertGreater(len([row for row in rows if row[1] == "lost"]), 0)
        numbers = {track.get("cpu"): track["number"] for track in tracks}
        choose = random.Random(35)
        chosen = choose.sample(rows, min(POINTS, len(rows)))
        for row, shown in zip(chosen, self.shown_at([[f"l{numbers[row[2]]}", row[0] - first, 0] for row in chosen])):
            found = []
            for one in shown["instants"]:
                args = json.loads("{" + one["args"] + "}")
                kind = {"lost events": "lost", "hidden switch": "unseen_switch"}[one["name"]]
                found.append([one["time"] + first, kind, row[2], args.get("category", "sched"), args.get("count")])
            self.assertIn(row, found)
        unknown = dict(harness.query(self.trace, "SELECT cpu, unknown_ns FROM cpus"))
        for track in tracks:
            if not track["gaps"]:
                continue
            gaps = []
            # Each of these requests may take as long as a single call.
            begin, end, step = *self.page.evaluate("[fxtView.viewport.begin, fxtView.viewport.end]"), 512 * 2048
            for at in range(int(begin), int(end), 200 * step):
                gaps += self.page.evaluate(f"""(async () => {{
                    const api = await import('./api.js');
                    const found = [];
                    for (let at = {at}; at < Math.min({at + 200 * step}, fxtView.viewport.end); at += {step}) {{
                        const [items] = await api.tile(0, at, at + {step}, 1, ['g{track["number"]}']);
                        for (let i = 0; i < items.count; i += 1) found.push([items.times[2 * i], items.times[2 * i + 1]]);
                    }}
                    return found;
                }})()""")
            # An item in two tiles is reported twice.
            self.assertEqual(sum(end - begin for begin, end in {tuple(one) for one in gaps}), unknown[track["cpu"]], track)

    def test_a_click_shows_a_loss(self):
        first, *rest = self.longest("SELECT ts, cpu, category, count FROM losses WHERE kind = 'lost' ORDER BY count DESC LIMIT 1")
        cpu, category, count = rest
        lane = self.page.evaluate(f"'l' + fxtView.lanes.traces[0].losses.find((one) => one.cpu === {cpu}).number")
        self.page.evaluate(f"fxtView.viewport.show({first - 1000}, {first + 1000})")
        self.page.click(*self.page.place_of(lane, first))
        self.page.wait_for(lambda page: page.errors or "what is missing" in page.text("#selected"))
        for text in (str(count), category, "lost events"):
            self.assertIn(text, self.page.text("#selected"))


class Served(harness.FolderTest):
    """Access to the server."""

    TRACE = os.path.join(BUILD, "view-test-switches.fxt")

    @classmethod
    def setUpClass(cls):
        folder = harness.class_folder(cls)
        cls.trace = os.path.join(folder, "trace.fxt")
        harness.record(cls.trace, "true", options=("-q", "-c", "default"))

    def test_only_this_page_is_answered(self):
        with Viewed(self.trace) as viewed:
            self.assertRegex(viewed.url, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
            self.assertRegex(viewed.ssh, rf"ssh -N -L {viewed.port}:127\.0\.0\.1:{viewed.port} ")
            self.assertEqual(viewed.ask(viewed.path)[0], 200)
            for path in ("/", "/status", "/0123456789abcdef0123456789abcdef/", viewed.path[:-1],
                         viewed.path + "../etc/passwd", viewed.path + "%2e%2e/etc/passwd", viewed.path + "trace.fxt"):
                self.assertEqual(viewed.ask(path)[0], 404, path)
            here = f"127.0.0.1:{viewed.port}"
            for refused in ({"Host": "evil.example"}, {"Host": here, "Origin": "http://evil.example"},
                            {"Host": here, "Origin": "null"}, {"Host": here, "Sec_Fetch_Site": "cross-site"},
                            {"Host": here, "Sec_Fetch_Site": "same-site"}):
                self.assertEqual(viewed.ask(viewed.path, **refused)[0], 403, refused)
            self.assertEqual(viewed.ask(viewed.path, Host=here, Origin=f"http://{here}", Sec_Fetch_Site="same-origin")[0], 200)
            self.assertEqual(viewed.ask(viewed.path, method="PUT", body="x")[0], 405)

    def test_odd_requests_are_answered(self):
        with Viewed(self.trace) as viewed:
            for query in ("tile", "tile?from=5&to=1&pixel=1&lanes=c0", "tile?from=0&to=9223372036854775807&pixel=1&lanes=c0,s0,k9,zz",
                          "tile?from=-9223372036854775808&to=9223372036854775807&pixel=0&lanes=c0", "at?lane=s99999999&time=5",
                          "at?lane=c0&time=-9223372036854775808", "labels?ids=,4294967295,x", "find?text=%", "find?text=%ff&from=x",
                          "busy?from=1&to=0", "busy?from=-5&to=9223372036854775807", "row?koid=1&time=2", "path?from=1&to=2"):
                self.assertIn(viewed.ask(viewed.path + query)[0], (200, 400), query)
            self.assertEqual(viewed.ask(viewed.path + "status")[0], 200)

    def test_statements_only_read(self):
        with Viewed(self.trace) as viewed:
            for statement in ("ATTACH '/tmp/other.db' AS other", "DROP TABLE slices", "SELECT load_extension('x')",
                              "SELECT readfile('/etc/passwd')", "--help", "PRAGMA writable_schema = 1; DELETE FROM sqlite_schema"):
                status, _ = viewed.ask(viewed.path + "sql", method="POST", body=statement)
                self.assertIn(status, (200, 400), statement)
            with open(self.trace, "rb") as file:
                self.assertEqual(file.read(8), bytes.fromhex("1000044678541600"))

    def test_it_ends_with_the_page(self):
        # A busy machine may take longer to load a page than the server waits for it.
        for _ in range(3):
            with Viewed(self.trace) as viewed:
                with Shown(browser.find()) as page:
                    page.show(viewed.url)
                    # A reloaded page is connected again.
                    begin = time.monotonic()
                    try:
                        page.show(viewed.url)
                    except RuntimeError:
                        if time.monotonic() - begin < RELOAD_S:
                            raise
                    if time.monotonic() - begin > RELOAD_S:
                        continue
                    time.sleep(RELOAD_S + 1)
                    self.assertIsNone(viewed.process.poll())
                self.assertEqual(viewed.process.wait(harness.DEADLINE_S), 0)
                return
        self.skipTest("a page takes longer to load than the server waits for it")

    def test_it_ends_at_an_interrupt(self):
        with Viewed(self.trace) as viewed:
            viewed.process.send_signal(signal.SIGINT)
            self.assertEqual(viewed.process.wait(harness.DEADLINE_S), 0)

    def test_it_ends_without_a_page(self):
        done = harness.run(FXT, "view", "--print", "--timeout", "200ms", self.trace)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no browser opened the page", done.stderr)

    def test_files_that_are_not_traces_are_refused(self):
        for name, content in (("empty", b""), ("text", b"hello, world, this is text"), ("zero", bytes(64))):
            done = harness.run(FXT, "view", "--print", self.write(name, content))
            self.assertEqual(done.returncode, 2, name)
            self.assertIn("error", done.stderr)
        self.assertEqual(harness.run(FXT, "view", self.path("missing")).returncode, 2)

    def test_names_do_not_run(self):
        events = [{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": HOSTILE}},
                  {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": HOSTILE}},
                  {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 50, "name": HOSTILE, "cat": HOSTILE, "args": {HOSTILE: HOSTILE}},
                  {"ph": "i", "pid": 1, "tid": 1, "ts": 20, "s": "t", "name": HOSTILE, "args": {HOSTILE: HOSTILE}},
                  {"ph": "C", "pid": 1, "tid": 1, "ts": 20, "name": HOSTILE, "args": {HOSTILE: 5}}]
        trace = self.path(f"{HOSTILE.replace('/', '')}.fxt")
        fxt("import", self.write("trace.json", json.dumps(events)), "-o", trace)
        with Viewed(trace) as viewed, Shown(browser.find()) as page:
            page.size(1400, 900)
            page.show(viewed.url)
            lanes = page.evaluate("fxtView.lanes.rows.filter((row) => row.lane).map((row) => row.lane)")
            self.assertGreaterEqual(len(lanes), 3)
            for lane in lanes:
                page.evaluate(f"fxtView.selectAt({{trace: 0, lane: '{lane}', time: 20000 - 1000, depth: 0}})")
                page.settle()
            page.type_into("#search", "onerror")
            page.key("Enter")
            page.wait_for(lambda one: one.errors or "of" in one.text("#count"))
            page.settle()
            page.click_on("#tab-sql")
            page.type_into("#statement", "SELECT * FROM spans")
            page.click_on("#run-sql")
            page.wait_for(lambda one: one.errors or one.evaluate("!!document.querySelector('#result table')"))
            self.assertIn("onerror", page.text("#result"))
            # They do not change the direction of the text around them.
            self.assertNotIn("\u202e", page.evaluate("document.body.innerText"))
            labels = page.evaluate("JSON.stringify([...fxtView.lanes.rows.map((row) => row.label), ...fxtView.painter.labels[0].texts.values()])")
            self.assertIn("onerror", labels)
            self.assertNotIn("\u202e", "".join(json.loads(labels)))
            self.assertEqual(page.evaluate("document.images.length + document.querySelectorAll('script').length"), 1)
            self.assertEqual(page.errors, [])

    def shown_by(self, *words):
        """All lanes, and the items of some, once the trace is read."""
        with Viewed(*words) as viewed:
            self.assertTrue(harness.eventually(
                lambda: all(one["complete"] for one in json.loads(viewed.ask(viewed.path + "status")[1]))))
            status = json.loads(viewed.ask(viewed.path + "status")[1])[0]
            tile = f"tile?from=0&to={status['end']}&pixel={max(1, status['end'] // 2000)}&lanes=c0,c1,s0,s1,i0,l0,g0"
            # Waits for the index file, because the program may otherwise end while it is written.
            if "--keep-index" in words:
                self.assertTrue(harness.eventually(lambda: os.path.exists(words[-1] + ".index")))
            return (status["end"], json.loads(viewed.ask(viewed.path + "lanes")[1]), viewed.ask(viewed.path + tile)[1])

    def test_a_kept_index_shows_the_same(self):
        trace = self.path("kept.fxt")
        shutil.copy(self.trace, trace)
        index = trace + ".index"
        wanted = self.shown_by(trace)
        self.assertFalse(os.path.exists(index))
        self.assertEqual(self.shown_by("--keep-index", trace), wanted)
        self.assertEqual(os.stat(index).st_mode & 0o777, 0o600)
        with open(index, "rb") as file:
            good = file.read()
        before = os.stat(index).st_ino
        self.assertEqual(self.shown_by("--keep-index", trace), wanted)
        self.assertEqual(os.stat(index).st_ino, before)
        choose = random.Random(33)
        for number in range(10):
            damaged = bytearray(good)
            if number == 0:
                damaged = damaged[:len(good) // 2]
            else:
                damaged[choose.randrange(100 if number < 4 else len(good))] ^= 0x55
            with open(index, "wb") as file:
                file.write(damaged)
            self.assertEqual(self.shown_by("--keep-index", trace), wanted, number)
        # Another trace with the same size and time.
        status = os.stat(trace)
        with open(trace, "r+b") as file:
            file.seek(status.st_size // 2)
            file.write(bytes(4096))
        os.utime(trace, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.assertEqual(self.shown_by("--keep-index", trace), self.shown_by(trace))

    def test_flows_connect_their_spans(self):
        def span(tid, start, length, name):
            return {"ph": "X", "pid": 1, "tid": tid, "ts": start, "dur": length, "name": name, "cat": "app"}

        def flow(phase, tid, when, number):
            more = {"bp": "e"} if phase == "f" else {}
            return {"ph": phase, "pid": 1, "tid": tid, "ts": when, "id": number, "name": "call", "cat": "app", **more}

        events = [span(1, 100, 400, "outer"), span(1, 200, 100, "client"), span(2, 400, 200, "server"), span(3, 700, 100, "disk"),
                  flow("s", 1, 250, 5), flow("t", 2, 450, 5), flow("f", 3, 750, 5), span(1, 900, 50, "alone")]
        trace = self.path("flows.fxt")
        fxt("import", self.write("flows.json", json.dumps(events)), "-o", trace)
        with Viewed(trace) as viewed, Shown(browser.find()) as page:
            page.size(1400, 900)
            page.show(viewed.url)
            first = int(page.evaluate("fxtView.clocks[0]"))
            spans = {name: (begin - first, dur, koid) for name, begin, dur, koid in
                     harness.query(trace, "SELECT name, ts, dur, koid FROM spans")}
            lane_of = {name: page.evaluate(f"'d' + fxtView.lanes.byKoid.get('0:{koid}').number") for name, (_, _, koid) in spans.items()}

            def select(name, depth=0):
                begin, dur, _ = spans[name]
                page.evaluate("fxtView.viewport.showAll()")
                page.click(*page.place_of(lane_of[name], begin + dur / 2, depth))
                page.wait_for(lambda one: one.errors or one.text("#selected").startswith(f"{name}\n"))
                page.settle()
                return page.evaluate("fxtView.overlay.arrows.map((one) => [one.from, one.to, one.time, one.toTime])")

            call = [lane_of["client"], lane_of["server"], spans["client"][0] + 50_000, spans["server"][0] + 50_000]
            work = [lane_of["server"], lane_of["disk"], call[3], spans["disk"][0] + 50_000]
            self.assertEqual(select("server"), [call, work])
            page.picture("flows")
            self.assertEqual(select("client", 1), [call])
            self.assertEqual(select("disk"), [work])
            # Its child has the flow.
            self.assertEqual(select("outer"), [])
            self.assertEqual(select("alone"), [])
            select("server")
            self.assertIn("to, flow call", page.text("#selected"))
            page.click_on("#selected div button.go")
            page.wait_for(lambda one: one.errors or one.text("#selected").startswith("client\n"))
            page.evaluate("[...document.querySelectorAll('#selected div button.go')].at(-1).click()")
            page.wait_for(lambda one: one.errors or one.text("#selected").startswith("server\n"))
            self.assertEqual(page.errors, [])

    def test_operations_at_once_have_rows_up_to_a_limit(self):
        def operation(number, begin, end):
            more = {"pid": 1, "tid": 1, "name": "request", "cat": "app", "id": number}
            return [{"ph": "b", "ts": begin, "args": {"number": number}, **more}, {"ph": "e", "ts": end, **more}]

        for most in (5, 20, 64, 70):
            events = [event for number in range(most) for event in operation(number, 10 + number, 1000 + number)]
            trace = self.path(f"{most}.fxt")
            fxt("import", self.write("at-once.json", json.dumps(events)), "-o", trace)
            with Viewed(trace) as viewed, Shown(browser.find()) as page:
                page.size(1400, 900)
                page.show(viewed.url)
                lane, depths, note = page.evaluate("(({ lane, depths, note }) => [lane, depths, note ?? ''])("
                                                   "fxtView.lanes.rows.find((row) => row.lane?.startsWith('a')))")
                self.assertEqual((depths, note), (min(most, 64), "6 more at once" if most == 70 else ""))
                first = int(page.evaluate("fxtView.clocks[0]"))
                begins = dict(harness.query(trace, "SELECT args ->> 'number', ts FROM spans"))
                # Each row has its own.
                for number in (0, min(most, 64) - 1):
                    page.click(*page.place_of(lane, begins[number] - first + 500_000, number))
                    page.wait_for(lambda one, line=f"number\n{number}": one.errors or one.text("#selected").endswith(line))
                page.picture(f"at-once-{most}")
                self.assertEqual(page.errors, [])

    def test_damaged_files_open_or_are_refused(self):
        with open(self.trace, "rb") as file:
            good = file.read()
        choose = random.Random(33)
        opened = 0
        for number in range(DAMAGED):
            damaged = bytearray(good[:choose.randrange(16, len(good))] if number % 3 == 0 else good)
            for _ in range(choose.randrange(1, 200)):
                at = choose.randrange(8, len(damaged))
                damaged[at] = choose.randrange(256)
            path = self.write(f"{number}.fxt", bytes(damaged))
            with Viewed(path) as viewed:
                if not viewed.url:
                    self.assertEqual(viewed.process.wait(harness.DEADLINE_S), 2, number)
                    continue
                opened += 1
                self.assertTrue(harness.eventually(
                    lambda: all(one["complete"] for one in json.loads(viewed.ask(viewed.path + "status")[1]))))
                json.loads(viewed.ask(viewed.path + "lanes")[1])
                self.assertEqual(viewed.ask(viewed.path + "tile?from=0&to=1000000000&pixel=1000000&lanes=c0,s0,d0,i0,k0,a0")[0], 200)
                self.assertLess(viewed.peak_mb(), MAX_SERVER_MB)
        self.assertGreater(opened, 0)

    def test_two_traces_share_a_zero(self):
        other = self.path("other.fxt")
        harness.record(other, "true", options=("-q", "-c", "default"))
        with Viewed(self.trace, other) as viewed, Shown(browser.find()) as page:
            page.size(1400, 900)
            page.show(viewed.url)
            sections = page.evaluate("fxtView.lanes.rows.filter((row) => row.isTrace || row.label === 'CPUs').map((row) => row.label)")
            self.assertEqual(sections, ["trace.fxt", "CPUs", "other.fxt", "CPUs"])
            page.evaluate("fxtView.goTo(1, 'c0', null)")
            page.settle()
            page.pictures("two")
            # Statements read either trace. Times of rows and URLs are those of their trace.
            page.click_on("#tab-sql")
            statement = "SELECT ts, tid, koid, length FROM slices WHERE ts BETWEEN $from AND $to ORDER BY length DESC, ts LIMIT 1"
            for number, trace in ((1, other), (0, self.trace)):
                begin, _, koid, length = row = harness.query(trace, statement.replace("BETWEEN $from AND $to", "> 0"))[0]
                page.evaluate(f"fxtView.viewport.showAll(); document.querySelector('#asked').value = {number}")
                page.type_into("#statement", statement)
                page.click_on("#run-sql")
                page.wait_for(lambda one, words=str(begin): one.errors or words in one.text("#result"))
                cells = page.evaluate("[...document.querySelectorAll('#result tbody td')].map((one) => one.textContent)")
                self.assertEqual(cells, list(map(str, row)))
                page.pictures(f"two-sql-{number}")
                wanted = [number, begin - int(page.evaluate(f"fxtView.clocks[{number}]")), length]
                shown = "(({ trace, begin, end }) => [trace, begin, end - begin])(fxtView.overlay.selected ?? {})"
                page.click_on("#result td button")
                page.wait_for(lambda one, place=wanted: one.errors or one.evaluate(shown) == place)
                page.evaluate("fxtView.clearSelection()")
                page.evaluate(f"fxtView.showPlace('clock={begin}&thread={koid}', {number})")
                self.assertEqual(page.evaluate(shown), wanted)
                page.click_on("#tab-sql")
            # Each trace has its own report of the interval.
            page.evaluate("fxtView.setRange(0, 1e6)")
            page.wait_for(lambda one: one.errors or one.evaluate("!!document.querySelector('#report-1')"))
            page.evaluate("document.querySelector('#report-1').click()")
            self.assertTrue(page.evaluate("document.querySelector('#page iframe').getAttribute('src')").startswith("report?trace=1&"))
            self.assertEqual(page.errors, [])


@unittest.skipUnless(LARGE_BYTES, "FXT_VIEW_BYTES makes a large trace")
class Large(harness.FolderTest):
    """Time and memory of a large trace. Prints figures; asserts limits of memory, and that the page keeps working."""

    def test_a_large_trace(self):
        trace = self.path("large.fxt")
        millions = max(1, LARGE_BYTES // 40_000_000)
        harness.run(os.path.join(BUILD, "bench/make_switches"), trace, str(millions), ok=(0,), timeout=3600)
        size = os.path.getsize(trace)
        with Shown(browser.find()) as page:
            page.size(1400, 900)
            begin = time.monotonic()
            with Viewed(trace) as viewed:
                page.open(viewed.url)
                page.wait_for(lambda one: one.errors or one.evaluate(
                    "!!window.fxtView && fxtView.isStarted && fxtView.tiles.bytes > 0 && !fxtView.isDirty"))
                first = time.monotonic() - begin
                page.wait_for(lambda one: one.errors or one.evaluate("fxtView.isComplete"))
                complete = time.monotonic() - begin
                page.settle()
                rate = self.frames(page)
                heap = page.evaluate("performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0")
                print(f"\n{size / 1e6:.0f} MB: first picture {first:.1f} s, all {complete:.1f} s, {viewed.cpu_s():.1f} s of CPU time, "
                      f"server {viewed.peak_mb():.0f} MB, page {heap:.0f} MB, {rate:.0f} frames/s", flush=True)
                page.picture("large")
                self.assertLess(viewed.peak_mb(), 512)
                self.assertLess(heap, 200)
                self.compare(page, trace)
                self.assertEqual(page.errors, [])

    def compare(self, page, trace):
        """Random runs and waits are drawn as fxt query has them."""
        choose = random.Random(36)
        begin, end = harness.query(trace, "SELECT begin_ts, end_ts FROM captures")[0]
        first = int(page.evaluate("fxtView.clocks[0]"))
        numbers = dict(page.evaluate("[...fxtView.lanes.traces[0].threads.values()].map((one) => [one.koid, one.number])"))
        koids = {number: int(koid) for koid, number in numbers.items()}
        windows = [choose.randrange(begin, end) for _ in range(100)]
        within = " OR ".join(f"ts BETWEEN {when} AND {when + 100_000}" for when in windows)
        runs = harness.query(trace, f"SELECT ts, length, 'run', koid, cpu FROM slices WHERE length > 0 AND ({within})")
        waits = harness.query(trace, f"SELECT ts, length, kind, koid, NULL FROM waits WHERE length > 0 AND ({within})")
        chosen = choose.sample(runs, min(len(runs), POINTS // 2)) + choose.sample(waits, min(len(waits), POINTS // 2))
        self.assertGreaterEqual(len(chosen), POINTS // 2)
        points = []
        for when, length, kind, koid, cpu in chosen:
            lane = f"c{cpu}" if kind == "run" and choose.random() < 0.5 else f"s{numbers[str(koid)]}"
            points.append([lane, when - first + choose.randrange(length)])
        for (when, length, kind, koid, cpu), (lane, _), item in zip(chosen, points, page.drawn_at(points)):
            wanted = (STATES.index(kind), when - first, when - first + length)
            self.assertEqual((item[0], item[2], item[3]), wanted, (lane, when))
            if kind == "run":
                self.assertEqual(koids[item[1]] if lane[0] == "c" else item[1], koid if lane[0] == "c" else cpu)
        print(f"{len(points)} points as in fxt query", flush=True)

    @staticmethod
    def frames(page):
        """Frames per second while W, S, A and D are held."""
        page.evaluate("fxtView.focusTracks(); window.framesBefore = fxtView.frames")
        begin = time.monotonic()
        page.mouse("mouseMoved", 800, 300)
        for key in ("w", "d", "w", "a", "s", "d", "s"):
            page.hold(key, 1)
        return page.evaluate("fxtView.frames - window.framesBefore") / (time.monotonic() - begin)


if __name__ == "__main__":
    if browser.find() is None:
        harness.skip("needs Chromium")
    harness.skip_unless_recordable()
    harness.main()
