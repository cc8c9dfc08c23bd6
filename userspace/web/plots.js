// SPDX-License-Identifier: BSD-2-Clause
// Plots as SVG, of one side or of two compared sides.
import { element, legend, svg } from './dom.js';
import { AWAKE, SHARES, shareColour, shareWords } from './states.js';
import { clean, number, shortDuration, shortNumber, value } from './text.js';

const watcher = new ResizeObserver((entries) => {
  for (const { contentRect, target } of entries) {
    const width = Math.floor(contentRect.width);
    if (width < 40 || target.drawnWidth === width) continue;
    target.drawnWidth = width;
    const [height, parts] = target.draw(width);
    // A fixed height keeps the SVG out of the layout. Otherwise a table would grow with every drawing.
    target.style.height = `${height}px`;
    target.replaceChildren(svg('svg', { width, height, role: 'img', 'aria-label': target.label }, parts));
  }
});

/** A plot in the available width. It is drawn when it becomes visible (closed details have no width), and again when
 *  the width changes. `draw(width)` returns [height, parts]. */
export function plot(kind, label, draw) {
  const node = Object.assign(element('div', { class: `plot ${kind}` }), { label, draw });
  watcher.observe(node);
  return node;
}

/** A picture that fxt drew (analyze/draw), as wide as there is room. `shown` is an instance with
 *  {width, height, shapes}; a shape is [kind, x, y, ...], with a tip as its last part. */
export function picture(shown, label) {
  const fill = (colour) => `fill: var(--${colour})`;
  const parts = shown.shapes.map(([kind, x, y, ...rest]) => {
    if (kind === 'rect') {
      const [width, height, colour, tip] = rest;
      return svg('rect', { x, y, width, height, style: fill(colour), ...(tip && { tip }) });
    }
    if (kind === 'line') {
      const [dx, dy, colour, style] = rest;
      const dashes = style === 'dashed' ? '; stroke-dasharray: 3 2' : '';
      return svg('line', { x1: x, y1: y, x2: x + dx, y2: y + dy, style: `stroke: var(--${colour})${dashes}` });
    }
    if (kind === 'text') {
      const [size, words, colour, style, tip] = rest;
      const anchor = style === 'centred' ? '; text-anchor: middle' : '';
      return svg('text', { x, y, style: `font-size: ${size}px; ${fill(colour)}${anchor}`, ...(tip && { tip }) }, words);
    }
    const [height, colour] = rest;
    return svg('path', { d: `M${x} ${y} l-3 ${height} l6 0 z`, style: fill(colour) });
  });
  const viewBox = `0 0 ${shown.width} ${shown.height}`;
  return element('div', { class: 'plot strip' }, svg('svg', { viewBox, width: '100%', role: 'img', 'aria-label': label }, parts));
}

export function line(x1, y1, x2, y2, name) {
  return svg('line', { x1, y1, x2, y2, class: name });
}
export function text(x, y, name, words) {
  return svg('text', { x, y, class: name }, words);
}
/** The start of `words` that fits, at an estimated 6 pixels per character; nothing below 3. */
export function fitted(words, width) {
  const most = Math.floor(width / 6);
  const all = [...clean(words)];
  if (all.length <= most) return all.join('');
  return most < 4 ? '' : `${all.slice(0, most - 1).join('')}…`;
}

/** The maximum of any number of values. Math.max(...values) has a limit. */
export function greatest(values, least) {
  return values.reduce((most, one) => (one > most ? one : most), least);
}

// --- Scales: functions of a value with `ticks` ---------------------------------------------------------------------

/** The least of 1, 2, 5, 10, 20, ... that is not below `rough`. */
export function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

export function linearScale(least, most, from, to) {
  const span = most - least || 1;
  const scale = (one) => from + ((one - least) / span) * (to - from);
  const step = roundStep(span / Math.max(2, Math.abs(to - from) / 80));
  scale.ticks = [];
  for (let n = Math.ceil(least / step - 1e-9); n * step <= most + step * 1e-9; n += 1) scale.ticks.push(n * step);
  return scale;
}

function logScale(least, most, from, to, apart = 52) {
  const low = Math.log10(least);
  const span = Math.log10(most) - low || 1;
  const scale = (one) => from + ((Math.log10(Math.max(one, least)) - low) / span) * (to - from);
  const room = Math.abs(to - from) / span;
  const every = Math.max(1, Math.ceil(apart / room));
  scale.ticks = [];
  for (let power = Math.ceil(low - 1e-9); power <= low + span + 1e-9; power += 1) {
    if (power % every === 0) scale.ticks.push(10 ** power);
  }
  if (scale.ticks.length >= 2) return scale;
  const factors = room > 400 ? [1, 1.5, 2, 3, 5, 7] : [1, 2, 5];
  scale.ticks = [];
  for (let power = Math.floor(low); power <= low + span; power += 1) {
    scale.ticks.push(...factors.map((n) => n * 10 ** power).filter((tick) => tick >= least * 0.999 && tick <= most * 1.001));
  }
  return scale;
}

// --- Two sides -----------------------------------------------------------------------------------------------------

/** A dot per capture; `row` is a row of a comparison. Lines join interleaved captures. */
export function capturesPlot(row, isPaired) {
  const sides = [['base', row.captures.base, row.base], ['new', row.captures.new, row.new]];
  const isKnown = (one) => typeof one === 'number';
  const all = sides.flatMap(([, captures, estimate]) => [...captures, estimate.low, estimate.high]).filter(isKnown);
  return plot('captures', 'A dot for each capture', (width) => {
    const [left, right, rows] = [40, width - 12, [16, 46]];
    const most = Math.max(...all, 0) || 1;
    const least = Math.min(...all.filter((one) => one > 0));
    const isLog = all.every((one) => one > 0) && most / least > 25;
    const scale = isLog ? logScale(least / 1.3, most * 1.2, left, right) : linearScale(0, most * 1.04, left, right);
    const parts = scale.ticks.map((tick) => [line(scale(tick), 2, scale(tick), 62, 'grid'),
      text(scale(tick), 77, 'mid', row.unit === 'ns' ? shortDuration(tick) : shortNumber(tick))]);
    row.captures.base.forEach((one, i) => {
      const other = row.captures.new[i];
      if (isPaired && isKnown(one) && isKnown(other)) parts.push(line(scale(one), rows[0], scale(other), rows[1], 'pair'));
    });
    sides.forEach(([side, captures, { low, high, value: mean }], i) => {
      const y = rows[i];
      parts.push(text(0, y + 4, 'strong', side));
      if (isKnown(low) && isKnown(high)) parts.push(line(scale(low), y, scale(high), y, `span-${side}`));
      if (isKnown(mean)) parts.push(line(scale(mean), y - 8, scale(mean), y + 8, `mean-${side}`));
      captures.forEach((one, capture) => isKnown(one) && parts.push(svg('circle',
        { cx: scale(one), cy: y, r: 4.5, class: `dot-${side}`, tip: `${side}, capture ${capture + 1}: ${value(one, row.unit)}` })));
    });
    return [84, parts];
  });
}

// The common range of lists of [least, most, count].
function reach(sides) {
  const bars = sides.flatMap((side) => side.bars);
  const least = -greatest(bars.map((bar) => -Number(bar[0])), -Infinity);
  return [Math.max(100, least), greatest(bars.map((bar) => Number(bar[1])), 1000)];
}

/** Events per second by length: areas over a logarithmic axis. `sides` are {name, bars, seconds}. */
export function distributionPlot(sides, height = 150) {
  const [least, most] = reach(sides);
  return plot('distribution', 'How often each length was seen', (width) => {
    const [left, right, bottom] = [8, width - 8, height - 20];
    const scale = logScale(least * 0.9, most * 1.1, left, right);
    // Two bars per octave; more would show noise.
    const curves = sides.map((side) => {
      const bins = new Map();
      for (const [from, to, many] of side.bars) {
        const bin = Math.round(3 * Math.log2((Number(from) + Number(to)) / 2 || 1));
        bins.set(bin, (bins.get(bin) || 0) + many / side.seconds);
      }
      return { name: side.name, bins };
    });
    // Square roots, so that rare lengths are visible.
    const top = Math.sqrt(Math.max(1e-9, ...curves.flatMap((curve) => [...curve.bins.values()])));
    const y = (rate) => (bottom - (Math.sqrt(rate) / top) * (bottom - 12)).toFixed(1);
    const edge = (bin) => Math.min(right, Math.max(left, scale(2 ** (bin / 3)))).toFixed(1);
    const parts = scale.ticks.map((tick) => [line(scale(tick), 6, scale(tick), bottom, 'grid'),
      text(scale(tick), height - 5, 'mid', shortDuration(tick))]);
    parts.push(line(left, bottom, right, bottom, 'axis'));
    for (const { name, bins } of curves) {
      const numbers = [...bins.keys()].sort((a, b) => a - b);
      if (numbers.length === 0) continue;
      let d = `M${edge(numbers[0] - 0.5)} ${bottom}`;
      for (let bin = numbers[0]; bin <= numbers.at(-1); bin += 1) {
        const at = y(bins.get(bin) || 0);
        d += `L${edge(bin - 0.5)} ${at}L${edge(bin + 0.5)} ${at}`;
      }
      parts.push(svg('path', { d: `${d}L${edge(numbers.at(-1) + 0.5)} ${bottom}`, class: `area-${name}` }));
    }
    return [height, parts];
  });
}

/** Events per second that are longer, on two logarithmic axes, which show the tail. */
export function tailPlot(sides, per = 's', height = 150) {
  const [least, most] = reach(sides);
  return plot('tail', 'How many each second are longer', (width) => {
    const [left, right, bottom] = [44, width - 8, height - 20];
    const curves = sides.filter((side) => side.bars.length > 0).map(({ name, bars, seconds }) => {
      const points = [];
      let above = 0;
      for (const [from, to, many] of [...bars].reverse()) {
        points.push([Number(to), above / seconds]);
        above += many;
        points.push([Math.max(Number(from), least), above / seconds]);
      }
      return { name, points: points.reverse() };
    });
    const rates = curves.flatMap((curve) => curve.points.map((point) => point[1])).filter((rate) => rate > 0);
    const lowest = Math.min(...rates) / 1.5;
    const x = logScale(least * 0.9, most * 1.1, left, right);
    const y = logScale(lowest, Math.max(...rates, lowest * 10) * 1.3, bottom, 8, 24);
    const parts = x.ticks.map((tick) => [line(x(tick), 6, x(tick), bottom, 'grid'),
      text(x(tick), height - 5, 'mid', shortDuration(tick))]);
    parts.push(y.ticks.map((tick) => [line(left, y(tick), right, y(tick), 'grid'),
      text(left - 6, y(tick) + 4, 'end', `${shortNumber(tick)}/${per}`)]));
    parts.push(line(left, bottom, right, bottom, 'axis'));
    for (const { name, points } of curves) {
      const d = points.map(([length, rate], i) =>
        `${i === 0 ? 'M' : 'L'}${x(length).toFixed(1)} ${(rate > 0 ? y(rate) : bottom).toFixed(1)}`).join('');
      parts.push(svg('path', { d, class: `line-${name}` }));
    }
    return [height, parts];
  });
}

// --- Shares of time ------------------------------------------------------------------------------------------------

export function total(shares) {
  return SHARES.reduce((sum, share) => sum + Number(shares[share] || 0), 0);
}
export function awake(shares) {
  return Object.fromEntries(AWAKE.map((share) => [share, Number(shares[share] || 0)]));
}

/** A stacked bar; `full` is the amount of the whole width. */
export function stackedBar(shares, full, x, y, width, height, unit) {
  let at = x;
  return SHARES.map((share) => {
    const amount = Number(shares[share] || 0);
    const wide = (amount / full) * width;
    if (wide <= 0) return null;
    const bar = svg('rect', { x: at, y, width: Math.max(wide - (wide > 3 ? 0.7 : 0), 0.4), height,
      style: `fill: var(--${shareColour(share)})`, tip: `${shareWords(share)}: ${number(amount)} ${unit}` });
    at += wide;
    return bar;
  });
}

/** Base above new; `full` gives several plots one scale. */
export function partitionPlot(base, next, full, unit) {
  return plot('partition', 'Where the time of the threads went, base above new', (width) => [40, [
    text(0, 14, 'strong', 'base'), stackedBar(base, full, 40, 3, width - 40, 14, unit),
    text(0, 34, 'strong', 'new'), stackedBar(next, full, 40, 23, width - 40, 14, unit)]]);
}

export function shareLegend(shares) {
  return legend(SHARES.filter((share) => shares.some((one) => Number(one[share] || 0) > 0))
    .map((share) => [shareColour(share), shareWords(share)]));
}
