#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares --help, manual page and completions of each program."""

import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, ROOT, read  # noqa: E402


LONG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SHORT = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])")


def run(*command):
    # The completions run the programs.
    return harness.run(*command, env={**os.environ, "PATH": BUILD + ":" + os.environ["PATH"]})


def bash_answers(program, *words):
    """Returns the completions of bash for the last word."""
    script = f"cd /; source {ROOT}/completions/{program}.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); " \
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
        # Each option has an indented line that begins with its names.
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

    def test_categories_are_the_same(self):
        self.assertIn("sched", self.categories)
        page = read("docs/man/fxt-record.1")
        section = re.search(r"^\.SH CATEGORIES\n(.*?)^\.SH ", page, re.MULTILINE | re.DOTALL)[1]
        named = {re.match(r"\.\w+ (\w+)", tag)[1] for tag in re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE)}
        self.assertEqual(named | {"all", "default"}, self.categories)
        self.assertEqual(set(bash_answers("fxt-record", "-c", "")), self.categories)

    def test_categories_are_listed_for_programs(self):
        done = run(self.program, "--list-categories=names")
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        self.assertEqual({name for name, _ in lines} | {"all", "default"}, self.categories)
        for _, description in lines:
            self.assertRegex(description, r"\w+ \w+")
        refused = run(self.program, "--list-categories=nonsense")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("nonsense", refused.stderr)

    def test_prices_are_those_of_the_document(self):
        lines = [line.split("\t") for line in run(self.program, "--list-categories=prices").stdout.splitlines()]
        self.assertLessEqual(self.categories - {"all", "default"}, {line[0] for line in lines})
        table = re.search(r"^<!-- made by scripts/bench_prices.*?-->\n(.*?)^<!-- end", read("docs/performance.md"),
                          re.MULTILINE | re.DOTALL)[1]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
        # The columns are name, event, four times and four sizes.
        documented = [[row[0].strip("`"), *(re.sub(r",| \(.*", "", row[at]).replace("—", "-") for at in (2, 6)), row[1]]
                      for row in rows]
        self.assertEqual(lines, documented)

    def test_branch_filters_are_the_same(self):
        refused = run(self.program, "--lbr-filter", "no-such-branch")
        known = set(re.findall(r"[a-z_]+", refused.stderr.split("known are:")[1]))
        self.assertIn("call_stack", known)
        self.assertEqual(set(bash_answers("fxt-record", "--lbr-filter", "")), known)
        self.assertEqual(bash_answers("fxt-record", "--lbr-filter", "user,ca"), ["user,call", "user,call_stack"])
        page = read("docs/man/fxt-record.1").replace("\\-", "-")
        entry = re.search(r"^\.BR --lbr-filter.*?^\.TP", page, re.MULTILINE | re.DOTALL)[0]
        self.assertEqual(known - set(re.findall(r"[a-z_]+", entry)), set())

    def test_manual_repeats_the_examples(self):
        page = read("docs/man/fxt-record.1").replace("\\-", "-")
        examples = re.findall(r"^  (sudo fxt-record.*?)(?:   .*)?$", self.help_text, re.MULTILINE)
        self.assertGreaterEqual(len(examples), 4)
        for example in examples:
            self.assertIn(f".B {example.split('  ')[0].strip()}\n", page)


class Commands(unittest.TestCase):
    """fxt, which has subcommands with options of their own."""

    @classmethod
    def setUpClass(cls):
        cls.program = os.path.join(BUILD, "fxt")
        cls.help_text = run(cls.program, "--help").stdout
        listed = re.search(r"^Subcommands:\n(.*?)^$", cls.help_text, re.MULTILINE | re.DOTALL)[1]
        cls.commands = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
        cls.help = {command: run(cls.program, command, "--help").stdout for command in cls.commands}
        cls.options = {command: cls.options_of(text) for command, text in cls.help.items()}
        page = read("docs/man/fxt.1").replace("\\-", "-").replace(r"\fR", "").replace(r"\fI", "")
        cls.page = page
        cls.sections = dict(re.findall(r"^\.S[HS] (.*)\n((?:(?!\.S[HS] ).*\n)*)", page, re.MULTILINE))

    @staticmethod
    def options_of(text):
        lines = re.search(r"^Options:\n(.*?)^$", text, re.MULTILINE | re.DOTALL)[1]
        return {option for names in re.findall(r"^  (-[^ ]*)", lines, re.MULTILINE) for option in names.split(",")}

    def tags(self, section):
        tags = "\n".join(re.findall(r"^\.TP\n(.*)$", self.sections[section], re.MULTILINE))
        return set(LONG.findall(tags)) | set(SHORT.findall(tags))

    def test_commands_are_found(self):
        self.assertGreaterEqual(len(self.commands), 8)
        for command in self.commands:
            self.assertIn("--help", self.options[command])

    def test_manual_has_the_same_commands(self):
        page = read("docs/man/fxt.1")
        self.assertEqual(re.findall(r"^\.SS (.*)$", page, re.MULTILINE), self.commands)
        self.assertEqual(re.findall(r"^\.B fxt (\w+)$", self.sections["SYNOPSIS"], re.MULTILINE), self.commands)

    def test_manual_has_the_same_options(self):
        self.assertEqual(self.tags("OPTIONS"), self.options_of(self.help_text))
        for command in self.commands:
            with self.subTest(command):
                documented = self.tags(command) | {"-h", "--help"}
                if "FILTERS" in self.sections[command]:
                    documented |= self.tags("FILTERS")
                self.assertEqual(documented, self.options[command])

    def test_manual_and_help_agree_on_defaults(self):
        for command, text in self.help.items():
            for option, value in re.findall(r"^  (--[a-z-]+) N=(\d+)", text, re.MULTILINE):
                entry = re.search(rf"^\.BR {option} .*\n((?:[^.].*\n)*)", self.sections[command], re.MULTILINE)[1]
                self.assertRegex(entry, rf"\b{value}\b", f"{command} {option}")

    def test_manual_has_the_same_reports_and_exit_statuses(self):
        reports = run(self.program, "lbr", "--report", "no-such", "-").stderr.split("reports: ")[1]
        entry = re.search(r"^\.BR --report.*?^\.TP", self.sections["lbr"], re.MULTILINE | re.DOTALL)[0]
        for report in re.findall(r"[a-z]+", reports):
            self.assertIn(report, entry)
            self.assertIn(report, bash_answers("fxt", "lbr", "--report", ""))
        self.assertEqual(re.findall(r"^\.B (\d)$", self.sections["EXIT STATUS"], re.MULTILINE), ["0", "1", "2", "3"])

    def test_manual_has_examples_that_help_has(self):
        examples = re.findall(r"^\.B ((?:fxt|ssh) .*)$", self.sections["EXAMPLES"], re.MULTILINE)
        self.assertGreaterEqual(len(examples), 8)
        known = self.help_text + "".join(self.help.values())
        for example in examples:
            self.assertIn(f"  {example}", known)

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(set(bash_answers("fxt", "")), set(self.commands) | self.options_of(self.help_text))
        self.assertEqual(bash_answers("fxt", "ch"), ["check"])
        for command in self.commands:
            with self.subTest(command):
                self.assertEqual(set(bash_answers("fxt", command, "-")), self.options[command])

    def test_bash_completes_values(self):
        refused = run(self.program, "dump", "--type", "no-such-kind", "-").stderr
        kinds = set(re.findall(r"[a-z-]+", refused.split("kinds: ")[1]))
        self.assertIn("wakeup", kinds)
        self.assertEqual(set(bash_answers("fxt", "dump", "--type", "")), kinds)
        self.assertEqual(bash_answers("fxt", "dump", "--type", "log,wake"), ["log,wakeup"])
        self.assertEqual(bash_answers("fxt", "dump", "--type", "=", "wake"), ["wakeup"])
        self.assertIn(os.path.join(ROOT, "README.md"), bash_answers("fxt", "info", os.path.join(ROOT, "READ")))

class Sessions(unittest.TestCase):
    """The subcommands of fxt-record, which have a manual page of their own."""

    @classmethod
    def setUpClass(cls):
        cls.program = os.path.join(BUILD, "fxt-record")
        page = read("docs/man/fxt-record-control.1").replace("\\-", "-").replace(r"\fR", "").replace(r"\fI", "")
        cls.page = page
        cls.sections = dict(re.findall(r"^\.S[HS] (.*)\n((?:(?!\.S[HS] ).*\n)*)", page, re.MULTILINE))
        cls.commands = re.findall(r"^\.SS (.*)$", page, re.MULTILINE)
        cls.help = {command: run(cls.program, command, "--help").stdout for command in cls.commands}

    def test_every_command_is_documented(self):
        refused = run(self.program, "status", "--no-such-option")
        self.assertEqual(refused.returncode, 2)
        known = set(re.findall(r'\{"([a-z]+)", Add', read("userspace/tools/record/commands/commands.cc"),
                               re.MULTILINE))
        self.assertEqual(set(self.commands), known)
        synopsis = re.findall(r"^\.B fxt-record (\w+)$", self.sections["SYNOPSIS"], re.MULTILINE)
        self.assertEqual(synopsis, self.commands)
        self.assertLessEqual(known, set(bash_answers("fxt-record", "")))

    def test_manual_and_completions_have_the_same_options(self):
        for command in self.commands:
            with self.subTest(command):
                options = Commands.options_of(self.help[command])
                tags = "\n".join(re.findall(r"^\.TP\n(.*)$", self.sections[command], re.MULTILINE))
                self.assertEqual(set(LONG.findall(tags)) | set(SHORT.findall(tags)), options)
                self.assertEqual(set(bash_answers("fxt-record", command, "-")), options)

    def test_manual_has_examples_that_help_has(self):
        examples = re.findall(r"^\.B (sudo fxt-record .*)$", self.sections["EXAMPLES"], re.MULTILINE)
        self.assertGreaterEqual(len(examples), 4)
        # The help of all subcommands.
        everything = "".join(self.help.values()) + read("userspace/tools/record/commands/commands.cc")
        for example in examples:
            self.assertIn(f"  {example}", everything)


class Completions(unittest.TestCase):
    """Completions are generated from --help; `make completions` updates them."""

    FILES = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}

    def test_completions_are_those_of_help(self):
        for program in ("fxt", "fxt-record"):
            for shell, name in self.FILES.items():
                done = run(os.path.join(ROOT, "scripts/completions"), shell, os.path.join(BUILD, program))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(read("completions", name.format(program)), done.stdout, f"{shell}, {program}")

    def test_shells_can_read_them(self):
        for shell, name in self.FILES.items():
            if shutil.which(shell):
                for program in ("fxt", "fxt-record"):
                    done = run(shell, "-n", os.path.join(ROOT, "completions", name.format(program)))
                    self.assertEqual((done.returncode, done.stderr), (0, ""), f"{shell}, {program}")

    @unittest.skipUnless(shutil.which("fish"), "no fish to read its completions with")
    def test_fish_completes(self):
        def answers(program, line):
            done = run("fish", "--no-config", "-c", f"cd /; source {ROOT}/completions/{program}.fish; complete -C '{line}'")
            self.assertEqual(done.stderr, "")
            return {answer.split("\t")[0] for answer in done.stdout.splitlines()}

        self.assertLessEqual({"info", "open", "draw"}, answers("fxt", "fxt "))
        self.assertIn("--timeout", answers("fxt", "fxt open --t"))
        self.assertNotIn("--timeout", answers("fxt", "fxt info --t"))
        self.assertEqual(answers("fxt", "fxt open --viewer "), {"perfetto", "speedscope"})
        self.assertIn("--duration", answers("fxt-record", "fxt-record --dur"))
        self.assertIn("--last", answers("fxt-record", "fxt-record snapshot --la"))


class Security(unittest.TestCase):
    """Each line of the threat model has a test."""

    def test_named_tests_exist(self):
        page = read(os.path.join(ROOT, "docs/security.md"))
        sources = {"cc": "", "py": ""}
        for folder, _, names in os.walk(os.path.join(ROOT, "tests")):
            for name in names:
                if name.endswith((".cc", ".py")):
                    sources[name.rsplit(".", 1)[1]] += read(os.path.join(folder, name))
        unit = re.findall(r"`([A-Z]\w+Test)\.(\w+|\*)`", page)
        self.assertTrue(unit)
        for suite, name in unit:
            wanted = r"\w+" if name == "*" else name
            self.assertRegex(sources["cc"], rf"TEST\w*\(\s*{suite},\s*{wanted}\)")
        scripts = re.findall(r"`(?:\w+\.)?(test_\w+)`", page)
        self.assertTrue(scripts)
        for name in scripts:
            self.assertIn(f"def {name}(", sources["py"])


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
    harness.main()
