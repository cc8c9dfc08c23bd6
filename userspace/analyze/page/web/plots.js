// SPDX-License-Identifier: BSD-2-Clause
// Plots of two sides, or of one.

// A dot per capture; `row` is a row of a comparison. Lines join interleaved captures.
function capturesPlot(row, paired) {
  const sides = [["base", row.captures.base, row.base], ["new", row.captures.new, row.new]];
  const all = sides.flatMap(([, captures, estimate]) => [...captures, estimate.low, estimate.high])
                  .filter((one) => typeof one === "number");
  return plot("captures", "A dot for each capture", (width) => {
    const left = 40, right = width - 12, rows = [16, 46], height = 84;
    const most = Math.max(...all, 0) || 1;
    const least = Math.min(...all.filter((one) => one > 0));
    const isLog = all.every((one) => one > 0) && most / least > 25;
    const scale = isLog ? logScale(least / 1.3, most * 1.2, left, right) :
                          linearScale(0, most * 1.04, left, right);
    const parts = scale.ticks.map(
        (tick) =>
            [line(scale(tick), 2, scale(tick), 62, "grid"),
             text(
                 scale(tick), 77, "mid",
                 row.unit === "ns" ? shortDuration(tick) : shortNumber(tick)),
    ]);
    if (paired) {
      row.captures.base.forEach((one, i) => {
        const other = row.captures.new[i];
        if (typeof one !== "number" || typeof other !== "number") return;
        parts.push(line(scale(one), rows[0], scale(other), rows[1], "pair"));
      });
    }
    sides.forEach(([side, captures, estimate], i) => {
      const y = rows[i];
      parts.push(text(0, y + 4, "strong", side));
      if (typeof estimate.low === "number" && typeof estimate.high === "number") {
        parts.push(line(scale(estimate.low), y, scale(estimate.high), y, "span-" + side));
      }
      if (typeof estimate.value === "number") {
        parts.push(
            line(scale(estimate.value), y - 8, scale(estimate.value), y + 8, "mean-" + side));
      }
      captures.forEach((one, number) => {
        if (typeof one !== "number") return;
        parts.push(svg("circle", {
          cx: scale(one),
          cy: y,
          r: 4.5,
          class: "dot-" + side,
          tip: `${side}, capture ${number + 1}: ${value(one, row.unit)}`
        }));
      });
    });
    return [height, parts];
  });
}

// The range of lists of [least, most, count].
function reach(sides) {
  const bars = sides.flat();
  const least = -greatest(bars.map((bar) => -Number(bar[0])), -Infinity);
  return [Math.max(100, least), greatest(bars.map((bar) => Number(bar[1])), 1000)];
}

// Events per second by length: areas over a logarithmic axis. `sides` are {name, bars, seconds}.
function distributionPlot(sides, height = 150) {
  const [least, most] = reach(sides.map((side) => side.bars));
  return plot("distribution", "How often each length was seen", (width) => {
    const left = 8, right = width - 8, bottom = height - 20;
    const scale = logScale(least * 0.9, most * 1.1, left, right);
    // Two bars an octave: more would show noise.
    const curves = sides.map((side) => {
      const bins = new Map();
      for (const [from, to, many] of side.bars) {
        const bin = Math.round(3 * Math.log2((Number(from) + Number(to)) / 2 || 1));
        bins.set(bin, (bins.get(bin) || 0) + many / side.seconds);
      }
      return {...side, bins};
    });
    // Square roots, so that rare lengths are visible.
    const top = Math.sqrt(Math.max(1e-9, ...curves.flatMap((curve) => [...curve.bins.values()])));
    const y = (rate) => bottom - (Math.sqrt(rate) / top) * (bottom - 12);
    const parts = scale.ticks.map(
        (tick) =>
            [line(scale(tick), 6, scale(tick), bottom, "grid"),
             text(scale(tick), height - 5, "mid", shortDuration(tick))]);
    parts.push(line(left, bottom, right, bottom, "axis"));
    for (const curve of curves) {
      const numbers = [...curve.bins.keys()].sort((a, b) => a - b);
      if (numbers.length === 0) continue;
      const edge = (bin) => Math.min(right, Math.max(left, scale(2 ** (bin / 3))));
      let path = `M${edge(numbers[0] - 0.5).toFixed(1)} ${bottom}`;
      for (let bin = numbers[0]; bin <= numbers.at(-1); ++bin) {
        const at = y(curve.bins.get(bin) || 0).toFixed(1);
        path += `L${edge(bin - 0.5).toFixed(1)} ${at}L${edge(bin + 0.5).toFixed(1)} ${at}`;
      }
      path += `L${edge(numbers.at(-1) + 0.5).toFixed(1)} ${bottom}`;
      parts.push(svg("path", {d: path, class: "area-" + curve.name}));
    }
    return [height, parts];
  });
}

// Events per second that are longer, on two logarithmic axes, which show the tail.
function tailPlot(sides, per = "s", height = 150) {
  const [least, most] = reach(sides.map((side) => side.bars));
  return plot("tail", "How many each second are longer", (width) => {
    const left = 44, right = width - 8, bottom = height - 20;
    const curves = sides.filter((side) => side.bars.length > 0).map((side) => {
      const points = [];
      let above = 0;
      for (const [from, to, many] of [...side.bars].reverse()) {
        points.push([Number(to), above / side.seconds]);
        above += many;
        points.push([Math.max(Number(from), least), above / side.seconds]);
      }
      return {...side, points: points.reverse()};
    });
    const rates =
        curves.flatMap((curve) => curve.points.map((point) => point[1])).filter((rate) => rate > 0);
    const lowest = Math.min(...rates) / 1.5, highest = Math.max(...rates, lowest * 10) * 1.3;
    const x = logScale(least * 0.9, most * 1.1, left, right);
    const y = logScale(lowest, highest, bottom, 8, 24);
    const parts = x.ticks.map(
        (tick) =>
            [line(x(tick), 6, x(tick), bottom, "grid"),
             text(x(tick), height - 5, "mid", shortDuration(tick))]);
    parts.push(y.ticks.map(
        (tick) =>
            [line(left, y(tick), right, y(tick), "grid"),
             text(left - 6, y(tick) + 4, "end", shortNumber(tick) + "/" + per)]));
    parts.push(line(left, bottom, right, bottom, "axis"));
    for (const curve of curves) {
      const path = curve.points
                       .map(
                           ([length, rate], i) => `${i === 0 ? "M" : "L"}${x(length).toFixed(1)} ${
                               (rate > 0 ? y(rate) : bottom).toFixed(1)}`)
                       .join("");
      parts.push(svg("path", {d: path, class: "line-" + curve.name}));
    }
    return [height, parts];
  });
}

// A stacked bar; `full` is the amount of the whole width.
function stackedBar(shares, full, x, y, width, height, unit) {
  const parts = [];
  let at = x;
  for (const share of kShares) {
    const amount = Number(shares[share] || 0);
    const wide = (amount / full) * width;
    if (wide <= 0) continue;
    parts.push(svg("rect", {
      x: at,
      y,
      width: Math.max(wide - (wide > 3 ? 0.7 : 0), 0.4),
      height,
      class: share,
      tip: `${kShareWords[share]}: ${number(amount)} ${unit}`
    }));
    at += wide;
  }
  return parts;
}
function total(shares) {
  return kShares.reduce((sum, share) => sum + Number(shares[share] || 0), 0);
}
function awake(shares) {
  return Object.fromEntries(kAwake.map((share) => [share, Number(shares[share] || 0)]));
}

// Base above new; `full` gives several plots one scale.
function partitionPlot(base, next, full, unit) {
  return plot("partition", "Where the time of the threads went, base above new", (width) => {
    const left = 40;
    return [
      40,
      [
        text(0, 14, "strong", "base"),
        stackedBar(base, full, left, 3, width - left, 14, unit),
        text(0, 34, "strong", "new"),
        stackedBar(next, full, left, 23, width - left, 14, unit),
      ]
    ];
  });
}

function shareLegend(shares) {
  return legend(kShares.filter((share) => shares.some((one) => Number(one[share] || 0) > 0))
                    .map((share) => [kShareColors[share], kShareWords[share]]));
}
