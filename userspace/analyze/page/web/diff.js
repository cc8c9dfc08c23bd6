// SPDX-License-Identifier: BSD-2-Clause
// The page of a comparison.

const diff = data("data");
const instances = data("instances") || [];
const ranked = diff.findings.length > 0 ? diff.findings : diff.unconfirmed;
// Rates are per second, or per run of the command.
const perUnit = diff.per_run ? "ms/run" : "ms/s";
const perSecond = diff.per_run ? diff.seconds_per_run : 1;
const scaled = (shares) =>
    Object.fromEntries(kShares.map((share) => [share, Number(shares[share] || 0) * perSecond]));

function seconds(side) {
  return side.seconds.reduce((sum, one) => sum + Number(one), 0) || 1;
}

function verdict(row) {
  return el("span", {class: "chip " + row.verdict.split(" ")[0]}, row.verdict);
}
function estimate(one, unit) {
  return [value(one.value, unit), el("span", {class: "range"}, range(one.low, one.high, unit))];
}
function smallNumber(q) {
  if (typeof q !== "number") return "–";
  return q >= 0.001 ? q.toPrecision(2) : q.toExponential(0).replace("e-", "e−");
}
const captures = (row) => [row.captures.base, row.captures.new]
                              .map((one) => one.filter((v) => v !== null).length)
                              .join(" + ");
const anchor = (row) => "finding-" + row.rank;

function headline() {
  if (ranked.length === 0) return "Nothing changed by 10% or more";
  const first = ranked[0];
  const change = first.verdict === "new" || first.verdict === "gone" ? first.verdict : ratio(first);
  return `${first.text.group}: ${first.text.metric} ${change}`;
}

function tally() {
  const counts = new Map();
  for (const row of ranked) counts.set(row.verdict, (counts.get(row.verdict) || 0) + 1);
  return [...counts].map(
      ([words, many]) => el("span", {class: "chip " + words}, `${many} ${words}`));
}

function sideWords(side) {
  const mean = seconds(side) / Math.max(1, side.seconds.length);
  const words = [`${count(side.captures, "capture")} of ${number(mean)} s`];
  if (side.host) words.push(side.host);
  if (side.kernel) words.push("Linux " + side.kernel);
  words.push(count(side.cpus, "CPU"));
  if (Number(side.lost_events) > 0) words.push(number(Number(side.lost_events)) + " events lost");
  return [words.join(" · "), side.command && el("div", {class: "mono"}, side.command)];
}

function head() {
  const undecided = Number(diff.could_not_be_told);
  return [
    el("div", {class: "eyebrow"}, "fxt diff"),
    el("h1", null, headline()),
    el("p", {class: "lead"}, tally().flatMap((chip) => [chip, " "]),
       diff.findings.length === 0 && diff.unconfirmed.length > 0 &&
           "unconfirmed: a significant change needs three captures a side. ",
       `${count(diff.rows.length, "row")} compared, ${undecided} undecided`,
       diff.paired && "; recorded in turns", diff.per_run && "; rates are per run of the command",
       "."),
    el("dl", {class: "sides"}, el("dt", {class: "of-base"}, "base"),
       el("dd", null, sideWords(diff.base)), el("dt", {class: "of-new"}, "new"),
       el("dd", null, sideWords(diff.new))),
    diff.comparable.notes.length > 0 &&
        el("div", {class: "notes"},
           !diff.comparable.ok && el("p", null, el("b", null, "Not all of it could be compared.")),
           diff.comparable.notes.map((note) => el("p", null, note))),
  ];
}

// Settings that differ come first: they may explain the rest.
function settingsTable() {
  const settings = diff.settings || [];
  if (settings.length === 0) return false;
  const value = (text) =>
      el("td", {class: "mono"}, text === null ? "not set" : text === "" ? "empty" : text);
  return el(
      "section", {id: "settings"}, el("h2", null, "Set differently"),
      el("table", null,
         el("thead", null,
            el("tr", null, ["of", "setting", "base", "new"].map((title) => el("th", null, title)))),
         el("tbody", null,
            settings.map(
                (each) => el(
                    "tr", null,
                    el("td", null, each.subject ? each.scope + " " + each.subject : "the machine"),
                    el("td", null, each.name), value(each.base), value(each.new))))));
}

const columns = [
  {title: "verdict", cell: verdict},
  {
    title: "group",
    class: "name group",
    cell: (row) =>
        row.rank && row.text ? el("a", {href: "#" + anchor(row)}, row.text.group) : row.text.group
  },
  {title: "metric", class: "wide", cell: (row) => row.text.metric},
  {title: "base", number: true, cell: (row) => el("span", null, estimate(row.base, row.unit))},
  {title: "new", number: true, cell: (row) => el("span", null, estimate(row.new, row.unit))},
  {
    title: "change",
    number: true,
    sort: (row) => Math.abs(Number(row.change_ms_per_second)),
    cell: (row) =>
        el("span", {class: row.verdict.split(" ")[0]}, el("span", {class: "delta"}, ratio(row)),
           el("span", {class: "range"}, row.text.change))
  },
  {title: "q", number: true, sort: (row) => -Number(row.q), cell: (row) => smallNumber(row.q)},
  {title: "n", number: true, cell: captures},
];

function findingsTable() {
  return table(
      "findings",
      [
        {title: "", class: "rank", cell: (row) => row.rank + "."}, ...columns, {
          title: "because",
          class: "name",
          cell: (row) => el("span", {class: "small"}, becauseWords(row).join("; ") || longest(row))
        }
      ],
      ranked);
}

function becauseWords(row) {
  return row.because.map((cause) => cause.text);
}
function longest(row) {
  if (row.examples.length === 0) return "";
  const one = row.examples[0];
  return `longest ${duration(Number(one.duration_ns))}, thread ${one.thread}`;
}
function shortFile(path) {
  return path.split("/").slice(-2).join("/");
}

// Rows of the group that are symptoms of this one.
function symptoms(row) {
  return diff.rows.filter(
      (one) => one.folded_under === row.metric && one.group_number === row.group_number &&
          !(one.metric === row.metric && one.statistic === row.statistic));
}

function because(row) {
  const items = row.because.map((cause) => el("li", null, cause.text));
  if (row.caused_by)
    items.unshift(
        el("li", null,
           `a symptom of ${groupName(row.caused_by.group)}: ${
               row.caused_by.metric.replaceAll("_", " ")}`));
  for (const one of symptoms(row)) {
    items.push(
        el("li", {class: "with soft"},
           `with it: ${one.text.metric} ${ratio(one)}, ${value(one.base.value, one.unit)} → ${
               value(one.new.value, one.unit)}`));
  }
  return items.length > 0 && el("ul", {class: "because"}, items);
}

// Each capture contains one run.
function sides(histogram) {
  return ["base", "new"].map((name) => ({
                               name,
                               bars: histogram[name],
                               seconds: diff.per_run ? diff[name].captures : seconds(diff[name])
                             }));
}
const per = diff.per_run ? "run" : "s";
const kSides = [["base", "base"], ["new", "new"]];

function distributions(words, histogram) {
  const many = sides(histogram);
  if (!many.some((side) => side.bars.length > 0)) return null;
  return [
    el("div", null, el("h4", null, `${words}: how often, by length`), distributionPlot(many),
       legend(kSides)),
    el("div", null, el("h4", null, `${words}: how many are longer`), tailPlot(many, per),
       legend(kSides)),
  ];
}

function otherDistributions(row, group) {
  const own = row.metric === "cpu_time" ? "slice" : row.metric;
  const others =
      Object.entries(group.histograms).filter(([kind]) => kind !== own && kTimeWords[kind]);
  if (others.length === 0) return null;
  return el(
      "details", null,
      el("summary", null, "Other distributions ",
         el("span", {class: "soft"}, others.map(([kind]) => kTimeWords[kind]).join(", "))),
      el("div", {class: "plots"},
         others.map(([kind, histogram]) => distributions(kTimeWords[kind], histogram))));
}

function lengthWords(row) {
  if (row.metric === "cpu_time") return "slices";
  return row.name ? `${kTimeWords[row.metric] || row.metric.replaceAll("_", " ")} ${row.name}` :
                    kTimeWords[row.metric] || row.metric.replaceAll("_", " ");
}

function quantiles(row) {
  const known = [["p50", "p50_ns"], ["p99", "p99_ns"], ["p99.9", "p99.9_ns"]].filter(
      ([, key]) => typeof row.base[key] === "number" && typeof row.new[key] === "number");
  return known.length > 0 &&
      el("p", {class: "small soft"},
         known
             .map(([words,
                    key]) => `${words} ${duration(row.base[key])} → ${duration(row.new[key])}`)
             .join(" · "));
}

// The call stack that explains most of it, innermost frame first.
function stack(row) {
  const one = row.stack;
  if (!one) return null;
  return el(
      "details", {class: "stack"},
      el("summary", null,
         `The stack that changed most: ${number(one.base)} → ${number(one.new)} ${one.unit} `,
         el("span", {class: "soft mono"}, one.frames.find((name) => !name.endsWith("_[k]")) || "")),
      el("ol", {class: "mono small"}, one.frames.map((name) => el("li", null, name))));
}

function example(row) {
  const one = row.examples[0];
  if (!one) return null;
  const shown = instances.find(
      (instance) => instance.file === one.file && instance.begin_ns === one.time_ns &&
          instance.thread.id === one.thread);
  const words = shown ? threadName(shown.thread) : `thread ${one.thread}`;
  return [
    el("h4", null, `The longest: ${duration(Number(one.duration_ns))} of ${words}`),
    el("p", {class: "small soft"}, `${shortFile(one.file)} at @${one.time_ns} ns`,
       shown && shown.chain.length > 0 && `; woken by ${chainWords(shown.chain)}`),
    shown && picture(shown, "CPUs and threads around it"),
  ];
}

const most = (shares) => Math.max(...shares.map(total)) || 1;

function finding(row) {
  const group = row.group_number === undefined ? null : diff.groups[row.group_number];
  const shares = group && [scaled(group.ms_per_second.base), scaled(group.ms_per_second.new)];
  // Without sleep, so that the other parts are visible.
  const hidden = group && most(shares.map(awake)) < most(shares) / 2;
  return el(
      "article", {class: "card finding", id: anchor(row)},
      el("div", {class: "head"}, el("span", {class: "soft"}, row.rank + "."), verdict(row),
         el("h3", null, row.text.group), el("span", null, row.text.metric),
         el("span", {class: "push " + row.verdict}, el("span", {class: "delta"}, ratio(row)), " ",
            el("span", {class: "soft small"}, row.text.change))),
      because(row), stack(row),
      el("div", {class: "plots"},
         el("div", null,
            el("h4", null,
               `Captures: ${row.text.metric}${row.unit === "ns" ? "" : ", " + row.unit}`),
            capturesPlot(row, diff.paired), quantiles(row)),
         group &&
             el("div", null,
                el("h4", null,
                   `Where its time went, ${perUnit}${hidden ? "; below, without sleep" : ""}`),
                partitionPlot(shares[0], shares[1], most(shares), perUnit),
                hidden &&
                    partitionPlot(
                        awake(shares[0]), awake(shares[1]), most(shares.map(awake)), perUnit),
                shareLegend(shares)),
         row.histogram && distributions(lengthWords(row), row.histogram)),
      group && otherDistributions(row, group), example(row));
}

function partitions() {
  const groups =
      diff.groups.filter((group) => group.judged)
          .map((group) => {
            const base = scaled(group.ms_per_second.base), next = scaled(group.ms_per_second.new);
            return {group, base, next, most: Math.max(total(awake(base)), total(awake(next)))};
          })
          .filter((one) => one.most > 0)
          .sort((a, b) => b.most - a.most);
  if (groups.length === 0) return null;
  const full = groups[0].most;
  const rows = (some) => table(
      "partitions",
      [
        {title: "group", class: "name group", cell: (one) => groupName(one.group)},
        {
          title: `running and waiting, ${perUnit}`,
          class: "bar-cell",
          cell: (one) => partitionPlot(awake(one.base), awake(one.next), full, perUnit)
        },
        {title: "base", number: true, cell: (one) => number(total(awake(one.base)))},
        {title: "new", number: true, cell: (one) => number(total(awake(one.next)))},
        {
          title: "asleep",
          number: true,
          cell: (one) => `${number(one.base.sleeping)} → ${number(one.next.sleeping)}`
        },
      ],
      some);
  const shown = 12;
  return [
    el("h2", null, "Where time went"),
    el("p", {class: "lead small"},
       "Time in which each group ran, could have run or was blocked, of one scale."),
    shareLegend(groups.flatMap((one) => [awake(one.base), awake(one.next)])),
    rows(groups.slice(0, shown)),
    groups.length > shown &&
        el("details", null, el("summary", null, `${groups.length - shown} more groups`),
           rows(groups.slice(shown))),
  ];
}

function others() {
  if (diff.others.length === 0) return null;
  return el(
      "details", {id: "others"},
      el("summary", null, `Other work of the machine, not judged `,
         el("span", {class: "soft"}, count(diff.others.length, "row"))),
      el("p", {class: "soft small"},
         "Work beside the recorded command may change what the command sees, but it is not the command's."),
      table(
          "others", columns.filter((column) => !["verdict", "q", "n"].includes(column.title)),
          diff.others));
}

function allRows() {
  const rows = table("rows", columns, diff.rows, (row) => row.folded_under ? "part" : null);
  return el(
      "details", {id: "all-rows"},
      el("summary", null, "All rows ", el("span", {class: "soft"}, count(diff.rows.length, "row"))),
      filter(rows, "Filter by group, metric or verdict"), rows);
}

function files() {
  const list = (side) => el(
      "div", null, el("h4", null, side),
      el("ol", {class: "small"}, diff[side].files.map((file) => el("li", {class: "mono"}, file))));
  return el(
      "details", {id: "files"}, el("summary", null, "Captures"),
      el("div", {class: "plots"}, list("base"), list("new")));
}

document.title = headline() + " – fxt diff";
add(document.getElementById("page"), [
  head(),
  settingsTable(),
  ranked.length > 0 && [findingsTable(), el("h2", null, "Findings"), ranked.map(finding)],
  partitions(),
  data("flame") && el("section", {id: "flame-here"}),
  el("h2", null, "The rest"),
  others(),
  allRows(),
  files(),
  el("footer", null,
     `Made by fxt diff from captures of fxt-record${
         diff.new.recorder ? " " + diff.new.recorder : ""}. This page holds all of its data.`),
]);
document.body.append(tipBox);
