# SPDX-License-Identifier: BSD-2-Clause
"""Results of the matrix as text, as a file, and as the tables of docs/kernels.md."""

import json

from .modes import MODES

SYMBOL = {"pass": "yes", "skip": "—", "fail": "**no**"}
CATEGORY = "category:"
MARKERS = ("<!-- made by scripts/vm_matrix --readme -->", "<!-- end of what scripts/vm_matrix made -->")


class Report:
    """The results of all kernels in order of their runs."""

    def __init__(self):
        self.kernels = []  # dictionaries: series, release, version, results

    def add(self, kernel, results):
        self.kernels.append({"series": kernel.series, "release": kernel.release, "version": kernel.version,
                             "results": [result.as_dict() for result in results]})

    def failures(self):
        return [(kernel, result) for kernel in self.kernels for result in kernel["results"]
                if result["status"] == "fail"]

    def save(self, path, order=()):
        """Writes the results. The file keeps the results of other series; `order` is the order of the series."""
        try:
            others = Report.load(path).kernels
        except (OSError, ValueError):
            others = []
        mine = {kernel["series"] for kernel in self.kernels}
        kernels = self.kernels + [kernel for kernel in others if kernel["series"] not in mine]
        kernels.sort(key=lambda kernel: order.index(kernel["series"]) if kernel["series"] in order else len(order))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kernels, file, indent=1)
            file.write("\n")

    @classmethod
    def load(cls, path):
        report = cls()
        with open(path, encoding="utf-8") as file:
            report.kernels = json.load(file)
        return report

    def markdown(self):
        """Returns two tables: kernels by categories, and kernels by modes."""
        categories = []
        for kernel in self.kernels:
            for result in kernel["results"]:
                name = result["check"].removeprefix(CATEGORY)
                if result["check"].startswith(CATEGORY) and name not in categories:
                    categories.append(name)
        modes = [mode for mode in MODES if any(result["mode"] == mode for kernel in self.kernels
                                               for result in kernel["results"])]
        lines = []
        if categories:
            lines += self._table(categories, lambda result, name: result["check"] == CATEGORY + name)
            lines += ["", *self._reasons(categories), ""]
        # The table above has the categories.
        modes = [mode for mode in modes if mode != "categories"]
        lines += self._table(modes, lambda result, mode: result["mode"] == mode)
        lines += [""] + [f"- `{mode}`: {MODES[mode]}" for mode in modes]
        return "\n".join(lines)

    def _reasons(self, categories):
        """Returns the reasons of missing results from the recorder, with the kernels of each."""
        reasons = {}
        for name in categories:
            for kernel in self.kernels:
                for result in kernel["results"]:
                    if result["check"] == CATEGORY + name and result["status"] == "skip" and result["detail"]:
                        reasons.setdefault((name, result["detail"]), []).append(kernel["version"].partition("-")[0])
        return [f"- no `{name}` on {', '.join(where)}: {why}" for (name, why), where in reasons.items()]

    def _table(self, columns, belongs):
        lines = ["| kernel | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for kernel in self.kernels:
            cells = []
            for column in columns:
                states = {result["status"] for result in kernel["results"] if belongs(result, column)}
                worst = next((state for state in ("fail", "pass", "skip") if state in states), "skip")
                cells.append(SYMBOL[worst])
            lines.append(f"| {kernel['version'].partition('-')[0]} | " + " | ".join(cells) + " |")
        return lines


def put_between_markers(path, text):
    """Replaces the text between the two lines of MARKERS. Raises ValueError without them."""
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    begin, end = (whole.find(marker + "\n") for marker in MARKERS)
    if begin < 0 or end < begin:
        raise ValueError(f"{path} has no lines {MARKERS[0]} and {MARKERS[1]}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(whole[:begin] + MARKERS[0] + "\n" + text.rstrip("\n") + "\n" + whole[end:])
