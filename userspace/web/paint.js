// SPDX-License-Identifier: BSD-2-Clause
// Draws the rows: their labels, and the items of tiles as bars.
import { AXIS, HEAD, OVERVIEW } from './geometry.js';
import { threadLabel } from './lanes.js';
import { roundStep } from './plots.js';
import { BLOCKED, RUN, SLEEP, UNKNOWN, hashOf, sleepClass, taskColour } from './states.js';
import { duration, formatTick } from './text.js';
import { pixelFor } from './tiles.js';

const MERGED = 1 << 8;
const CUT = 1 << 9;
const FONT = '11px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const MIN_TEXT = 28;

/** Collects bars by colour: changing the colour for each bar takes longer than drawing it. */
class Bars {
  constructor() {
    this.byColour = new Map();
  }

  add(colour, x, y, width, height) {
    let list = this.byColour.get(colour);
    if (!list) this.byColour.set(colour, list = []);
    const last = list.length - 4;
    // Merges adjacent bars of the same kind. There are many if all items are merged.
    if (last >= 0 && list[last + 1] === y && list[last + 3] === height && x >= list[last] &&
        x <= list[last] + list[last + 2] + 0.3 && width < 2) {
      list[last + 2] = Math.max(list[last + 2], x + width - list[last]);
      return;
    }
    list.push(x, y, width, height);
  }

  draw(context) {
    for (const [colour, list] of this.byColour) {
      context.fillStyle = colour;
      for (let i = 0; i < list.length; i += 4) context.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    }
  }
}

export class Painter {
  constructor(canvas, geometry, lanes, tiles) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.geometry = geometry;
    this.lanes = lanes;
    this.tiles = tiles;
    this.labels = [];
    this.colours = null;
    this.widths = new Map(); // of texts
  }

  /** Draws the rows, and asks for the tiles that are missing. `overlay` draws on top of the tracks. */
  draw(overlay) {
    const { context, geometry, colours } = this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, geometry.width, geometry.height);
    const { pinned, scrolled } = geometry.visibleRows();
    this.#grid();
    context.fillStyle = colours.line;
    context.fillRect(geometry.left - 1, OVERVIEW, 1, geometry.height);
    const bottom = HEAD + geometry.pinnedHeight;
    this.#clipped(0, bottom, geometry.width, geometry.height - bottom, () => this.#rows(scrolled));
    if (pinned.length > 0) {
      context.fillStyle = colours.card;
      context.fillRect(0, HEAD, geometry.width, geometry.pinnedHeight);
      this.#clipped(0, HEAD, geometry.width, geometry.pinnedHeight, () => this.#rows(pinned));
      context.fillStyle = colours.accent;
      context.fillRect(0, bottom - 2, geometry.width, 1);
    }
    this.#clipped(geometry.left, HEAD, geometry.trackWidth, geometry.height - HEAD, () => overlay.tracks(context));
    this.#axis();
    this.#overview();
    overlay.head(context);
    this.#want([...pinned, ...scrolled]);
  }

  #clipped(x, y, width, height, draw) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }

  #want(rows) {
    const { geometry, tiles } = this;
    const { from, to, begin, end } = geometry.viewport;
    const pixel = pixelFor(geometry.nsPerPixel);
    this.lanes.traces.forEach((trace, number) => {
      const ids = rows.filter((row) => row.trace === number && row.lane).map((row) => row.lane);
      if (ids.length > 0) tiles.want(number, ids, pixel, from, to);
      const all = trace.cpus.slice(0, 64).map((cpu) => `c${cpu}`);
      if (all.length > 0) tiles.want(number, all, this.#overviewPixel(), begin, end);
    });
  }

  #overviewPixel() {
    const { begin, end } = this.geometry.viewport;
    return pixelFor(((end - begin) / this.geometry.trackWidth) * 2);
  }

  // --- Head -------------------------------------------------------------------------------------------------------

  get #tickStep() {
    return roundStep(this.geometry.nsPerPixel * 110);
  }

  #ticks(draw) {
    const { viewport } = this.geometry;
    const step = Math.max(1, this.#tickStep);
    for (let i = Math.ceil(viewport.from / step); i * step <= viewport.to; i += 1) draw(i * step, step);
  }

  #grid() {
    const { context, geometry, colours } = this;
    context.fillStyle = colours.grid;
    this.#ticks((time) => context.fillRect(Math.round(geometry.x(time)), HEAD, 1, geometry.height));
  }

  #axis() {
    const { context, geometry, colours } = this;
    context.fillStyle = colours.tint;
    context.fillRect(0, OVERVIEW, geometry.width, AXIS);
    context.fillStyle = colours.line;
    context.fillRect(0, HEAD - 1, geometry.width, 1);
    context.textAlign = 'left';
    this.#ticks((time, step) => {
      const x = Math.round(geometry.x(time));
      if (x < geometry.left) return;
      context.fillStyle = colours.faint;
      context.fillRect(x, HEAD - 7, 1, 6);
      context.fillStyle = colours.soft;
      context.fillText(formatTick(time, step), x + 4, OVERVIEW + AXIS / 2);
    });
    context.fillStyle = colours.tint;
    context.fillRect(0, OVERVIEW, geometry.left - 1, AXIS - 1);
    context.fillStyle = colours.soft;
    context.fillText(`${duration(geometry.viewport.length)} shown`, 10, OVERVIEW + AXIS / 2);
  }

  #overview() {
    const { context, geometry, colours } = this;
    const { viewport } = geometry;
    context.fillStyle = colours.tint;
    context.fillRect(0, 0, geometry.width, OVERVIEW);
    context.fillStyle = colours.soft;
    context.textAlign = 'left';
    context.fillText('all of it', 10, OVERVIEW / 2);
    const pixel = this.#overviewPixel();
    const load = new Float32Array(Math.ceil(geometry.trackWidth) + 1);
    let cpus = 0;
    this.lanes.traces.forEach((trace, number) => {
      for (const cpu of trace.cpus.slice(0, 64)) {
        cpus += 1;
        this.tiles.visit(number, `c${cpu}`, pixel, viewport.begin, viewport.end, (items, from, to) => {
          this.#addLoad(items, from, to, load);
        });
      }
    });
    context.fillStyle = colours.states[RUN];
    for (let i = 0; i < load.length; i += 1) {
      const height = Math.min(1, load[i] / Math.max(1, cpus)) * (OVERVIEW - 4);
      if (height > 0.3) context.fillRect(geometry.left + i, OVERVIEW - 1 - height, 1, height);
    }
    const from = geometry.overviewX(viewport.from);
    const to = Math.max(from + 3, geometry.overviewX(viewport.to));
    context.globalAlpha = 0.55;
    context.fillStyle = colours.tint;
    context.fillRect(geometry.left, 0, Math.max(0, from - geometry.left), OVERVIEW);
    context.fillRect(to, 0, geometry.width - to, OVERVIEW);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.strokeRect(Math.max(geometry.left, from) + 0.5, 0.5, Math.min(to, geometry.width) - from - 1, OVERVIEW - 1);
  }

  #addLoad(items, from, to, load) {
    const { geometry } = this;
    for (let i = 0; i < 2 * items.count; i += 2) {
      const info = items.words[i + 1];
      const share = (info & 0xff) !== RUN ? (info >>> 24) / 255 : info & MERGED ? ((info >> 16) & 0xff) / 255 : 1;
      if (share === 0) continue;
      const begin = geometry.overviewX(Math.max(from, items.times[i])) - geometry.left;
      const end = geometry.overviewX(Math.min(to, items.times[i + 1])) - geometry.left;
      for (let x = Math.max(0, Math.floor(begin)); x < Math.min(load.length, end); x += 1) {
        load[x] += share * (Math.min(end, x + 1) - Math.max(begin, x));
      }
    }
  }

  // --- Rows -------------------------------------------------------------------------------------------------------

  #rows(rows) {
    const { geometry } = this;
    const bars = new Bars();
    const texts = [];
    for (const row of rows) {
      if (!row.lane) this.#header(row, geometry.rowY(row));
    }
    this.#clipped(geometry.left, 0, geometry.trackWidth, geometry.height, () => {
      for (const row of rows) {
        if (row.lane) this.#lane(row, geometry.rowY(row), bars, texts);
      }
      bars.draw(this.context);
      this.#texts(texts);
    });
    for (const row of rows) {
      if (row.lane) this.#label(row, geometry.rowY(row));
    }
  }

  #header(row, y) {
    const { context, geometry, colours } = this;
    context.fillStyle = row.isTrace ? colours.line : colours.tint;
    context.fillRect(0, y, geometry.width, row.height);
    if (row.isTrace) {
      context.fillStyle = colours.accent;
      context.fillRect(0, y, geometry.width, 2);
    }
    context.fillStyle = colours.ink;
    context.textAlign = 'left';
    context.font = `600 ${FONT}`;
    const time = row.run ? `  ${duration(row.run)} on CPUs` : '';
    const text = `${row.isOpen ? '▾' : '▸'} ${row.label}`;
    context.fillText(text, 8, y + row.height / 2);
    const width = context.measureText(text).width;
    context.font = FONT;
    context.fillStyle = colours.soft;
    context.fillText(time, 10 + width, y + row.height / 2);
  }

  #label(row, y) {
    const { context, geometry, colours } = this;
    context.fillStyle = row.isPinned ? colours.card : colours.paper;
    context.fillRect(0, y, geometry.left - 1, row.height + 2);
    const isSelected = this.selectedLane === `${row.trace}:${row.lane}`;
    if (isSelected) {
      context.fillStyle = colours.accent;
      context.fillRect(0, y, 3, row.height);
    }
    context.fillStyle = isSelected ? colours.ink : row.isSub ? colours.faint : colours.soft;
    context.textAlign = 'left';
    const trace = row.isPinned && this.lanes.traces.length > 1 ? `${row.trace + 1}: ` : '';
    const x = row.isSub && !row.isPinned ? 26 : 14;
    context.fillText(this.#fit(trace + row.label, geometry.left - x - 8), x, y + Math.min(row.height, 24) / 2 + 0.5);
    const most = row.kind === 'k' ? row.most?.toLocaleString('en-US', { maximumFractionDigits: 3 }) : undefined;
    const note = row.note ?? most;
    if (note === undefined) return;
    context.textAlign = 'right';
    context.fillStyle = row.note ? colours.error : colours.faint;
    context.fillText(this.#fit(note, geometry.left - 12), geometry.left - 6, y + 26);
  }

  #lane(row, y, bars, texts) {
    const { geometry } = this;
    const { from, to } = geometry.viewport;
    const pixel = pixelFor(geometry.nsPerPixel);
    const draw = { c: this.#cpu, s: this.#states, d: this.#spans, a: this.#spans, g: this.#spans, i: this.#instants,
      l: this.#instants, k: this.#counter }[row.kind];
    if (row.kind === 'k') this.#measureCounter(row, pixel);
    this.tiles.visit(row.trace, row.lane, pixel, from, to, (items, begin, end) => {
      draw.call(this, row, y, items, begin, end, bars, texts);
    });
  }

  // The width of a bar. A pixel separates adjacent bars. A bar that continues in the next tile overlaps with it.
  #shown(width, end, to) {
    if (end > to) return width + 0.6;
    return width > 3 ? width - 1 : Math.max(width, 0.5);
  }

  // The width for a text. An item in several tiles has its text only once; 0: none here.
  #textRoom(times, i, from, x) {
    const { geometry } = this;
    if (times[i] < from && from > geometry.viewport.from) return 0;
    return geometry.x(Math.min(times[i + 1], geometry.viewport.to)) - x - 1;
  }

  // Calls each(i, x, width) for the items in [from, to). Items at the edges of a tile are cut there.
  #each(items, from, to, each) {
    const { geometry } = this;
    const { times, count } = items;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[2 * middle + 1] < from) low = middle + 1;
      else high = middle;
    }
    const scale = 1 / geometry.nsPerPixel;
    const left = geometry.left - geometry.viewport.from * scale;
    for (let i = 2 * low; i < 2 * count; i += 2) {
      if (times[i] >= to) break;
      const begin = Math.max(times[i], from) * scale + left;
      const end = Math.min(times[i + 1], to) * scale + left;
      each(i, begin, end - begin);
    }
  }

  #cpu(row, y, items, from, to, bars, texts) {
    const { colours } = this;
    this.#each(items, from, to, (i, x, width) => {
      const value = items.words[i];
      const info = items.words[i + 1];
      const state = info & 0xff;
      if (state === UNKNOWN) {
        bars.add(colours.states[UNKNOWN], x, y + row.height - 6, Math.max(width, 0.5), 6);
        if ((info >>> 24) === 0) return;
      }
      const thread = this.lanes.thread(row.trace, value);
      const colour = thread ? this.#taskColour(thread) : colours.states[RUN];
      if (info & MERGED) {
        const share = state === RUN ? (info >> 16) & 0xff : info >>> 24;
        const height = Math.max(1, Math.round((row.height * share) / 255));
        bars.add(colour, x, y + row.height - height, Math.max(width, 0.6), height);
        return;
      }
      bars.add(colour, x, y, this.#shown(width, items.times[i + 1], to), row.height);
      const room = this.#textRoom(items.times, i, from, x);
      if (room > MIN_TEXT && thread) {
        texts.push(threadLabel(thread), x, y, room, row.height, colour);
      }
    });
  }

  #taskColour(thread) {
    thread.colour ??= {};
    return (thread.colour[this.theme] ??= taskColour(this.colours, thread.process.name || thread.name || ''));
  }

  #states(row, y, items, from, to, bars, texts) {
    const { colours } = this;
    this.#each(items, from, to, (i, x, width) => {
      const info = items.words[i + 1];
      const state = info & 0xff;
      const colour = colours.states[state];
      if (info & MERGED) {
        const run = info >>> 24;
        const isThin = state === SLEEP;
        const height = isThin ? row.height / 3 : row.height;
        bars.add(colour, x, y + row.height - height, Math.max(width, 0.6), height);
        if (run > 0 && state !== RUN) {
          const part = Math.max(2, Math.round((row.height * run) / 255));
          bars.add(colours.states[RUN], x, y + row.height - part, Math.max(width, 0.6), part);
        }
        return;
      }
      const shown = this.#shown(width, items.times[i + 1], to);
      if (state === SLEEP || state === BLOCKED) {
        const room = this.#textRoom(items.times, i, from, x);
        this.#sleep(row, y, items.words[i], state, x, shown, room, bars, texts);
      } else if (state === UNKNOWN) {
        bars.add(colour, x, y + row.height - 5, shown, 3);
      } else {
        bars.add(colour, x, y, shown, row.height);
      }
    });
  }

  #sleep(row, y, label, state, x, width, room, bars, texts) {
    const { colours } = this;
    const text = label === 0 ? '' : this.labels[row.trace].get(label) ?? '';
    const kind = text === '' ? null : sleepClass(text);
    const colour = state === BLOCKED ? colours.states[BLOCKED] : kind ? colours[`sleep-${kind}`] : colours.states[SLEEP];
    const height = state === BLOCKED ? row.height : row.height - 6;
    bars.add(colour, x, y + row.height - height, width, height);
    if (text !== '' && room > MIN_TEXT) texts.push(text, x, y + row.height - height, room, height, colour);
  }

  #spans(row, y, items, from, to, bars, texts) {
    const { colours } = this;
    const depths = Math.round(row.height / row.unit);
    // The spans of a tile are not sorted by their ends.
    const { geometry } = this;
    for (let i = 0; i < 2 * items.count; i += 2) {
      if (items.times[i] >= to || items.times[i + 1] < from) continue;
      const info = items.words[i + 1];
      const depth = info & 0xff;
      if (depth >= depths) continue;
      const x = geometry.x(Math.max(items.times[i], from));
      const width = geometry.x(Math.min(items.times[i + 1], to)) - x;
      const name = this.labels[row.trace].get(items.words[i]);
      const colour = row.kind === 'g' ? colours.states[UNKNOWN]
        : colours.tasks[hashOf(name ?? String(items.words[i])) % colours.tasks.length];
      const shown = Math.max(this.#shown(width, items.times[i + 1], to), 0.8);
      const top = y + depth * row.unit;
      bars.add(colour, x, top, shown, row.unit - 1);
      if (info & CUT) bars.add(colours.states[UNKNOWN], x + shown - 2, top, 2, row.unit - 1);
      const room = this.#textRoom(items.times, i, from, x);
      if (name && room > MIN_TEXT && row.unit > 10 && !(info & MERGED)) texts.push(name, x, top, room, row.unit - 1, colour);
    }
  }

  #instants(row, y, items, from, to, bars) {
    const { geometry, colours } = this;
    const colour = row.kind === 'l' ? colours.error : colours.instant;
    for (let i = 0; i < 2 * items.count; i += 2) {
      const time = items.times[i];
      if (time < from || time >= to) continue;
      const count = (items.words[i + 1] >> 16) & 0xff;
      const height = row.kind === 'l' ? row.height : Math.min(row.height, 4 + Math.log2(count) * 2);
      bars.add(colour, geometry.x(time) - 0.75, y + row.height - height, 1.5, height);
    }
  }

  #measureCounter(row, pixel) {
    const { from, to } = this.geometry.viewport;
    row.least = 0;
    row.most = 0;
    this.tiles.visit(row.trace, row.lane, pixel, from, to, (items) => {
      for (let i = 0; i < items.count; i += 1) {
        const [least, most] = items.extremes(i);
        row.least = Math.min(row.least, least);
        row.most = Math.max(row.most, most);
      }
    });
  }

  #counter(row, y, items, from, to, bars) {
    const { geometry, colours } = this;
    const range = row.most - row.least || 1;
    const level = (value) => y + row.height - 1 - ((value - row.least) / range) * (row.height - 4);
    const zero = level(Math.max(row.least, 0));
    for (let i = 0; i < items.count; i += 1) {
      const begin = Math.max(from, items.times[2 * i]);
      const end = i + 1 < items.count ? Math.min(to, items.times[2 * i + 2]) : to;
      if (end <= begin) continue;
      const x = geometry.x(begin);
      const top = level(items.times[2 * i + 1]);
      bars.add(colours.counter, x, Math.min(top, zero), Math.max(0.7, geometry.x(end) - x),
        Math.max(1, Math.abs(zero - top)));
      const [least, most] = items.extremes(i);
      if (most > least) bars.add(colours.counter, x, level(most), 1, Math.max(1, level(least) - level(most)));
    }
  }

  // --- Text -------------------------------------------------------------------------------------------------------

  #texts(texts) {
    const { context, colours } = this;
    context.textAlign = 'left';
    const left = this.geometry.left;
    for (let i = 0; i < texts.length; i += 6) {
      const [text, x, y, width, height, colour] = texts.slice(i, i + 6);
      const begin = Math.max(x, left);
      const fit = this.#fit(text, x + width - begin - 6);
      if (fit === '') continue;
      context.fillStyle = this.#inkOn(colour, colours);
      context.fillText(fit, begin + 3, y + height / 2 + 0.5);
    }
  }

  #inkOn(colour, colours) {
    this.inks ??= new Map();
    let ink = this.inks.get(colour);
    if (ink === undefined) {
      const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
      ink = 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2 > 0.19 ? colours['dark-text'] : colours['light-text'];
      this.inks.set(colour, ink);
    }
    return ink;
  }

  // The part of the text that fits the width.
  #fit(text, width) {
    if (width < 12) return '';
    const whole = this.#widthOf(text);
    if (whole <= width) return text;
    for (let count = Math.floor((text.length * width) / whole); count >= 2; count -= 1) {
      const cut = `${text.slice(0, count)}…`;
      if (this.#widthOf(cut) <= width) return cut;
    }
    return '';
  }

  #widthOf(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      if (this.widths.size > 20000) this.widths.clear();
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }
}
