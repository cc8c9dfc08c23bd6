// SPDX-License-Identifier: BSD-2-Clause
// Draws on top of the tracks: the selection, the interval, marks, wakeups, critical paths.
import { AXIS, HEAD, OVERVIEW } from './geometry.js';
import { duration } from './text.js';

const PATH_COLOURS = { running: 1, runnable: 2, preempted: 3, sleep: 4, blocked: 5, unknown: 8 };

// Minimum distance in pixels between the lines from lane to lane of a critical path.
const MIN_LINE_GAP = 8;

export class Overlay {
  constructor(geometry, lanes) {
    this.geometry = geometry;
    this.lanes = lanes;
    this.colours = null;
    this.selected = null; // {trace, lane, begin, end, depth}
    // For wakeups {trace, from: lane, to: lane, time}; for flows also toTime, fromDepth and toDepth.
    this.arrows = [];
    this.path = []; // {trace, lane, from, to, kind}
    this.pointer = null; // x of the mouse over the tracks
    this.hits = []; // {trace, lane, begin, end, depth}
    this.hit = -1;
  }

  tracks(context) {
    this.#range(context);
    this.#marks(context);
    this.#hits(context);
    this.#path(context);
    this.#selection(context);
    this.arrows.forEach((arrow) => (arrow.toTime === undefined ? this.#arrow(context, arrow) : this.#flow(context, arrow)));
    if (this.pointer !== null) {
      context.globalAlpha = 0.35;
      context.fillStyle = this.colours.ink;
      context.fillRect(this.pointer, HEAD, 1, this.geometry.height);
      context.globalAlpha = 1;
    }
  }

  head(context) {
    const { geometry, colours } = this;
    const { range, marks } = geometry.viewport;
    context.textAlign = 'center';
    for (const mark of marks) {
      const x = geometry.x(mark.from);
      if (x < geometry.left || x > geometry.width) continue;
      context.fillStyle = colours.mark;
      context.beginPath();
      context.moveTo(x - 4, OVERVIEW + AXIS - 8);
      context.lineTo(x + 4, OVERVIEW + AXIS - 8);
      context.lineTo(x, OVERVIEW + AXIS - 1);
      context.fill();
    }
    if (!range) return;
    const from = Math.max(geometry.left, geometry.x(range.from));
    const to = Math.min(geometry.width, geometry.x(range.to));
    if (to <= from) return;
    context.fillStyle = colours.accent;
    context.fillRect(from, HEAD - 4, to - from, 3);
    const text = duration(range.to - range.from);
    const width = context.measureText(text).width + 24;
    if (to - from < width) return;
    context.fillStyle = colours.tint;
    context.fillRect((from + to - width) / 2, OVERVIEW + 4, width, 16);
    context.fillStyle = colours.ink;
    context.fillText(text, (from + to) / 2, OVERVIEW + AXIS / 2);
  }

  #rowOf(trace, lane) {
    return this.lanes.byLane.get(`${trace}:${lane}`) ?? null;
  }

  #box(row, begin, end, depth) {
    const { geometry } = this;
    const isRows = row.kind === 'd' || row.kind === 'a';
    const x = Math.max(geometry.left - 4, geometry.x(begin));
    const right = Math.min(geometry.width + 4, geometry.x(end));
    const y = geometry.rowY(row) + (isRows ? depth * row.unit : 0);
    return [x, y, Math.max(2, right - x), isRows ? row.unit - 1 : row.height];
  }

  #range(context) {
    const { geometry, colours } = this;
    const { range } = geometry.viewport;
    if (!range) return;
    const from = geometry.x(range.from);
    const to = geometry.x(range.to);
    context.globalAlpha = 0.12;
    context.fillStyle = colours.accent;
    context.fillRect(from, HEAD, to - from, geometry.height);
    context.globalAlpha = 1;
    context.fillStyle = colours.accent;
    context.fillRect(from, HEAD, 1, geometry.height);
    context.fillRect(to, HEAD, 1, geometry.height);
  }

  #marks(context) {
    const { geometry, colours } = this;
    for (const mark of geometry.viewport.marks) {
      context.fillStyle = colours.mark;
      context.fillRect(geometry.x(mark.from), HEAD, 1, geometry.height);
      if (mark.to === mark.from) continue;
      context.fillRect(geometry.x(mark.to), HEAD, 1, geometry.height);
      context.globalAlpha = 0.08;
      context.fillRect(geometry.x(mark.from), HEAD, geometry.x(mark.to) - geometry.x(mark.from), geometry.height);
      context.globalAlpha = 1;
    }
  }

  #hits(context) {
    const { viewport } = this.geometry;
    context.strokeStyle = this.colours.hit;
    this.hits.forEach((hit, i) => {
      if (hit.end < viewport.from || hit.begin > viewport.to) return;
      const row = this.#rowOf(hit.trace, hit.lane);
      if (!row) return;
      context.lineWidth = i === this.hit ? 2.5 : 1;
      context.strokeRect(...this.#box(row, hit.begin, hit.end, hit.depth ?? 0));
    });
    context.lineWidth = 1;
  }

  #selection(context) {
    const { selected, colours } = this;
    if (!selected) return;
    const row = this.#rowOf(selected.trace, selected.lane);
    if (!row) return;
    const [x, y, width, height] = this.#box(row, selected.begin, selected.end, selected.depth ?? 0);
    context.strokeStyle = colours.paper;
    context.lineWidth = 4;
    context.strokeRect(x, y, width, height);
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x, y, width, height);
    context.lineWidth = 1;
  }

  // The vertical middle of a lane; at the top edge for lanes without a row.
  #middle(trace, lane) {
    const row = this.#rowOf(trace, lane);
    return row ? this.geometry.rowY(row) + row.height / 2 : HEAD + 4;
  }

  #arrow(context, arrow) {
    const { geometry, colours } = this;
    const x = geometry.x(arrow.time);
    const to = this.#middle(arrow.trace, arrow.to);
    const from = arrow.from ? this.#middle(arrow.trace, arrow.from) : HEAD + 4;
    const direction = to >= from ? 1 : -1;
    const bow = Math.min(40, Math.max(12, Math.abs(to - from) / 4));
    context.strokeStyle = colours.arrow;
    context.fillStyle = colours.arrow;
    context.lineWidth = 2;
    context.setLineDash(arrow.from ? [] : [4, 3]);
    context.beginPath();
    context.moveTo(x, from);
    context.bezierCurveTo(x - bow, from + direction * bow, x - bow, to - direction * bow, x, to);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
    context.beginPath();
    context.arc(x, from, 3, 0, 7);
    context.fill();
    // The curve arrives from the left.
    context.beginPath();
    context.moveTo(x + 1, to);
    context.lineTo(x - 8, to - 4);
    context.lineTo(x - 6, to + 4);
    context.fill();
  }

  // The upper and the lower edge of a span's bar.
  #edgesOfSpan(trace, lane, depth) {
    const row = this.#rowOf(trace, lane);
    if (!row) return [HEAD + 4, HEAD + 4];
    const shown = Math.min(depth, Math.round(row.height / row.unit) - 1);
    const top = this.geometry.rowY(row) + shown * row.unit;
    return [top, top + row.unit - 1];
  }

  // Draws a flow between the edges of the two bars, so that it does not cover their names.
  #flow(context, arrow) {
    const { geometry, colours } = this;
    const [x, toX] = [geometry.x(arrow.time), geometry.x(arrow.toTime)];
    const from = this.#edgesOfSpan(arrow.trace, arrow.from, arrow.fromDepth);
    const to = this.#edgesOfSpan(arrow.trace, arrow.to, arrow.toDepth);
    const isUp = to[0] < from[0];
    const y = from[isUp ? 0 : 1];
    const toY = to[isUp || to[0] === from[0] ? 1 : 0];
    const bow = Math.min(160, Math.max(24, Math.abs(toX - x) / 2));
    const draw = (colour, width) => {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x, y);
      context.bezierCurveTo(x + bow, y, toX - bow, toY, toX - 5, toY);
      context.stroke();
    };
    // A border separates it from bars of the same colour.
    draw(colours.paper, 3.5);
    draw(colours.arrow, 2);
    context.lineWidth = 1;
    context.fillStyle = colours.arrow;
    context.beginPath();
    context.arc(x, y, 3, 0, 7);
    context.fill();
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 8, toY - 4);
    context.lineTo(toX - 8, toY + 4);
    context.fill();
  }

  #path(context) {
    const { geometry, colours } = this;
    let before = null;
    let lastLine = -Infinity;
    context.lineWidth = 1;
    for (const part of this.path) {
      const row = this.#rowOf(part.trace, part.lane);
      const y = row ? geometry.rowY(row) : HEAD;
      const height = row ? row.height : 4;
      const x = geometry.x(part.from);
      const width = Math.max(1.5, geometry.x(part.to) - x);
      // Lines only between visible lanes, and with enough distance, so that they do not cover the lanes.
      if (before?.hasRow && row && before.lane !== part.lane && x - lastLine >= MIN_LINE_GAP) {
        context.strokeStyle = colours.path;
        context.globalAlpha = 0.7;
        context.beginPath();
        context.moveTo(x, before.y);
        context.lineTo(x, y + height / 2);
        context.stroke();
        context.globalAlpha = 1;
        lastLine = x;
      }
      // Bars above and below the lane, so that the states stay visible.
      context.fillStyle = colours.path;
      context.fillRect(x, y - 2, width, 3);
      context.fillStyle = colours.states[PATH_COLOURS[part.kind] ?? 8];
      context.fillRect(x, y + height - 3, width, 3);
      context.fillStyle = colours.path;
      context.fillRect(x, y + height, width, 2);
      before = { lane: part.lane, y: y + height / 2, hasRow: row !== null };
    }
    context.lineWidth = 1;
  }
}
