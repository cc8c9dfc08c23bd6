#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests of what scripts/vm_matrix decides by itself, without a guest."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))

from vm_matrix_lib import guest, kernels, modes, private_apt, report  # noqa: E402


class Mirrors(unittest.TestCase):
    def mirrors(self, **files):
        with tempfile.TemporaryDirectory() as etc:
            os.makedirs(os.path.join(etc, "sources.list.d"))
            for name, text in files.items():
                path = "sources.list" if name == "list" else "sources.list.d/" + name.replace("_", ".")
                with open(os.path.join(etc, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return private_apt.machine_mirrors(etc)

    def test_both_formats_are_read(self):
        found = self.mirrors(
            list="deb [signed-by=/k.gpg arch=amd64] http://one.invalid/debian bookworm main non-free # ours\n",
            a_sources="Types: deb deb-src\nURIs: http://two.invalid/sec\nSuites: trixie-security\n"
                      "Components: main\nSigned-By: /l.gpg\n")
        self.assertEqual(found, [("http://one.invalid/debian", "/k.gpg", False), ("http://two.invalid/sec", "/l.gpg", True)])

    def test_others_repositories_are_left_alone(self):
        self.assertEqual(self.mirrors(
            list="deb http://vendor.invalid tool-bookworm main\n# deb http://off.invalid bookworm main\n"
                 "deb-src http://source.invalid bookworm main\ndeb http://no-main.invalid bookworm contrib\n",
            b_sources="Enabled: no\nTypes: deb\nURIs: http://off.invalid\nSuites: sid\nComponents: main\n"), [])


class Series(unittest.TestCase):
    def test_a_series_is_not_the_beginning_of_another(self):
        self.assertTrue(kernels.belongs_to("6.1", "6.1.192-2"))
        self.assertFalse(kernels.belongs_to("6.1", "6.12.117-1"))
        self.assertTrue(kernels.belongs_to("6", "6.19.14-1~bpo13+1"))
        self.assertFalse(kernels.belongs_to("6", "5.6.0-1"))

    def test_release_candidates_only_by_their_own_series(self):
        self.assertFalse(kernels.belongs_to("7", "7.3~rc7-1~exp1"))
        self.assertTrue(kernels.belongs_to("7.3", "7.3~rc7-1~exp1"))

    def test_versions_sort_by_number(self):
        versions = ["6.9.2-1", "6.12.9-1", "6.12.117-1", "6.12.117-2", "7.3~rc7-1", "7.3.0-1"]
        self.assertEqual(sorted(reversed(versions), key=kernels.upstream_key), versions)


class Plan(unittest.TestCase):
    def test_every_mode_is_booted_exactly_once_and_exists_in_the_guest(self):
        booted = [mode for boot in modes.boots(list(modes.MODES)) for mode in boot.modes]
        self.assertEqual(sorted(booted), sorted(modes.MODES))
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest/modes.sh")
        with open(script, encoding="utf-8") as file:
            text = file.read()
        for mode in modes.MODES:
            self.assertIn(f"\nmode_{mode}() {{\n", text)


class Table(unittest.TestCase):
    def test_one_failure_spoils_a_cell_and_nothing_else(self):
        kernel = type("Kernel", (), {"series": "6.1", "release": "6.1.0", "version": "6.1.192-2"})
        mode = next(iter(modes.MODES))
        results = report.Report()
        results.add(kernel, [guest.Result(mode, "category:sched", "pass"), guest.Result(mode, "category:irq", "fail"),
                             guest.Result(mode, "category:lbr", "skip")])
        text = results.markdown()
        self.assertIn("| kernel | sched | irq | lbr |", text)
        self.assertIn("| 6.1.192 | yes | **no** | — |", text)
        self.assertEqual(len(results.failures()), 1)

    def test_a_run_of_some_series_keeps_the_results_of_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            for series, status in (("7", "fail"), ("6.1", "pass"), ("7", "pass")):
                results = report.Report()
                kernel = type("Kernel", (), {"series": series, "release": series, "version": series})
                results.add(kernel, [guest.Result("truth", "x", status)])
                results.save(path, kernels.ALL_SERIES)
            saved = report.Report.load(path)
            self.assertEqual([kernel["series"] for kernel in saved.kernels], ["6.1", "7"])
            self.assertEqual(saved.failures(), [])

    def test_the_readme_gets_the_table_and_nothing_else_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "README.md")
            begin, end = report.MARKERS
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"before\n{begin}\nold\n{end}\nafter\n")
            for text in ("| new |\n", "| newer |"):
                report.put_between_markers(path, text)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), f"before\n{begin}\n| newer |\n{end}\nafter\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write("no markers")
            with self.assertRaises(ValueError):
                report.put_between_markers(path, "text")


if __name__ == "__main__":
    unittest.main()
