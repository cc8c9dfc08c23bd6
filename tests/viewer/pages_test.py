#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Opens the pages of `fxt report --html`, `fxt diff --html`, `fxt path --html` and `fxt flame` in a headless Chromium.

Light and dark screenshots stay in the build folder.
"""

import base64
import json
import os
import re
import shlex
import shutil
import sys
import unittest

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, fxt  # noqa: E402

PHONE = (390, 844)
DESK = (1200, 900)
# Captures of each side; more if the first ones do not decide because of other work of the machine.
CAPTURES = (3, 5, 7)
PAGES = ("r.html", "d.html", "f.html", "on.html", "s.html", "p.html")

# Without escaping, this argument ends a script element and starts an image that raises an alert.
HOSTILE = "</script><img src=x onerror=alert(1)>"
# The comm of a thread has 15 bytes.
HOSTILE_THREAD = "</script><b>"


def work(rounds):
    """Returns a command that sleeps and computes under a hostile name."""
    return [sys.executable, "-c",
            "import sys, time\n"
            f"open('/proc/self/comm', 'w').write('{HOSTILE_THREAD}')\n"
            f"for i in range(20):\n  time.sleep(0.01)\n  sum(range({rounds}))\n", HOSTILE]


def record(path, command):
    harness.record(path, *command, options=("-q", "-c", "sched,task,syscall,stack"))


def shown(page, url, size=DESK, scheme="light"):
    """Opens the page in a window of that size."""
    page.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
              mobile=size == PHONE)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.open(url)
    page.wait_for(lambda one: one.errors or one.evaluate("document.querySelector('footer') !== null"))
    settle(page)


def settle(page):
    """Waits until the plots are drawn, which happens once their sizes are known."""
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 300))")


def number_of(page, selector):
    return page.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = harness.class_folder(cls)
        sides = {"base": 2_000, "new": 400_000}
        for captures in CAPTURES:
            for number in range(captures):
                for side, rounds in sides.items():
                    os.makedirs(os.path.join(cls.folder, side), exist_ok=True)
                    if not os.path.exists(cls.path(f"{side}/{number}.fxt")):
                        record(cls.path(f"{side}/{number}.fxt"), work(rounds))
            cls.diff = json.loads(fxt("diff", cls.path("base"), cls.path("new"), "--json", "--html", cls.path("d.html")))
            if cls.is_decided():
                break
        cls.report = json.loads(fxt("report", cls.path("new/0.fxt"), "--json", "--html", cls.path("r.html")))
        for kind in ("off", "on"):
            fxt("flame", cls.path("new/0.fxt"), "--of", kind, "--base", cls.path("base/0.fxt"), "-o",
                cls.path(f"{kind}.html"))
        fxt("flame", cls.path("new/0.fxt"), "-o", cls.path("f.html"))
        fxt("flame", "--of", "on", "--base", cls.path("base"), "--new", cls.path("new"), "-o", cls.path("s.html"))
        fxt("path", "--span", "clock_nanosleep", cls.path("new/0.fxt"), "--html", cls.path("p.html"))
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.__exit__)

    @classmethod
    def is_decided(cls):
        """Whether the page of the comparison has something of each kind to show: findings, and stacks that changed."""
        findings = cls.diff["findings"]
        with open(cls.path("d.html"), encoding="utf-8") as file:
            flame = re.search(r'<script[^>]* id="flame"[^>]*>(.*?)</script>', file.read(), re.DOTALL)
        flame = json.loads(flame[1]) if flame else {"stacks": []}
        rates = [q for stack in flame["stacks"] for q in (stack[4] if len(stack) > 4 else None) or []]
        return (any(row["verdict"] == "worse" for row in findings) and any("histogram" in row for row in findings)
                and any(row["examples"] for row in findings)
                and any(q is not None and q <= flame["least_q"] for q in rates))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def url(cls, name):
        return "file://" + cls.path(name)

    def setUp(self):
        self.browser.errors.clear()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def open(self, name, **how):
        shown(self.browser, self.url(name), **how)
        return self.browser

    def open_all(self, page):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        settle(page)

    def assert_count(self, page, selector, count):
        self.assertEqual(number_of(page, selector), count, selector)

    def data_of(self, page):
        return json.loads(page.evaluate("document.getElementById('data').textContent"))

    def test_a_report_shows_all_of_its_json(self):
        page = self.open("r.html")
        self.open_all(page)
        self.assertEqual(self.data_of(page), self.report)
        self.assertGreater(len(self.report["groups"]), 3)
        self.assert_count(page, "table.groups tbody tr", len(self.report["groups"]))
        self.assert_count(page, ".plot.cpu path.slot-busy", sum(1 for cpu in self.report["strips"]["cpus"] if cpu["busy"]))
        waits = self.report["worst_waits"] + self.report["worst_blocked"]
        self.assertGreater(len(waits), 0)
        self.assert_count(page, "details.wait .plot.strip > svg", len(waits))
        self.assertGreater(number_of(page, ".plot.strip rect[style*='--other']"), 0)
        calls = sum(len(group["syscalls"]) for group in self.report["groups"])
        self.assertGreater(calls, 0)
        self.assert_count(page, "table.syscalls tbody tr", calls)
        self.assertGreater(number_of(page, "table.matrix td[style]"), 0)

    def test_a_group_of_a_report_opens(self):
        page = self.open("r.html")
        page.evaluate("document.querySelector('button.open').click()")
        settle(page)
        self.assertGreater(number_of(page, "tr.below .plot.distribution path"), 0)
        page.evaluate("document.querySelector('button.open').click()")
        self.assert_count(page, "tr.below", 0)

    def test_a_comparison_shows_all_of_its_json(self):
        page = self.open("d.html")
        self.open_all(page)
        self.assertEqual(self.data_of(page), self.diff)
        findings = self.diff["findings"]
        self.assertIn("worse", [row["verdict"] for row in findings])
        self.assert_count(page, "table.findings tbody tr", len(findings))
        self.assert_count(page, "article.finding", len(findings))
        self.assert_count(page, "table.rows tbody tr", len(self.diff["rows"]))
        self.assert_count(page, "table.others tbody tr", len(self.diff["others"]))
        for side in ("base", "new"):
            dots = sum(1 for row in findings for one in row["captures"][side] if one is not None)
            self.assert_count(page, f"article.finding circle.dot-{side}", dots)
        with_lengths = sum(1 for row in findings if "histogram" in row)
        self.assertGreater(with_lengths, 0)
        self.assertGreaterEqual(number_of(page, ".plot.distribution > svg"), with_lengths)
        self.assertGreaterEqual(number_of(page, ".plot.partition > svg"), sum(1 for row in findings if row["group"]))
        examples = min(10, sum(1 for row in findings if row["examples"]))
        self.assertGreater(examples, 0)
        self.assert_count(page, ".plot.strip > svg", examples)
        heading = page.evaluate("document.querySelector('h1').textContent")
        self.assertIn(findings[0]["text"]["metric"], heading)

    def test_rows_can_be_filtered(self):
        page = self.open("d.html")
        self.open_all(page)
        page.evaluate("(() => { const box = document.querySelector('#all-rows .filter'); box.value = 'SWITCHES';"
                      " box.dispatchEvent(new Event('input')); })()")
        wanted = sum(1 for row in self.diff["rows"] if "switches" in (row["text"]["metric"] + row["text"]["group"]))
        self.assertGreater(wanted, 0)
        self.assert_count(page, "table.rows tbody tr:not([hidden])", wanted)

    def test_nothing_changed(self):
        same = json.loads(fxt("diff", self.path("base"), self.path("base"), "--json", "--html", self.path("same.html")))
        self.assertEqual(same["findings"], [])
        page = self.open("same.html")
        self.assertIn("Nothing changed", page.evaluate("document.querySelector('h1').textContent"))
        self.assert_count(page, "article.finding", 0)

    def test_a_page_of_summaries(self):
        fxt("summarize", self.path("new/0.fxt"), "-o", self.path("new.fxs"))
        fxt("report", self.path("new.fxs"), "--html", self.path("summary.html"))
        page = self.open("summary.html")
        self.assertGreater(number_of(page, "table.groups tbody tr"), 3)
        self.assert_count(page, ".plot.strip", 0)

    def test_hostile_names_are_text(self):
        for name in ("r.html", "d.html"):
            with self.subTest(name):
                page = self.open(name)
                self.open_all(page)
                self.assert_count(page, "img, iframe, b > *", 0)
                # The data and the code of the page. A comparison of recordings with stacks adds those.
                self.assert_count(page, "script", 4 if name == "d.html" else 3)
                words = page.evaluate("document.body.innerText")
                self.assertIn(HOSTILE, words)
                self.assertIn(HOSTILE_THREAD, words)

    def test_a_flame_graph_searches_and_zooms(self):
        page = self.open("f.html")
        frames = number_of(page, ".frame")
        self.assertGreater(frames, 10)
        page.evaluate("document.getElementById('search').value = 'schedule|nanosleep';"
                      "document.getElementById('search').dispatchEvent(new Event('input'))")
        self.assertGreater(number_of(page, ".hit"), 0)
        self.assertIn("%", page.evaluate("document.getElementById('found').textContent"))
        page.evaluate("[...document.querySelectorAll('.frame')].filter((one) => one.style.bottom === '18px')"
                      ".at(-1).click()")
        self.assertEqual(number_of(page, ".under"), 1)
        page.evaluate("document.getElementById('reset').click()")
        self.assertEqual((number_of(page, ".hit"), number_of(page, ".under")), (0, 0))
        self.assertEqual(number_of(page, ".frame"), frames)

    def press(self, page, key, **modifiers):
        page.evaluate(f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: {json.dumps(key)}, bubbles: true, "
                      f"cancelable: true, ...{json.dumps(modifiers)}}}))")

    def search(self, page, words):
        page.evaluate(f"document.getElementById('search').value = {json.dumps(words)};"
                      "document.getElementById('search').dispatchEvent(new Event('input'))")

    def zoom(self, page):
        """Zooms to a frame of a thread."""
        page.evaluate("[...document.querySelectorAll('.frame')].filter((one) => one.style.bottom === '36px')[0].click()")

    def test_a_flame_graph_has_keys(self):
        page = self.open("f.html")
        self.press(page, "f", ctrlKey=True)
        self.assertEqual(page.evaluate("document.activeElement.id"), "search")
        self.search(page, "nanosleep")
        self.assertGreater(number_of(page, ".hit"), 0)
        self.zoom(page)
        self.press(page, "Escape")
        self.assertEqual((number_of(page, ".hit"), number_of(page, ".under")), (0, 2))
        self.press(page, "Escape")
        self.press(page, "Escape")
        self.assertEqual(number_of(page, ".under"), 0)

    def test_the_address_of_a_flame_graph_has_its_state(self):
        page = self.open("f.html")
        self.zoom(page)
        self.search(page, "nanosleep")
        page.evaluate("document.getElementById('functions').open = true")
        settle(page)
        state = "JSON.stringify([...document.querySelectorAll('.frame')].map((one) => one.className + one.textContent))"
        frames, address = page.evaluate(state), page.evaluate("location.href")
        self.assertIn("#flame?", address)
        self.open("r.html")
        shown(page, address)
        self.assertEqual(page.evaluate(state), frames)
        self.assertEqual(page.evaluate("document.getElementById('search').value"), "nanosleep")
        self.assertTrue(page.evaluate("document.getElementById('functions').open"))
        # The way back leads to the whole graph.
        page.evaluate("document.getElementById('reset').click(); history.back()")
        settle(page)
        self.assertEqual(page.evaluate(state), frames)

    def test_a_flame_graph_turns_over(self):
        page = self.open("f.html")
        width = "Math.round(document.querySelector('.frame').getBoundingClientRect().width)"
        whole = page.evaluate(width)
        page.evaluate("document.getElementById('invert').click()")
        self.assertEqual(page.evaluate(width), whole)
        second = page.evaluate("[...document.querySelectorAll('.frame')].filter((one) => one.style.bottom === '18px')"
                               ".map((one) => one.title)")
        # The innermost frames of sleeps are the scheduler's.
        self.assertTrue(second)
        self.assertTrue(any("schedule" in one for one in second), second)

    def test_the_functions_of_a_flame_graph(self):
        page = self.open("f.html")
        data = json.loads(page.evaluate("document.getElementById('flame').textContent"))
        sums, path, total = {}, [], 0
        for kept, added, _, here in data["stacks"]:
            del path[kept:]
            path += added
            total += here
            for number in set(path[2:]):
                sums[data["texts"][number]] = sums.get(data["texts"][number], 0) + here
        page.evaluate("document.getElementById('functions').open = true")
        settle(page)
        rows = page.evaluate("[...document.querySelectorAll('table.functions tbody tr')].map((row) => "
                             "[...row.cells].map((cell) => cell.textContent))")
        self.assertEqual(len(rows), min(len(sums), 100))
        for name, whole, _ in rows[:20]:
            percent = float(whole.split(", ")[1].rstrip(" %"))
            self.assertAlmostEqual(percent, 100 * sums[name] / total, delta=0.01 * percent + 0.01)
        self.search(page, f"^{re.escape(rows[0][0])}$")
        settle(page)
        self.assert_count(page, "table.functions tbody tr", 1)

    def test_sets_of_captures_say_what_is_undecided(self):
        page = self.open("s.html")
        titles = page.evaluate("[...document.querySelectorAll('.frame')].map((one) => [one.title, one.style.background])")
        for title, background in titles:
            self.assertRegex(title, r"(undecided|q = [0-9.e-]+)$")
            self.assertRegex(title, "%|new")
            if title.endswith("undecided"):
                self.assertEqual(background, "var(--same)")

    def test_names_of_frames_can_be_read(self):
        """A contrast of 4.5 to 1 (WCAG 2.1, AA)."""
        contrast = """(() => {
          const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
          const light = (colour) => {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((byte) => byte / 255)
              .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          return Math.min(...[...document.querySelectorAll('.frame')].filter((one) => one.textContent).map((one) => {
            const style = getComputedStyle(one);
            const [low, high] = [light(style.color), light(style.backgroundColor)].sort((a, b) => a - b);
            return (high + 0.05) / (low + 0.05);
          }));
        })()"""
        for name in ("f.html", "on.html", "off.html", "s.html"):
            for scheme in ("light", "dark"):
                with self.subTest(name + " " + scheme):
                    page = self.open(name, scheme=scheme)
                    self.search(page, "sleep|main")
                    self.assertGreaterEqual(page.evaluate(contrast), 4.5)
                    self.search(page, "")
                    self.assertGreaterEqual(page.evaluate(contrast), 4.5)

    def test_pages_cut_nothing_at_800_pixels(self):
        overlapping = """[...document.querySelectorAll('.plot')].filter((one) => one.firstChild &&
            one.firstChild.getBoundingClientRect().height > one.getBoundingClientRect().height + 1).length"""
        cut = """[...document.querySelectorAll('.scroll, th, td, p, h1, h2, h3, h4, li, summary, button')].filter((one) =>
            one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.tagName + one.textContent.slice(0, 50))"""
        for name in PAGES:
            with self.subTest(name):
                page = self.open(name, size=(800, 600))
                self.open_all(page)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 800)
                self.assertEqual(page.evaluate(cut), [])
                self.assertEqual(page.evaluate(overlapping), 0)

    def test_instances_have_the_command_that_shows_them(self):
        for name in ("r.html", "d.html", "p.html"):
            with self.subTest(name):
                page = self.open(name)
                commands = page.evaluate("[...document.querySelectorAll('code.place')].map((one) => one.textContent)")
                self.assertGreater(len(commands), 0)
                for words in map(shlex.split, commands):
                    self.assertEqual(words[:3], ["fxt", "view", "--at"])
                    place = dict(part.split("=") for part in words[3].split("&"))
                    begin = harness.query(words[4], f"SELECT 1 FROM threads WHERE koid = {place['thread']} UNION ALL "
                                          f"SELECT 1 FROM captures WHERE {place['clock']} BETWEEN begin_ts AND end_ts")
                    self.assertEqual(begin, [[1], [1]], words)
        page = self.open("r.html")
        page.evaluate("(() => { const box = document.querySelector('.plot.cpu rect:last-of-type').getBoundingClientRect();"
                      "document.querySelector('.plot.cpu rect:last-of-type').dispatchEvent(new MouseEvent('click', "
                      "{ clientX: box.x + box.width / 2, bubbles: true })); })()")
        place = shlex.split(page.evaluate("document.querySelector('#way code').textContent"))[3].split("=")
        length, begin = (int(self.report[key]) for key in ("length_ns", "begin_ns"))
        self.assertAlmostEqual(int(place[1]) - begin, length / 2, delta=length / 50)
        self.assert_parts_of_a_path_have_their_places()
        # A shell takes any name of a file as one word.
        odd = self.path("it's $(date) \"odd\" \u202e.fxt")
        shutil.copy(self.path("new/0.fxt"), odd)
        fxt("report", odd, "--html", self.path("odd.html"))
        page = self.open("odd.html")
        self.assertEqual(shlex.split(page.evaluate("document.querySelector('code.place').textContent"))[4],
                         odd.replace("\u202e", "\\u202e"))
        page = self.open("f.html")
        self.zoom(page)
        self.assertEqual(shlex.split(page.evaluate("document.querySelector('code.place').textContent"))[4:], [self.path("new/0.fxt")])

    def assert_parts_of_a_path_have_their_places(self):
        page = self.open("p.html")
        self.open_all(page)
        request = self.data_of(page)["requests"][0]
        ran = 0
        for number, part in list(enumerate(request["parts"]))[:20]:
            places = page.evaluate(f"""(() => {{
                const card = document.querySelector('details.card');
                card.querySelectorAll('.plot.path rect')[{number}].dispatchEvent(new MouseEvent('click', {{ bubbles: true }}));
                const row = card.querySelectorAll('table.path-parts tbody tr')[{number}];
                row.querySelector('button').click();
                return [card.querySelector('p code.place').textContent, row.querySelector('code.place').textContent];
            }})()""")
            words = shlex.split(places[0])
            self.assertEqual(places, [places[0]] * 2)
            place = dict(one.split("=") for one in words[3].split("&"))
            clock = int(request["clock"]) + int(part["at"])
            self.assertEqual(place, {"clock": str(clock), "thread": str(part["koid"])})
            # The thread that the part names ran at this time, or waited.
            koid = f"koid = {place['thread']} AND ts <= {clock} AND ts + length > {clock}"
            tid = harness.query(words[4], f"SELECT tid FROM slices WHERE {koid} UNION ALL SELECT tid FROM waits WHERE {koid}")
            self.assertEqual(tid, [[int(part["thread"].split()[-1])]], part)
            ran += part["kind"] == "running"
        self.assertGreater(ran, 0)

    def test_a_flame_graph_colours_differences(self):
        for name in ("on.html", "off.html"):
            page = self.open(name)
            colours = page.evaluate("[...document.querySelectorAll('.frame')].map((one) => one.style.background)")
            self.assertTrue(any("--hotter" in colour or "--colder" in colour for colour in colours), colours)

    def test_a_comparison_of_captures_shows_the_stacks_of_both_sides(self):
        page = self.open("d.html")
        self.assertGreater(number_of(page, "#flame-here .frame"), 10)
        colours = page.evaluate("[...document.querySelectorAll('.frame')].map((one) => one.style.background)")
        self.assertTrue(any("--hotter" in colour or "--colder" in colour for colour in colours), colours)
        self.assertIn("→", page.evaluate("document.getElementById('line').textContent"))

    def test_pages_load_no_resources(self):
        for name in PAGES:
            with self.subTest(name):
                page = self.open(name)
                self.assertEqual(page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)"), [])

    def test_pages_fit_the_width_of_a_phone(self):
        for name in PAGES:
            with self.subTest(name):
                page = self.open(name, size=PHONE)
                self.open_all(page)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE[0])
                self.assertEqual(page.evaluate("innerWidth"), PHONE[0])

    def test_light_and_dark(self):
        folder = os.path.join(BUILD, "viewer")
        os.makedirs(folder, exist_ok=True)
        names = {"r": "report", "d": "diff", "f": "flame", "p": "path"}
        for name in names:
            papers = set()
            for scheme in ("light", "dark"):
                page = self.open(name + ".html", scheme=scheme)
                papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                self.picture(page, f"{names[name]}-{scheme}", DESK[0])
                self.picture(self.open(name + ".html", scheme=scheme, size=(800, 900)), f"{names[name]}-800-{scheme}", 800)
            self.assertEqual(len(papers), 2)
            # T chooses one.
            page = self.open(name + ".html")
            chosen = set()
            for _ in range(3):
                self.press(page, "t")
                chosen.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(chosen, papers)

    def picture(self, page, name, width):
        high = page.evaluate("document.documentElement.scrollHeight")
        shot = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": width, "height": min(high, 4000), "scale": 1})
        with open(os.path.join(BUILD, "viewer", f"{name}.png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    if not browser.find():
        harness.skip("no Chromium (make deps DEPS=viewer)")
    harness.skip_unless_recordable()
    harness.main()
