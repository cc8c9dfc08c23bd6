// SPDX-License-Identifier: BSD-2-Clause
// Groups of threads, and the groups that they waited for. report.js reads the report.

function groups() {
  const all = report.groups.map((group) => ({group, shares: msShares(group), most: 0}));
  all.forEach((one) => {
    one.most = total(awake(one.shares));
  });
  all.sort((a, b) => b.most - a.most);
  const full = greatest(all.map((one) => one.most), 1e-9);
  const times = (kind, key) => (one) => {
    const found = one.group.times[kind][key];
    return found === null || Number(one.group.times[kind].count) === 0 ? "–" :
                                                                         duration(Number(found));
  };
  const sorted = (kind, key) => (one) => Number(one.group.times[kind][key] || 0);
  const columns = [
    {
      title: "group",
      class: "name group",
      cell: (one) => el(
          "div", null, opener(one),
          one.group.threads > 1 && el("span", {class: "range"}, count(one.group.threads, "thread")))
    },
    {
      title: "running and waiting",
      class: "bar-cell",
      sort: (one) => one.most,
      cell: (one) => groupBar(one.shares, full)
    },
    {
      title: "CPU ms/s",
      number: true,
      sort: (one) => one.shares.running,
      cell: (one) => number(one.shares.running)
    },
    {
      title: "wait ms/s",
      number: true,
      sort: (one) => waiting(one.group),
      cell: (one) => number(msPerSecond(waiting(one.group)))
    },
    {
      title: "D ms/s",
      number: true,
      sort: (one) => one.shares.blocked,
      cell: (one) => number(one.shares.blocked)
    },
    {
      title: "wakeups/s",
      number: true,
      sort: (one) => Number(one.group.wakeups),
      cell: (one) => number(rate(one.group.wakeups))
    },
    {
      title: "latency p50",
      number: true,
      sort: sorted("wakeup_latency", "p50_ns"),
      cell: times("wakeup_latency", "p50_ns")
    },
    {
      title: "p99",
      number: true,
      sort: sorted("wakeup_latency", "p99_ns"),
      cell: times("wakeup_latency", "p99_ns")
    },
    {
      title: "max",
      number: true,
      sort: sorted("wakeup_latency", "max_ns"),
      cell: times("wakeup_latency", "max_ns")
    },
  ];
  const shown = 12;
  const rest = all.length > shown && table("groups", columns, all.slice(shown));
  return [
    el("h2", null, "Where time went"),
    el("p", {class: "lead small"},
       "Threads of the same names, digits aside, are a group. A bar is as long as the square root of its time. Latency is from the wakeup to the run; quantiles of too few waits are left out. A group's name opens its distributions."),
    shareLegend(all.map((one) => awake(one.shares))),
    table("groups", columns, all.slice(0, shown)),
    rest &&
        el("details", {id: "more-groups"}, el("summary", null, `${all.length - shown} more groups`),
           filter(rest, "Filter by name"), rest),
  ];
}

// The name, a button that opens a row below it.
function opener(one) {
  let below = null;
  const button =
      el("button", {
        class: "open",
        type: "button",
        "aria-expanded": "false",
        onclick: () => {
          if (below) {
            below.remove();
            below = null;
          } else {
            const row = button.closest("tr");
            below =
                el("tr", {class: "below"},
                   el("td", {colspan: row.children.length}, groupDetails(one)));
            row.after(below);
          }
          button.setAttribute("aria-expanded", String(below !== null));
        }
      },
         name(one.group));
  return button;
}

function groupDetails(one) {
  const kinds = Object.entries(one.group.times).filter(([, times]) => times.histogram.length > 0);
  const quantile = (times, key) => times[key] === null ? "–" : duration(Number(times[key]));
  return el(
      "div", null, el("h4", null, "All of its time, ms/s"),
      plot(
          "partition", "Where its time went",
          (width) => [18, stackedBar(one.shares, total(one.shares) || 1, 0, 2, width, 14, "ms/s")]),
      shareLegend([one.shares]),
      el("div", {class: "plots"},
         kinds.map(
             ([kind, times]) => el(
                 "div", null, el("h4", null, kTimeWords[kind]),
                 distributionPlot([{name: "base", bars: times.histogram, seconds: inSeconds}], 110),
                 el("p", {class: "small soft"},
                    `${number(rate(times.count))}/s, ${
                        number(msPerSecond(
                            times.total_ns))} ms/s · p50 ${quantile(times, "p50_ns")} · p99 ${
                        quantile(times, "p99_ns")} · max ${quantile(times, "max_ns")}`,
                    Number(times.cut) > 0 && ` · ${times.cut} cut by the edges`,
                    Number(times.unknown) > 0 && ` · ${times.unknown} not known`)))));
}

// The length is the square root of the time: a busy compiler would make all others invisible.
function groupBar(shares, full) {
  const own = total(awake(shares)) || 1;
  return plot(
      "partition", "Where its time went",
      (width) =>
          [16, stackedBar(awake(shares), own, 0, 2, width * Math.sqrt(own / full), 12, "ms/s")]);
}

// --- waits by cause

const kBlames = [
  [
    "held_cpu", "who held the CPU", "Rows waited for a CPU while columns ran on it, ms/s.",
    (blame) => msPerSecond(blame.ns)
  ],
  [
    "preempted_by", "who preempts whom", "Rows were preempted by columns, times a second.",
    (blame) => rate(blame.count)
  ],
  [
    "woken_by", "who ended their sleep in D", "Rows were blocked until columns woke them, ms/s.",
    (blame) => msPerSecond(blame.blocked_ns)
  ],
  [
    "held_cpu_lower", "lower priorities",
    "Rows waited while columns, of lower priority, held the CPU, ms/s.",
    (blame) => msPerSecond(blame.ns)
  ],
];
const other = (blame) => blame.group === undefined ? blame.other : blame.group;
const otherName = (one) => typeof one === "number" ? name(report.groups[one]) :
    one === "interrupt"                            ? "interrupt or timer" :
                                                     "not known";

function matrix(kind, amount) {
  const most = 9;
  const rows = report.groups.map((group) => ({
                                   group,
                                   parts: group.blames[kind]
                                              .map((blame) => [other(blame), amount(blame)])
                                              .filter((part) => part[1] > 0)
                                 }));
  rows.forEach((row) => {
    row.all = sum(row.parts.map((part) => part[1]));
  });
  const top = rows.filter((row) => row.all > 0).sort((a, b) => b.all - a.all).slice(0, most);
  if (top.length === 0) return null;
  const totals = new Map();
  for (const row of top)
    for (const [whom, n] of row.parts) totals.set(whom, (totals.get(whom) || 0) + n);
  const heads = [...totals].sort((a, b) => b[1] - a[1]).slice(0, most).map(([whom]) => whom);
  const high = greatest(top.flatMap((row) => row.parts.map((part) => part[1])), 0);
  const cell = (n, words) => {
    const node = el("td", null, n > 0 ? number(n) : "");
    if (n <= 0) return node;
    const share = Math.round(8 + 62 * Math.sqrt(n / high));
    node.style.background = `color-mix(in srgb, var(--preempted) ${share}%, transparent)`;
    tip(node, words);
    return node;
  };
  return el(
      "div", {class: "scroll"},
      el("table", {class: "matrix"},
         el("thead", null,
            el("tr", null, el("th", null, ""),
               heads.map((whom) => el("th", {scope: "col"}, otherName(whom))),
               el("th", {scope: "col"}, "all"))),
         el("tbody", null,
            top.map(
                (row) =>
                    el("tr", null, el("th", {class: "row", scope: "row"}, name(row.group)),
                       heads.map((whom) => {
                         const found = row.parts.find((part) => part[0] === whom);
                         return cell(
                             found ? found[1] : 0,
                             `${name(row.group)}\nbecause of ${otherName(whom)}: ${
                                 number(found ? found[1] : 0)}`);
                       }),
                       el("td", {class: "soft"}, number(row.all)))))));
}

function blame() {
  const tables =
      kBlames.map(([kind, words, about, amount]) => ({words, about, node: matrix(kind, amount)}))
          .filter((one) => one.node);
  if (tables.length === 0) return null;
  const about = el("p", {class: "lead small"});
  const shown = el("div", {class: "card", id: "blame"});
  const buttons = tables.map(
      (one) => el("button", {class: "tab", type: "button", onclick: () => show(one)}, one.words));
  const show = (one) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(tables[i] === one)));
    about.textContent = one.about;
    shown.replaceChildren(one.node);
  };
  show(tables[0]);
  return [el("h2", null, "For whom they waited"), el("div", null, buttons), about, shown];
}
