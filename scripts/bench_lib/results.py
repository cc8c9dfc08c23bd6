# SPDX-License-Identifier: BSD-2-Clause
"""The runs of a benchmark as a file, and the figures computed from them."""

import json
import statistics

FORMAT = 1
UNTRACED = "untraced"


class Quartiles:
    def __init__(self, values):
        self.values = sorted(values)
        self.median = statistics.median(self.values)
        if len(self.values) > 1:
            self.low, _, self.high = statistics.quantiles(self.values, n=4, method="inclusive")
        else:
            self.low = self.high = self.median


def _ratio(a, b):
    return a / b if b else None


# Name -> (unit, function of a run, its round's untraced run and the workload's CPUs); None: does not apply.
# In the order of the table.
METRICS = {
    "time": ("ms", lambda run, bare, cpus: 1e3 * run["seconds"]),
    "slowdown": ("x", lambda run, bare, cpus: bare and _ratio(run["seconds"], bare["seconds"])),
    "added": ("ns/switch", lambda run, bare, cpus: bare and _ratio(
        1e9 * cpus * (run["seconds"] - bare["seconds"]), run["switches"])),
    "added CPU": ("ns/switch", lambda run, bare, cpus: bare and _ratio(
        1e9 * (run["cpu_seconds"] - bare["cpu_seconds"]), run["switches"])),
    "CPU": ("ms/M events", lambda run, bare, cpus: _ratio(
        1e9 * (run["recorder_cpu_seconds"] - run["start_cpu_seconds"]), run["events"])),
    "start CPU": ("ms", lambda run, bare, cpus: 1e3 * run["start_cpu_seconds"]),
    "size": ("B/switch", lambda run, bare, cpus: _size(run)),
    "memory": ("MiB", lambda run, bare, cpus: run["peak_bytes"] / 2**20),
    "lost": ("%", lambda run, bare, cpus: 100 * (_ratio(run["lost"], run["lost"] + run["events"]) or 0)),
    "sleeps": ("/s", lambda run, bare, cpus: _ratio(run["sleeps"], run["window_seconds"])),
    "start": ("ms", lambda run, bare, cpus: 1e3 * run["start_seconds"]),
    "stop": ("ms", lambda run, bare, cpus: 1e3 * run["stop_seconds"]),
}
UNTRACED_METRICS = ("time",)
# The metrics that remain for an idle workload.
IDLE_METRICS = ("run CPU", "sleeps", "start CPU", "memory", "lost", "start", "stop")
METRICS["run CPU"] = ("% of a CPU", lambda run, bare, cpus: 100 * _ratio(run["run_cpu_seconds"], run["window_seconds"]))


def _size(run):
    """Returns the bytes per switch in the file. fxt-record counts wakeups separately. For peers all bytes count for the
    recorded switches."""
    if not run["file_bytes"]:
        return None
    if "switch_bytes" in run:
        return _ratio(run["switch_bytes"], run["recorded_switches"])
    kept = _ratio(run["events"], run["events"] + run["lost"]) or 0
    return _ratio(run["data_bytes"], run["recorded_window_switches"] * kept)


class Results:
    """`runs`: dictionaries with workload, recorder, round and the results of run.measure()."""

    def __init__(self, header):
        self.header = header
        self.runs = []

    def add(self, workload, recorder, number, run):
        self.runs.append({"workload": workload, "recorder": recorder, "round": number, **run})

    def workloads(self):
        return list(dict.fromkeys(run["workload"] for run in self.runs))

    def recorders(self, workload):
        """The untraced workload first, then in the order of the header."""
        present = {run["recorder"] for run in self.runs if run["workload"] == workload}
        return [name for name in (UNTRACED, *self.header["recorders"]) if name in present]

    def select(self, workload, recorder):
        return [run for run in self.runs if run["workload"] == workload and run["recorder"] == recorder]

    def values(self, workload, recorder, metric):
        """Returns a value for each round to which the metric applies."""
        bare = {run["round"]: run for run in self.select(workload, UNTRACED)}
        cpus = self.header["workloads"][workload]["cpus"]
        found = []
        for run in self.select(workload, recorder):
            if recorder == UNTRACED and metric not in UNTRACED_METRICS:
                continue
            value = METRICS[metric][1](run, bare.get(run["round"]), cpus)
            if value is not None:
                found.append(value)
        return found

    def quartiles(self, workload, recorder, metric):
        values = self.values(workload, recorder, metric)
        return Quartiles(values) if values else None

    def other_share(self):
        """Returns the share of CPU time that neither workloads nor recorders used."""
        other = sum(run["other_seconds"] for run in self.runs)
        available = sum(run["window_seconds"] for run in self.runs) * self.header["machine"]["cpus"]
        return other / available if available else 0

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, **self.header, "runs": self.runs}, file, indent=1)
            file.write("\n")

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if data.get("format") != FORMAT:
            raise ValueError(f"{path} is not a result file of this benchmark (format {data.get('format')})")
        results = cls({key: value for key, value in data.items() if key not in ("format", "runs")})
        results.runs = data["runs"]
        return results
