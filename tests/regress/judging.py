# SPDX-License-Identifier: BSD-2-Clause
"""Compares the findings of `fxt diff --json` with a planted change."""

import dataclasses
import json
import re
import subprocess

BAD = ("worse", "new")


class DiffFailed(Exception):
    """`fxt diff` failed."""


def diff(fxt, base, new, options=()):
    """Returns the JSON of `fxt diff`. base and new are lists of files or folders."""
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
    """Returns PROCESS/THREAD, or an empty text for a finding without a group (elapsed, machine)."""
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


def is_because_of(rows, groups):
    """Whether the first of rows, which others of the machine slow down, names one of these groups first."""
    links = rows[0]["because"] if rows else []
    return bool(links) and any(re.search(group, group_name(links[0])) for group in groups)


@dataclasses.dataclass
class Judgement:
    good: bool
    rank: int | None    # of the first finding that names the cause or its direct victim
    first: str          # the finding at rank 1 as text
    why: str = ""       # the reason if it is not good
    others: tuple = ()  # the next findings as text


def judge(result, expected, unconfirmed=False):
    """Checks that the cause is at rank 1. Two captures per side confirm nothing: `unconfirmed` checks that list.

    Elapsed time has no group and names no cause, so it is skipped.
    """
    listed = result["unconfirmed" if unconfirmed else "findings"]
    findings = sorted((f for f in listed if group_name(f)), key=lambda f: f["rank"])
    judgement = Judgement(False, None, describe(findings[0]) if findings else "nothing",
                          others=tuple(describe(finding) for finding in findings[1:5]))
    if expected.get("nothing"):
        judgement.good = not findings
        judgement.why = "" if judgement.good else "there is a finding without a change"
        return judgement
    if "because_of_others" in expected:
        judgement.good = not findings and is_because_of(result["slower_because_of_others"], expected["because_of_others"])
        judgement.rank = 1 if judgement.good else None
        judgement.why = "" if judgement.good else "others that slow it down are not named first"
        return judgement
    if "conclusion" in expected:
        judgement.good = re.search(expected["conclusion"], result["conclusion"]) is not None
        judgement.rank = 1 if judgement.good else None
        judgement.why = "" if judgement.good else f"it says: {result['conclusion']}"
        return judgement
    judgement.rank = next((i for i, finding in enumerate(findings, 1) if matches(finding, expected)), None)
    worse = [finding for finding in findings if finding["verdict"] in BAD]
    if judgement.rank is None:
        judgement.why = "no finding names the cause"
    elif judgement.rank != 1:
        judgement.why = "another finding is above the cause"
    elif expected.get("nothing_worse") and worse:
        judgement.why = f"a finding is worse without a cause: {describe(worse[0])}"
    else:
        judgement.good = True
    return judgement
