// SPDX-License-Identifier: BSD-2-Clause
// Values, times and names as text.

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

/** Escapes control and formatting characters of names, as text for a terminal does. */
export function clean(text) {
  return String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, '0')}`);
}

// The number of decimals that show a value of this size with three significant digits.
function decimals(size) {
  return size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.01 ? 2 : 3;
}

/** Three significant digits. */
export function number(value) {
  if (!Number.isFinite(value)) return typeof value === 'string' ? value : '–';
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e7 ? 1 : 2)} M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(size >= 1e5 ? 0 : 1)} k`;
  return value.toFixed(size === 0 ? 0 : decimals(size));
}

/** "12.3 ms" of a length in ns, which may be text. */
export function duration(ns) {
  const size = Math.abs(Number(ns));
  const [unit, name] = UNITS.find(([one]) => size >= one) ?? UNITS.at(-1);
  return `${(Number(ns) / unit).toFixed(unit === 1 ? 0 : decimals(size / unit))} ${name}`;
}

/** "1.234567890 s": a time since the first record, to the nanosecond. */
export function formatTime(ns) {
  const whole = Math.abs(Math.round(ns));
  const seconds = Math.floor(whole / 1e9);
  const rest = String(whole - seconds * 1e9).padStart(9, '0');
  return `${ns < 0 ? '-' : ''}${seconds}.${rest} s`;
}

/** The time axis: a time with as many digits as `step` needs. */
export function formatTick(ns, step) {
  const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(step))));
  return `${(ns / 1e9).toFixed(digits)} s`;
}

/** Other axes: lengths and numbers without trailing zeros. */
export function shortDuration(ns) {
  const [unit, name] = UNITS.find(([one]) => Math.abs(ns) >= one * 0.9999) ?? UNITS.at(-1);
  return `${parseFloat((ns / unit).toPrecision(3))} ${name}`;
}
export function shortNumber(n) {
  return n !== 0 && (Math.abs(n) >= 1e4 || Math.abs(n) < 0.01) ? number(n) : String(parseFloat(n.toPrecision(3)));
}

export function formatCount(count) {
  return Number(count).toLocaleString('en-US');
}
export function count(n, one, many = `${one}s`) {
  return `${formatCount(n)} ${Number(n) === 1 ? one : many}`;
}
export function percent(part) {
  return `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)}%`;
}

/** In the unit of a row of a comparison: "ns", "ms/s", "1/s", "ms/run", "1/run". */
export function value(amount, unit) {
  if (unit === 'ns') return duration(amount);
  if (unit.startsWith('1/')) return `${number(amount)}/${unit.slice(2)}`;
  return `${number(amount)} ${unit}`;
}
/** "21.5 … 34.2/run" */
export function range(low, high, unit) {
  const isPlain = unit !== 'ns' && typeof low === 'number' && typeof high === 'number';
  return `${isPlain ? number(low) : value(low, unit)} … ${value(high, unit)}`;
}

export function groupName(group) {
  if (group.former) return `${groupName(group.former)} → ${groupName({ ...group, former: null })}`;
  const process = group.process || '(no name)';
  return group.thread === group.process || !group.thread ? process : `${process}/${group.thread}`;
}
export function threadName(thread) {
  if (!thread) return 'an interrupt';
  const name = thread.name || '?';
  return thread.process_name && thread.process_name !== name ? `${thread.process_name}/${name}` : name;
}
/** "bank/teller-1 ← bank/auditor ← an interrupt" */
export function chainWords(chain) {
  return chain.map((link) => threadName(link.waker)).join(' ← ');
}
