// SPDX-License-Identifier: BSD-2-Clause
// Converts between times and pixels, and between rows and heights on the canvas.

export const OVERVIEW = 26;
export const AXIS = 26;
export const HEAD = OVERVIEW + AXIS;

export class Geometry {
  constructor(viewport, lanes) {
    this.viewport = viewport;
    this.lanes = lanes;
    this.width = 1;
    this.height = 1;
    this.left = 160; // left edge of the tracks; the labels are left of it
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.left = Math.round(Math.min(300, Math.max(132, width * 0.17)));
  }

  get trackWidth() {
    return Math.max(1, this.width - this.left);
  }

  get nsPerPixel() {
    return this.viewport.length / this.trackWidth;
  }

  x(time) {
    return this.left + (time - this.viewport.from) / this.nsPerPixel;
  }

  time(x) {
    return this.viewport.from + (x - this.left) * this.nsPerPixel;
  }

  /** The position of a time in the overview, which shows the whole traces. */
  overviewX(time) {
    const { begin, end } = this.viewport;
    return this.left + ((time - begin) / (end - begin)) * this.trackWidth;
  }

  overviewTime(x) {
    const { begin, end } = this.viewport;
    return begin + ((x - this.left) / this.trackWidth) * (end - begin);
  }

  /** The height of the pinned rows, which do not scroll. */
  get pinnedHeight() {
    const { rows, pinnedRows } = this.lanes;
    if (!pinnedRows) return 0;
    const last = rows[pinnedRows - 1];
    return Math.min(last.y + last.height + 4, (this.height - HEAD) / 2);
  }

  get maxScroll() {
    return Math.max(0, this.lanes.height - (this.height - HEAD) + 24);
  }

  rowY(row) {
    return HEAD + row.y - (row.isPinned ? 0 : this.viewport.scroll);
  }

  /** The rows in sight. */
  visibleRows() {
    const { rows, pinnedRows } = this.lanes;
    const pinned = rows.slice(0, pinnedRows);
    const from = this.viewport.scroll + this.pinnedHeight;
    const to = this.viewport.scroll + this.height - HEAD;
    let low = pinnedRows;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].y + rows[middle].height < from) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < rows.length && rows[end].y < to) end += 1;
    return { pinned, scrolled: rows.slice(low, end) };
  }

  rowAt(y) {
    if (y < HEAD) return null;
    const { pinned, scrolled } = this.visibleRows();
    const isIn = (row) => y >= this.rowY(row) && y < this.rowY(row) + row.height + 2;
    if (y < HEAD + this.pinnedHeight) return pinned.find(isIn) ?? null;
    return scrolled.find(isIn) ?? null;
  }

  /** The line of nested spans at `y`. */
  depthAt(row, y) {
    if (row.kind !== 'd' && row.kind !== 'a') return 0;
    return Math.max(0, Math.floor((y - this.rowY(row)) / row.unit));
  }

  /** Scrolls so that the row is in sight. */
  scrollTo(row) {
    if (row.isPinned) return;
    const top = this.viewport.scroll + this.pinnedHeight;
    const bottom = this.viewport.scroll + this.height - HEAD;
    if (row.y >= top && row.y + row.height <= bottom) return;
    const middle = row.y - this.pinnedHeight - (this.height - HEAD - this.pinnedHeight) / 2;
    this.viewport.scroll = Math.min(Math.max(0, middle), this.maxScroll);
  }
}
