// SPDX-License-Identifier: BSD-2-Clause
// Caches tiles, requests missing ones, and finds the best available ones.
import * as api from './api.js';

export const TILE_PIXELS = 512;
const MAX_BYTES = 48 << 20;
const MAX_REQUESTS = 4;
const MAX_LANES = 100;
// Number of other resolutions that may replace a missing tile.
const COARSER = 12;
const FINER = 3;

/** The length of a pixel of tiles, ns: a power of two, at most that of the screen. */
export function pixelFor(nsPerPixel) {
  return 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, nsPerPixel))));
}

export class Tiles {
  constructor(onTile) {
    this.onTile = onTile;
    this.tiles = new Map(); // "trace/pixel/index" -> {lanes: lane -> {items, generation}, bytes, used}
    this.bytes = 0;
    this.clock = 0;
    this.generation = 0;
    this.requests = 0;
    this.pending = new Set(); // requested tiles: "key/lane"
    this.failures = 0;
  }

  /** The trace has grown: all is asked for again, and shown until the answers come. */
  outdate() {
    this.generation += 1;
  }

  #key(trace, pixel, index) {
    return `${trace}/${pixel}/${index}`;
  }

  #items(trace, pixel, index, lane) {
    const tile = this.tiles.get(this.#key(trace, pixel, index));
    if (!tile) return null;
    tile.used = this.clock;
    return tile.lanes.get(lane)?.items ?? null;
  }

  /**
   * Calls draw(items, from, to) for parts of [from, to) of a lane, with the best available items for a
   * resolution of `pixel`.
   */
  visit(trace, lane, pixel, from, to, draw) {
    const length = pixel * TILE_PIXELS;
    for (let index = Math.floor(from / length); index * length < to; index += 1) {
      const begin = Math.max(from, index * length);
      const end = Math.min(to, (index + 1) * length);
      const items = this.#items(trace, pixel, index, lane);
      if (items) {
        draw(items, begin, end);
      } else {
        this.#visitOther(trace, lane, pixel, index, begin, end, draw);
      }
    }
  }

  #visitOther(trace, lane, pixel, index, begin, end, draw) {
    for (let level = 1, at = index; level <= COARSER; level += 1) {
      at = Math.floor(at / 2);
      const items = this.#items(trace, pixel * 2 ** level, at, lane);
      if (items) return draw(items, begin, end);
    }
    for (let level = 1; level <= FINER; level += 1) {
      const finer = pixel / 2 ** level;
      if (finer < 1) return undefined;
      const length = finer * TILE_PIXELS;
      let isAny = false;
      for (let at = Math.floor(begin / length); at * length < end; at += 1) {
        const items = this.#items(trace, finer, at, lane);
        if (!items) continue;
        isAny = true;
        draw(items, Math.max(begin, at * length), Math.min(end, (at + 1) * length));
      }
      if (isAny) return undefined;
    }
    return undefined;
  }

  /** Asks for the tiles of `lanes` in [from, to) that are missing or old. */
  want(trace, lanes, pixel, from, to) {
    this.clock += 1;
    const length = pixel * TILE_PIXELS;
    for (let index = Math.floor(from / length); index * length < to; index += 1) {
      if (index < 0) continue;
      const key = this.#key(trace, pixel, index);
      const tile = this.tiles.get(key);
      const missing = lanes.filter((lane) => {
        if (this.pending.has(`${key}/${lane}`)) return false;
        return (tile?.lanes.get(lane)?.generation ?? -1) < this.generation;
      });
      if (missing.length > 0 && this.requests < MAX_REQUESTS) {
        this.#ask(trace, pixel, index, missing.slice(0, MAX_LANES));
      }
    }
  }

  /** Whether all that was wanted is there. */
  get isSettled() {
    return this.requests === 0;
  }

  async #ask(trace, pixel, index, lanes) {
    const key = this.#key(trace, pixel, index);
    const length = pixel * TILE_PIXELS;
    const generation = this.generation;
    this.requests += 1;
    lanes.forEach((lane) => this.pending.add(`${key}/${lane}`));
    try {
      const found = await api.tile(trace, index * length, (index + 1) * length, pixel, lanes);
      this.#keep(key, lanes, found, generation);
      this.failures = 0;
    } catch {
      this.failures += 1;
    }
    lanes.forEach((lane) => this.pending.delete(`${key}/${lane}`));
    this.requests -= 1;
    if (this.failures < 5) this.onTile();
  }

  #keep(key, lanes, found, generation) {
    let tile = this.tiles.get(key);
    if (!tile) {
      tile = { lanes: new Map(), bytes: 0, used: this.clock };
      this.tiles.set(key, tile);
    }
    lanes.forEach((lane, i) => {
      const before = tile.lanes.get(lane)?.items.bytes ?? 0;
      tile.lanes.set(lane, { items: found[i], generation });
      tile.bytes += found[i].bytes - before;
      this.bytes += found[i].bytes - before;
    });
    if (this.bytes > MAX_BYTES) this.#drop();
  }

  #drop() {
    const oldest = [...this.tiles].sort((a, b) => a[1].used - b[1].used);
    for (const [key, tile] of oldest) {
      if (this.bytes < MAX_BYTES * 0.7 || tile.used === this.clock) break;
      this.tiles.delete(key);
      this.bytes -= tile.bytes;
    }
  }
}
