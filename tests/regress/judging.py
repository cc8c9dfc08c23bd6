# SPDX-License-Identifier: BSD-2-Clause
"""What `fxt diff --json` says of a pair of sides, held against what was planted."""

import dataclasses
import json
import re
import subprocess

BAD = ("worse", "new")


class DiffFailed(Exception):
    """`fxt diff` did not compare."""


def diff(fxt, base, new, options=()):
    """The JSON of `fxt diff`; base and new are lists of files or folders."""
    command = [fxt, "diff", "--json", *options, "--base", *base, "--new", *new]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DiffFailed(f"{fxt} cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.splitlines() or ["no message"]
        raise DiffFailed(f"status {done.returncode}: {lines[0]}")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise DiffFailed(f"no JSON: {error}") from error


def group_name(finding):
    """PROCESS/THREAD; empty for what is of no group (elapsed, machine)."""
    group = finding.get("group") or {}
    return f"{group['process']}/{group['thread']}" if group else ""


def describe(finding):
    ratio = finding.get("ratio")
    times = f" x{ratio:.2f}" if isinstance(ratio, (int, float)) else ""
    return f"{finding['verdict']} {group_name(finding) or 'the command'} {finding['metric']}{times}"


def matches(finding, expected):
    return finding["verdict"] in expected["verdicts"] and any(
        re.search(group, group_name(finding)) and finding["metric"] in metrics
        for group, metrics in expected["causes"].items())


@dataclasses.dataclass
class Judgement:
    good: bool
    rank: int | None    # of the first finding that names the cause or its victim
    first: str          # the finding at rank 1, in words
    why: str = ""       # what is wrong
    others: tuple = ()  # findings behind the first, in words


def judge(result, expected, unconfirmed=False):
    """Whether the cause stands at rank 1. With two captures a side nothing is confirmed: `unconfirmed` looks there.

    Elapsed time belongs to no group and names no cause: it is passed over.
    """
    listed = result["unconfirmed" if unconfirmed else "findings"]
    findings = sorted((f for f in listed if group_name(f)), key=lambda f: f["rank"])
    judgement = Judgement(False, None, describe(findings[0]) if findings else "nothing",
                          others=tuple(describe(finding) for finding in findings[1:5]))
    if expected.get("nothing"):
        judgement.good = not findings
        judgement.why = "" if judgement.good else "nothing changed, yet there is a finding"
        return judgement
    judgement.rank = next((i for i, finding in enumerate(findings, 1) if matches(finding, expected)), None)
    worse = [finding for finding in findings if finding["verdict"] in BAD]
    if judgement.rank is None:
        judgement.why = "the cause is not found"
    elif judgement.rank != 1:
        judgement.why = "something else stands above the cause"
    elif expected.get("nothing_worse") and worse:
        judgement.why = f"nothing got worse, yet: {describe(worse[0])}"
    else:
        judgement.good = True
    return judgement
