# SPDX-License-Identifier: BSD-2-Clause
"""Packages of npm that tests show traces in. They are installed into the build folder."""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402


def install(package, file):
    """Returns the path of a file of the package, given as name@version. Skips if npm is missing or cannot install it."""
    folder = os.path.abspath(os.path.join(harness.BUILD, "viewer"))
    path = os.path.join(folder, "node_modules", package.rpartition("@")[0], file)
    if not os.path.exists(path):
        if not shutil.which("npm"):
            harness.skip(f"no npm to install {package} with")
        os.makedirs(folder, exist_ok=True)
        # Without a network npm would try for minutes.
        done = harness.run("npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--fetch-retries=1",
                           "--fetch-timeout=30000", package)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            harness.skip(f"npm cannot install {package}: {last}")
    return path
