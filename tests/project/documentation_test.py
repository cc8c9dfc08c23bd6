#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds each program's --help, manual page and completions against each other."""

import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")

LONG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SHORT = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def bash_answers(program, *words):
    """What bash offers for the last of the words, as if they had been typed."""
    script = f"source {ROOT}/completions/{program}.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); " \
             f"$(complete -p {program} | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = run("bash", "--norc", "-c", script, "bash", program, *words)
    if done.stderr:
        raise AssertionError(done.stderr)
    return done.stdout.split()


class Recorder(unittest.TestCase):
    """fxt-record, which has options and no subcommands."""

    @classmethod
    def setUpClass(cls):
        cls.program = os.path.join(BUILD, "fxt-record")
        done = run(cls.program, "--help")
        if done.returncode != 0:
            raise AssertionError(f"--help: {done.returncode}: {done.stderr}")
        cls.help_text = done.stdout
        # One line an option, indented, the names first.
        names = re.findall(r"^ +(-[^ ]*)", cls.help_text, re.MULTILINE)
        cls.options = {option for text in names for option in text.split(",")}
        refused = run(cls.program, "-c", "no-such-category")
        cls.categories = set(re.findall(r"[a-z]+", refused.stderr.split("the categories are:")[1].replace("also", "")))

    def test_help_lists_options(self):
        self.assertIn("--output", self.options)
        self.assertGreaterEqual(len(self.options), 20)

    def test_manual_has_the_same_options(self):
        page = read("docs/man/fxt-record.1").replace("\\-", "-")
        section = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", page, re.MULTILINE | re.DOTALL)[1]
        tags = "\n".join(re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE))
        self.assertEqual(set(LONG.findall(tags)) | set(SHORT.findall(tags)), self.options)

    def test_bash_completes_the_same_options(self):
        self.assertEqual(set(bash_answers("fxt-record", "-")), self.options)

    def test_bash_completes_behind_options(self):
        self.assertEqual(bash_answers("fxt-record", "-d", "2s", "--out"), ["--output"])
        self.assertEqual(bash_answers("fxt-record", "-c", "sched,so"), ["sched,softirq"])
        self.assertEqual(bash_answers("fxt-record", "--categories", "=", "so"), ["softirq"])
        self.assertIn("true", bash_answers("fxt-record", "-q", "--", "tru"))

    def test_zsh_completes_the_same_options(self):
        lines = read("completions/_fxt-record").split("_arguments -s -S")[1].splitlines()
        text = "\n".join(line.split("[")[0] for line in lines if "[" in line)
        self.assertEqual(set(LONG.findall(text)) | set(SHORT.findall(text)), self.options)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh to check the syntax of its completions with")
    def test_zsh_can_read_its_completions(self):
        checked = run("zsh", "-n", os.path.join(ROOT, "completions/_fxt-record"))
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_categories_are_the_same(self):
        self.assertIn("sched", self.categories)
        page = read("docs/man/fxt-record.1")
        section = re.search(r"^\.SH CATEGORIES\n(.*?)^\.SH ", page, re.MULTILINE | re.DOTALL)[1]
        named = {re.match(r"\.\w+ (\w+)", tag)[1] for tag in re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE)}
        self.assertEqual(named | {"all", "default"}, self.categories)
        self.assertEqual(set(bash_answers("fxt-record", "-c", "")), self.categories)
        zsh = re.search(r"categories=\((.*?)\n  \)", read("completions/_fxt-record"), re.DOTALL)[1]
        self.assertEqual(set(re.findall(r"'([a-z]+):", zsh)), self.categories)

    def test_branch_filters_are_the_same(self):
        refused = run(self.program, "--lbr-filter", "no-such-branch")
        known = set(re.findall(r"[a-z_]+", refused.stderr.split("known are:")[1]))
        self.assertIn("call_stack", known)
        self.assertEqual(set(bash_answers("fxt-record", "--lbr-filter", "")), known)
        self.assertEqual(bash_answers("fxt-record", "--lbr-filter", "user,ca"), ["user,call", "user,call_stack"])
        zsh = re.search(r"_fxt_record_branches\(\) \{\n.*?compadd -S ''(.*?)\n\}", read("completions/_fxt-record"),
                        re.DOTALL)[1]
        self.assertEqual(set(re.findall(r"[a-z_]+", zsh)), known)
        page = read("docs/man/fxt-record.1").replace("\\-", "-")
        entry = re.search(r"^\.BR --lbr-filter.*?^\.TP", page, re.MULTILINE | re.DOTALL)[0]
        self.assertEqual(known - set(re.findall(r"[a-z_]+", entry)), set())

    def test_manual_repeats_the_examples(self):
        page = read("docs/man/fxt-record.1").replace("\\-", "-")
        examples = re.findall(r"^  (sudo fxt-record.*?)(?:   .*)?$", self.help_text, re.MULTILINE)
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            self.assertIn(f".B {example.split('  ')[0].strip()}\n", page)


class Pages(unittest.TestCase):
    def test_pages_have_no_errors(self):
        tool = next((tool for tool in ("mandoc", "groff") if shutil.which(tool)), None)
        if not tool:
            self.skipTest("no mandoc or groff to check manual pages with")
        for name in sorted(os.listdir(os.path.join(ROOT, "docs/man"))):
            page = os.path.join(ROOT, "docs/man", name)
            command = ["mandoc", "-T", "lint", "-W", "error", page] if tool == "mandoc" else \
                      ["groff", "-man", "-Tutf8", "-ww", "-z", page]
            done = run(*command)
            self.assertEqual(done.stdout + done.stderr, "", name)


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
