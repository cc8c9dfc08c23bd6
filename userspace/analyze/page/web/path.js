// SPDX-License-Identifier: BSD-2-Clause
// The page of critical paths.

const paths = data("data");
const kPartColors = {
  running: "running",
  runnable: "wakeup",
  throttled: "preempted",
  sleep: "sleeping",
  blocked: "blocked",
  device: "blocked",
  timer: "stopped",
  peer: "waker",
  unknown: "unknown",
};
// With all digits, so that the parts add up.
const exactMs = (ns) => (Number(ns) / 1e6).toFixed(6) + " ms";

function pathHead() {
  return [
    el("div", {class: "eyebrow"}, "fxt path"),
    el("h1", null, paths.file.split("/").pop()),
    el("p", {class: "lead"},
       [
         count(Number(paths.count), "request"), `p50 ${duration(Number(paths.p50))}`,
         `p90 ${duration(Number(paths.p90))}`, `p99 ${duration(Number(paths.p99))}`
       ].join(" · ")),
    el("p", {class: "mono soft"}, paths.file),
    paths.notes.length > 0 &&
        el("div", {class: "notes small"}, paths.notes.map((words) => el("p", null, words))),
  ];
}

function comparison() {
  if (Number(paths.count) < 2) return null;
  const slow = paths.slow, median = paths.median;
  return [
    el("h2", null, "What slow requests do that median ones do not"),
    el("p", {class: "lead small"},
       `Milliseconds a request by part of the critical path: ${
           count(Number(median.count), "median request")} of ${duration(Number(median.mean))}, ${
           count(Number(slow.count), "slow one")} of ${duration(Number(slow.mean))} (means).`),
    table(
        "parts",
        [
          {title: "thread", class: "name group", cell: (row) => row.thread},
          {title: "part", class: "name wide", cell: (row) => row.what},
          {
            title: "median",
            number: true,
            sort: (row) => Number(row.median),
            cell: (row) => duration(Number(row.median))
          },
          {
            title: "slow",
            number: true,
            sort: (row) => Number(row.slow),
            cell: (row) => duration(Number(row.slow))
          },
          {
            title: "difference",
            number: true,
            sort: (row) => Math.abs(Number(row.slow) - Number(row.median)),
            cell: (row) => duration(Number(row.slow) - Number(row.median))
          },
        ],
        paths.rows),
  ];
}

// Each part at its depth, over the time of the request.
function waterfall(request) {
  const whole = Math.max(1, Number(request.ns));
  const rows = greatest(request.parts.map((part) => Number(part.depth)), 0) + 1;
  return plot("path", `critical path of ${request.name}`, (width) => {
    const high = 20;
    return [
      rows * (high + 2) + 18,
      [
        request.parts.map((part) => {
          const left = (Number(part.at) / whole) * width;
          const wide = (Number(part.ns) / whole) * width;
          const y = Number(part.depth) * (high + 2);
          return [
            svg("rect", {
              x: left,
              y,
              width: Math.max(wide, 0.5),
              height: high,
              style: `fill: var(--${kPartColors[part.kind] || "unknown"})`,
              tip: `${part.thread}\n${part.what}\n${exactMs(part.ns)} at ${exactMs(part.at)}`,
            }),
            wide > 30 &&
                text(left + 4, y + 14, "strong", fitted(part.thread + " " + part.what, wide - 6)),
          ];
        }),
        linearScale(0, whole, 0, width)
            .ticks.map(
                (tick, i) => text(
                    linearScale(0, whole, 0, width)(tick), rows * (high + 2) + 13,
                    i === 0 ? "" : "mid", shortDuration(tick))),
      ],
    ];
  });
}

function requestCard(request, i) {
  return el(
      "details", {class: "card wait", open: i === 0},
      el("summary", null, duration(Number(request.ns)), " ", request.name || "(no name)", " ",
         el("span", {class: "soft"},
            `${Number(request.id) > 0 ? "id " + request.id + ", " : ""}at ${
                duration(Number(request.at))}`)),
      waterfall(request),
      el("details", null, el("summary", null, count(request.parts.length, "part")),
         el("div", {class: "scroll"},
            el("table", null,
               el("tr", null,
                  ["at", "takes", "thread", "part"].map((head) => el("th", null, head))),
               request.parts.map(
                   (part) =>
                       el("tr", null, el("td", {class: "n"}, exactMs(part.at)),
                          el("td", {class: "n"}, exactMs(part.ns)),
                          el("td", {style: `padding-left: ${Number(part.depth)}em`}, part.thread),
                          el("td", null, part.what)))))));
}

document.title = paths.file.split("/").pop() + " – fxt path";
add(document.getElementById("page"), [
  pathHead(),
  comparison(),
  el("h2", null, "The slowest requests"),
  legend(Object.entries(kPartColors)
             .filter(([kind]) => kind !== "blocked")
             .map(([kind, color]) => [color, kind === "device" ? "device, blocked" : kind])),
  paths.requests.map(requestCard),
  el("footer", null, "Made by fxt path. This page holds all of its data."),
]);
document.body.append(tipBox);
