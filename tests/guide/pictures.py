# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of the pages that the guide makes."""

import base64
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/viewer"))

import browser  # noqa: E402  pylint: disable=wrong-import-position

# Page, and how much of its top is shown.
PAGES = {"diff": (1000, 760), "report": (1000, 640), "flame": (1000, 720)}
# Of the flame graph: what serves a client, searched for what it waits in.
ZOOM = """(() => {
  const frame = [...document.querySelectorAll('.frame')].find((one) => one.textContent.includes('PostgresMain'));
  if (frame) frame.click();
  const search = document.getElementById('search');
  search.value = 'fdatasync|XLogFlush';
  search.dispatchEvent(new Event('input'));
  window.scrollTo(0, document.body.scrollHeight);
})()"""


def take(folder, images):
    """guide-NAME.png in `images`, of NAME.html in `folder`; and of strip.svg."""
    with browser.Browser(browser.find()) as page:
        for name, (width, height) in PAGES.items():
            page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
            page.open(f"file://{folder}/{name}.html")
            page.evaluate("new Promise((done) => setTimeout(done, 800))")
            if name == "flame":
                page.evaluate(ZOOM)
                page.evaluate("new Promise((done) => setTimeout(done, 800))")
            shot = page.call("Page.captureScreenshot", format="png")
            with open(os.path.join(images, f"guide-{name}.png"), "wb") as file:
                file.write(base64.b64decode(shot["data"]))
    subprocess.run(["rsvg-convert", "--width", "1000", os.path.join(folder, "strip.svg"), "-o",
                    os.path.join(images, "guide-strip.png")], check=True)
