// SPDX-License-Identifier: BSD-2-Clause
// Keys and the mouse on the timeline.
import { AXIS, HEAD, OVERVIEW } from './geometry.js';
import { toggleTheme } from './theme.js';

// Fraction of the shown time, per second.
const PAN_SPEED = 1.2;
const ZOOM_SPEED = 2.6;
const HELD = new Set(['w', 'a', 's', 'd']);

export class Input {
  constructor(canvas, app) {
    this.canvas = canvas;
    this.app = app;
    this.held = new Set();
    this.last = 0;
    this.drag = null; // {kind, x, y, ...}
    this.mouse = { x: 0, y: 0 };
    canvas.addEventListener('pointerdown', (event) => this.#down(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#up(event));
    canvas.addEventListener('pointerleave', () => {
      app.overlay.pointer = null;
      app.changed();
    });
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    document.addEventListener('keydown', (event) => this.#key(event));
    document.addEventListener('keyup', (event) => this.held.delete(event.key.toLowerCase()));
    window.addEventListener('blur', () => this.held.clear());
  }

  // --- Keys -------------------------------------------------------------------------------------------------------

  #key(event) {
    const isText = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName ?? '');
    if (isText || document.querySelector('dialog[open]')) return;
    const key = event.key.toLowerCase();
    const { app } = this;
    if ((event.ctrlKey || event.metaKey) && key === 'z') {
      event.preventDefault();
      app.undo(event.shiftKey);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (HELD.has(key)) {
      this.held.add(key);
      app.changed();
      return;
    }
    const actions = {
      f: () => app.fit(), m: () => app.mark(), '/': () => app.focusSearch(), '?': () => app.showHelp(),
      n: () => app.search.go(event.shiftKey ? -1 : 1), p: () => app.pinSelected(), h: () => app.toggleIdle(),
      u: () => app.undo(event.shiftKey), escape: () => app.clearSelection(), 0: () => app.viewport.showAll(),
      ',': () => app.step(-1), '.': () => app.step(1), t: toggleTheme,
      arrowleft: () => app.viewport.pan(-app.viewport.length / 4),
      arrowright: () => app.viewport.pan(app.viewport.length / 4),
      arrowup: () => app.scrollBy(-60), arrowdown: () => app.scrollBy(60),
      pageup: () => app.scrollBy(-400), pagedown: () => app.scrollBy(400),
    };
    if (!actions[key]) return;
    if (event.target.tagName !== 'BUTTON' || !key.startsWith('arrow')) event.preventDefault();
    actions[key]();
  }

  /** Moves as long as keys are held. True if it goes on. */
  frame(now) {
    const seconds = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.held.size === 0) return false;
    const { viewport, geometry } = this.app;
    const isIn = this.mouse.x > geometry.left && this.mouse.x < geometry.width;
    const at = isIn ? geometry.time(this.mouse.x) : (viewport.from + viewport.to) / 2;
    if (this.held.has('w')) viewport.zoom(Math.exp(-ZOOM_SPEED * seconds), at);
    if (this.held.has('s')) viewport.zoom(Math.exp(ZOOM_SPEED * seconds), at);
    if (this.held.has('a')) viewport.pan(-viewport.length * PAN_SPEED * seconds);
    if (this.held.has('d')) viewport.pan(viewport.length * PAN_SPEED * seconds);
    return true;
  }

  // --- Mouse ------------------------------------------------------------------------------------------------------

  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (event.button !== 0) return;
    this.canvas.focus();
    const { x, y } = this.#place(event);
    const { geometry, viewport } = this.app;
    this.canvas.setPointerCapture(event.pointerId);
    let kind = 'pan';
    if (x < geometry.left) kind = 'label';
    else if (y < OVERVIEW) kind = 'overview';
    else if (y < OVERVIEW + AXIS || event.shiftKey) kind = 'range';
    this.drag = { kind, x, y, from: viewport.from, to: viewport.to, scroll: viewport.scroll, time: geometry.time(x),
      isMoved: false };
    if (kind === 'overview') this.#overview(x);
  }

  #overview(x) {
    const { geometry, viewport } = this.app;
    const time = geometry.overviewTime(x);
    viewport.show(time - viewport.length / 2, time + viewport.length / 2);
  }

  #move(event) {
    const { x, y } = this.#place(event);
    this.mouse = { x, y };
    const { app, drag } = this;
    const { geometry, viewport } = app;
    app.overlay.pointer = x > geometry.left && y > HEAD ? Math.round(x) : null;
    app.changed();
    if (!drag) {
      this.canvas.style.cursor = x < geometry.left ? 'default' : y < HEAD ? 'ew-resize' : 'crosshair';
      return;
    }
    drag.isMoved ||= Math.abs(x - drag.x) + Math.abs(y - drag.y) > 4;
    if (!drag.isMoved) return;
    if (drag.kind === 'overview') this.#overview(x);
    if (drag.kind === 'range') {
      const time = geometry.time(Math.max(geometry.left, Math.min(geometry.width, x)));
      app.setRange(Math.min(time, drag.time), Math.max(time, drag.time), false);
    }
    if (drag.kind === 'pan') {
      const ns = (drag.x - x) * geometry.nsPerPixel;
      viewport.show(drag.from + ns, drag.to + ns);
      app.scrollTo(drag.scroll + drag.y - y);
    }
  }

  #up(event) {
    const { app, drag } = this;
    this.drag = null;
    if (!drag) return;
    const { x, y } = this.#place(event);
    if (drag.isMoved) {
      if (drag.kind === 'range') app.showRange();
      app.viewport.changed();
      return;
    }
    if (drag.kind === 'range' && !event.shiftKey) app.setRange(null);
    const row = app.geometry.rowAt(y);
    if (!row) return;
    if (!row.lane) app.toggle(row);
    else if (drag.kind === 'label') app.selectRow(row);
    else if (drag.kind === 'pan') app.click(row, app.geometry.time(x), app.geometry.depthAt(row, y));
  }

  #wheel(event) {
    event.preventDefault();
    const { x } = this.#place(event);
    const { app } = this;
    const { geometry, viewport } = app;
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      viewport.zoom(Math.exp(event.deltaY * unit * 0.002), geometry.time(Math.max(x, geometry.left)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      viewport.pan((event.deltaX || event.deltaY) * unit * geometry.nsPerPixel);
    } else {
      app.scrollBy(event.deltaY * unit);
    }
  }
}
