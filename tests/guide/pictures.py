# SPDX-License-Identifier: BSD-2-Clause
"""Takes pictures of the pages in the guide."""

import base64
import os
import subprocess
import sys

from harness import ROOT

sys.path.insert(0, os.path.join(ROOT, "tests/viewer"))

import browser  # noqa: E402  pylint: disable=wrong-import-position

# The pages with the size of their pictures.
PAGES = {"diff": (1000, 760), "report": (1000, 640), "flame": (1000, 720)}
# Zooms to the process that serves a client and searches for its waits.
ZOOM = """(() => {
  const frame = [...document.querySelectorAll('.frame')].find((one) => one.textContent.includes('PostgresMain'));
  if (frame) frame.click();
  const search = document.getElementById('search');
  search.value = 'fdatasync|XLogFlush';
  search.dispatchEvent(new Event('input'));
  window.scrollTo(0, document.body.scrollHeight);
})()"""


def take(folder, images):
    """Writes guide-NAME.png to `images` for each NAME.html in `folder`, and for strip.svg."""
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
