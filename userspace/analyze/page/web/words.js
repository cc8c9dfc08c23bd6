// SPDX-License-Identifier: BSD-2-Clause
// Values and names as text.
"use strict";

// Escapes control and formatting characters in names, as text for a terminal does.
function clean(text) {
  return String(text).replace(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
}

// Three significant digits.
function number(value) {
  if (!Number.isFinite(value)) return typeof value === "string" ? value : "–";
  const size = Math.abs(value);
  if (size >= 1e6) return (value / 1e6).toFixed(size >= 1e7 ? 1 : 2) + " M";
  if (size >= 1e4) return (value / 1e3).toFixed(size >= 1e5 ? 0 : 1) + " k";
  if (size >= 100 || size === 0) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(size >= 0.995 ? 2 : size >= 0.01 ? 2 : 3);
}

function duration(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return number(ns / 1e9) + " s";
  if (size >= 1e6) return number(ns / 1e6) + " ms";
  if (size >= 1e3) return number(ns / 1e3) + " µs";
  return Math.round(ns) + " ns";
}
// For axes: without trailing zeros.
function shortDuration(ns) {
  for (const [unit, factor] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (Math.abs(ns) >= factor * 0.9999)
      return parseFloat((ns / factor).toPrecision(3)) + " " + unit;
  }
  return parseFloat(ns.toPrecision(3)) + " ns";
}

// For axes as well.
function shortNumber(n) {
  return n !== 0 && (Math.abs(n) >= 1e4 || Math.abs(n) < 0.01) ?
      number(n) :
      String(parseFloat(n.toPrecision(3)));
}

// In the unit of a row: "ns", "ms/s", "1/s", "ms/run", "1/run".
function value(amount, unit) {
  if (unit === "ns") return duration(amount);
  if (unit.startsWith("1/")) return number(amount) + "/" + unit.slice(2);
  return number(amount) + " " + unit;
}

// "21.5 … 34.2/run"
function range(low, high, unit) {
  if (unit === "ns" || typeof low !== "number" || typeof high !== "number")
    return `${value(low, unit)} … ${value(high, unit)}`;
  return `${number(low)} … ${value(high, unit)}`;
}
// As in text: "x4.02".
function ratio(row) {
  return row.text.ratio.replace(/^x/, "×").replace(/^-/, "−");
}

function count(n, one, many) {
  return n + " " + (n === 1 ? one : many || one + "s");
}

function percent(part) {
  return (100 * part).toFixed(part < 0.0995 ? 1 : 0) + "%";
}

function groupName(group) {
  if (group.former) return groupName(group.former) + " → " + groupName({...group, former: null});
  const process = group.process || "(no name)";
  return group.thread === group.process || !group.thread ? process : process + "/" + group.thread;
}
function threadName(thread) {
  if (!thread) return "an interrupt";
  const name = thread.name || "?";
  return thread.process_name && thread.process_name !== name ? thread.process_name + "/" + name :
                                                               name;
}

const kShares = [
  "running", "runnable_wakeup", "runnable_preempted", "blocked", "stopped", "throttled", "unknown",
  "sleeping"
];
// Shares of a thread that is awake and known.
const kAwake = kShares.slice(0, 6);
const kShareWords = {
  running: "running",
  runnable_wakeup: "runnable, woken",
  runnable_preempted: "runnable, preempted",
  sleeping: "sleeping",
  blocked: "blocked (D)",
  stopped: "stopped",
  throttled: "throttled (quota)",
  unknown: "not known",
};
const kShareColors = {
  running: "running",
  runnable_wakeup: "wakeup",
  runnable_preempted: "preempted",
  sleeping: "sleeping",
  blocked: "blocked",
  stopped: "stopped",
  throttled: "throttled",
  unknown: "unknown",
};
const kTimeWords = {
  slice: "time slices",
  wakeup_latency: "waited for a CPU after wakeup",
  preempted_wait: "preempted",
  sleep: "sleeps",
  blocked: "D-state waits",
  irq: "interrupts",
  softirq: "softirqs",
};

// "bank/teller-1 ← bank/auditor ← an interrupt"
function chainWords(chain) {
  return chain.map((link) => threadName(link.waker)).join(" ← ");
}
