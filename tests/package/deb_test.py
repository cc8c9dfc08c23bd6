#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Installs the Debian packages in a fresh Debian 12, uses what is in them, and takes them away again.

Needs root, mmdebstrap, and the mirror that this machine's apt has."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = os.path.join(ROOT, "build/deb")
NAMES = ("fxt-record", "libfxt-dev", "libfxt-provider", "fxt-sqlite")
SUITE = "bookworm"

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from vm_matrix_lib import private_apt  # noqa: E402  pylint: disable=wrong-import-position


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def mirrors():
    """What apt reads of the machine's mirrors, for that release."""
    lines = []
    for uri, signed_by, is_security in private_apt.machine_mirrors():
        suite = f"{SUITE}-security" if is_security else SUITE
        lines.append(f"deb {f'[signed-by={signed_by}] ' if signed_by else ''}{uri} {suite} main")
    return "\n".join(lines) + "\n"


class Lintian(unittest.TestCase):
    @unittest.skipUnless(shutil.which("lintian"), "no lintian (make deps DEPS=package)")
    def test_clean(self):
        packages = glob.glob(os.path.join(PACKAGES, "*.deb"))
        self.assertEqual(len(packages), len(NAMES))
        words = ["--allow-root"] if os.geteuid() == 0 else []
        done = subprocess.run(["lintian", *words, "--fail-on", "error,warning", *packages], capture_output=True, text=True,
                              check=False, timeout=1200)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.root = os.path.join(folder.name, "root")
        # All that they need, so that nothing has to be fetched from within.
        needed = {"sqlite3"}
        for path in glob.glob(os.path.join(PACKAGES, "*.deb")):
            needed.update(re.findall(r"([a-z0-9.+-]+)(?: \([^)]*\))?(?:, |$)", run("dpkg-deb", "-f", path, "Depends").strip()))
        run("mmdebstrap", "--mode=root", "--variant=apt", f"--include={','.join(sorted(needed))}", SUITE, cls.root, "-",
            input=mirrors())
        for name in ("proc", "sys", "dev"):
            run("mount", "--rbind", f"/{name}", os.path.join(cls.root, name))
            run("mount", "--make-rslave", os.path.join(cls.root, name))
            cls.addClassCleanup(run, "umount", "--recursive", os.path.join(cls.root, name))
        os.makedirs(os.path.join(cls.root, "packages"))
        for path in glob.glob(os.path.join(PACKAGES, "*.deb")):
            shutil.copy(path, os.path.join(cls.root, "packages"))

    def inside(self, *command, **more):
        return run("chroot", self.root, "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive",
                   "LC_ALL=C.UTF-8", "SYSTEMD_OFFLINE=1", *command, **more)

    def files(self):
        """All but what any installation leaves: logs, lists and caches."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inner = "/" + os.path.relpath(folder, self.root)
            folders[:] = [name for name in folders if os.path.join(inner, name).lstrip("/.") not in
                          ("proc", "sys", "dev", "packages", "tmp", "run", "var/cache", "var/log", "var/lib/apt",
                           "var/lib/dpkg", "var/lib/systemd")]
            found.update(os.path.join(inner, name) for name in names)
        return found

    def test_installed_used_and_removed(self):
        before = self.files()
        self.inside("sh", "-c", "apt-get -q -y --no-install-recommends install /packages/*.deb")
        self.assertEqual(before - self.files(), set())
        self.check_programs()
        self.check_service()
        self.check_library()
        self.check_provider()
        self.inside("apt-get", "-q", "-y", "purge", *NAMES)
        self.assertEqual(self.files() ^ before, set())

    def check_programs(self):
        with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
            version = file.read().strip()
        for program in ("fxt", "fxt-record"):
            self.assertIn(version, self.inside(program, "--version"))
        self.inside("fxt-record", "-q", "-d", "500ms", "-o", "/tmp/trace.fxt")
        self.inside("fxt", "check", "/tmp/trace.fxt")
        self.inside("fxt", "draw", "/tmp/trace.fxt", "-o", "/tmp/strip.svg")
        counted = self.inside("fxt", "query", "--csv", "/tmp/trace.fxt", "SELECT count(*) AS n FROM slices").split()[1]
        self.assertGreater(int(counted), 0)
        answer = self.inside("sqlite3", ":memory:", ".load fxt_sqlite",
                             "CREATE VIRTUAL TABLE t USING fxt('/tmp/trace.fxt', slices)", "SELECT count(*) FROM t")
        self.assertEqual(answer.strip(), counted)

    def check_service(self):
        for name in ("lib/systemd/system/fxt-record.service", "lib/systemd/system/fxt-record.socket",
                     "etc/fxt-record.conf", "usr/share/bash-completion/completions/fxt",
                     "usr/share/zsh/vendor-completions/_fxt", "usr/share/fish/vendor_completions.d/fxt.fish"):
            self.assertTrue(os.path.exists(os.path.join(self.root, name)), name)
        # Nothing records because a package was installed.
        wanted = glob.glob(os.path.join(self.root, "etc/systemd/system/*.wants/fxt-record*"))
        self.assertEqual(wanted, [])

    def check_library(self):
        """A program made with the package's files, by this machine's compiler."""
        if not shutil.which("pkg-config") or not shutil.which("g++"):
            return
        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=self.root,
                           PKG_CONFIG_LIBDIR=glob.glob(os.path.join(self.root, "usr/lib/*/pkgconfig"))[0])
        flags = run("pkg-config", "--cflags", "--libs", "fxt", env=environment).split()
        program = os.path.join(self.root, "tmp/program")
        run("g++", "-std=c++20", "-static", os.path.join(ROOT, "tests/project/library/main.cc"), "-o", program, *flags)
        self.inside("/tmp/program", "/tmp/written.fxt")
        self.inside("fxt", "check", "/tmp/written.fxt")

    def check_provider(self):
        """A program linked with the package's library runs where it is installed; so does the module of Python."""
        if not shutil.which("pkg-config") or not shutil.which("gcc"):
            return
        environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=self.root,
                           PKG_CONFIG_LIBDIR=glob.glob(os.path.join(self.root, "usr/lib/*/pkgconfig"))[0])
        flags = run("pkg-config", "--cflags", "--libs", "fxt-provider", env=environment).split()
        program = os.path.join(self.root, "tmp/provider")
        run("gcc", "-std=c11", os.path.join(ROOT, "tests/project/provider/main.c"), "-o", program, *flags)
        self.assertEqual(self.inside("/tmp/provider"), "somebody's program\n")
        trace = "/tmp/provider.fxt"
        # It says by its exit status that it is recorded.
        self.inside("fxt-record", "-q", "--providers", "-o", trace, "--", "sh", "-c", "! /tmp/provider")
        self.inside("fxt", "check", trace)
        self.assertIn("somebody", self.inside("fxt", "dump", trace))
        self.assertIn("libfxt-provider.so.0", self.inside("/sbin/ldconfig", "-p"))
        self.assertTrue(os.path.exists(os.path.join(self.root, "usr/lib/python3/dist-packages/fxt_provider.py")))


if __name__ == "__main__":
    if "--packages" in sys.argv:
        at = sys.argv.index("--packages")
        PACKAGES = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        print("SKIPPED: needs root and mmdebstrap (make deps DEPS=package)")
        sys.exit(0)
    unittest.main(verbosity=2)
