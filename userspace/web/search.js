// SPDX-License-Identifier: BSD-2-Clause
// Searches names of threads, spans and instants, and arguments. Goes to the next and previous hit.
import * as api from './api.js';
import { threadLabel } from './lanes.js';
import { formatCount } from './text.js';

const MAX_LANES = 500;

export class Search {
  constructor(input, count, app) {
    this.input = input;
    this.count = count;
    this.app = app;
    this.text = '';
    this.hits = [];
    this.at = -1;
    this.all = 0;
    this.serial = 0;
    input.addEventListener('keydown', (event) => this.#onKey(event));
  }

  #onKey(event) {
    if (event.key === 'Enter') {
      event.preventDefault();
      this.go(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      this.input.value = '';
      this.#reset();
      this.app.focusTracks();
    }
  }

  #reset() {
    this.serial += 1;
    this.text = '';
    this.hits = [];
    this.at = -1;
    this.all = 0;
    this.#show();
  }

  #show() {
    const { overlay } = this.app;
    overlay.hits = this.hits.filter((hit) => hit.begin !== undefined);
    overlay.hit = overlay.hits.indexOf(this.hits[this.at]);
    const some = this.hits.length < this.all ? ` (${formatCount(this.hits.length)} kept)` : '';
    this.count.textContent = this.text === '' ? ''
      : this.all === 0 ? 'nothing found' : `${this.at + 1} of ${formatCount(this.all)}${some}`;
    this.app.changed();
  }

  /** To the next hit (1) or the previous one (-1); searches first if the text is another one. */
  async go(step) {
    const text = this.input.value.trim();
    if (text === '') return this.#reset();
    if (text !== this.text) {
      await this.#search(text);
    } else if (this.hits.length > 0) {
      this.at = (this.at + step + this.hits.length) % this.hits.length;
    }
    this.#show();
    const hit = this.hits[this.at];
    if (!hit) return undefined;
    if (hit.begin === undefined) return this.app.goTo(hit.trace, hit.lane, null);
    return this.app.goTo(hit.trace, hit.lane, hit.begin, hit);
  }

  async #search(text) {
    const serial = this.serial += 1;
    this.count.textContent = 'searching …';
    const { lanes } = this.app;
    const hits = this.#threads(text);
    let all = hits.length;
    for (let trace = 0; trace < lanes.traces.length; trace += 1) {
      const found = await api.find(trace, text, lanes.traces.length > 1 ? this.app.viewport.begin : 0);
      if (serial !== this.serial) return;
      all += found.count ?? 0;
      hits.push(...(found.hits ?? []).map((hit) => ({ ...hit, trace })));
    }
    this.text = text;
    this.hits = hits;
    this.all = all;
    this.at = hits.length > 0 ? 0 : -1;
  }

  #threads(text) {
    const wanted = text.toLowerCase();
    const hits = [];
    this.app.lanes.traces.forEach((trace, number) => {
      for (const process of trace.processes) {
        for (const thread of process.threads) {
          if (!thread.states || hits.length >= MAX_LANES) continue;
          if (`${threadLabel(thread)} ${process.name ?? ''} ${process.pid ?? ''}`.toLowerCase().includes(wanted)) {
            hits.push({ trace: number, lane: `s${thread.number}` });
          }
        }
      }
    });
    return hits;
  }
}
