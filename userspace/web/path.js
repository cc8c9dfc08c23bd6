// SPDX-License-Identifier: BSD-2-Clause
// The page of critical paths.
import { button, element, legend, svg, table } from './dom.js';
import { data, showPage } from './page.js';
import { placeLink } from './place.js';
import { fitted, greatest, linearScale, plot, text } from './plots.js';
import { count, duration, formatTime, shortDuration } from './text.js';

const paths = data('data');
const file = paths.file.split('/').pop();
const COLOURS = { running: 'running', runnable: 'wakeup', throttled: 'preempted', sleep: 'sleeping', blocked: 'blocked',
  device: 'blocked', timer: 'stopped', peer: 'waker', unknown: 'unknown' };
// Shows all digits, so that the parts add up.
const exactMs = (ns) => `${(Number(ns) / 1e6).toFixed(6)} ms`;

function head() {
  const quantiles = ['p50', 'p90', 'p99'].map((name) => `${name} ${duration(paths[name])}`);
  return [
    element('h1', {}, file),
    element('p', { class: 'lead' }, [count(paths.count, 'request'), ...quantiles].join(' · ')),
    element('p', { class: 'mono soft' }, paths.file),
    paths.notes.length > 0 && element('div', { class: 'notes small' }, paths.notes.map((words) => element('p', {}, words))),
  ];
}

function comparison() {
  if (Number(paths.count) < 2) return null;
  const { slow, median } = paths;
  const length = (title, of) => ({ title, number: true, sort: (row) => Math.abs(of(row)), cell: (row) => duration(of(row)) });
  return [
    element('h2', {}, 'What slow requests do that median ones do not'),
    element('p', { class: 'lead small' }, `Milliseconds a request by part of the critical path: ${
      count(median.count, 'median request')} of ${duration(median.mean)}, ${count(slow.count, 'slow one')} of ${
      duration(slow.mean)} (means).`),
    table('parts', [
      { title: 'thread', class: 'name group', cell: (row) => row.thread },
      { title: 'part', class: 'name wide', cell: (row) => row.what },
      length('median', (row) => Number(row.median)), length('slow', (row) => Number(row.slow)),
      length('difference', (row) => Number(row.slow) - Number(row.median)),
    ], paths.rows),
  ];
}

// The place of a part, which begins `at` ns after the begin of the request.
function placeOf(request, { at, koid }) {
  return placeLink(paths.file, { clock: BigInt(request.clock) + BigInt(at), ...(koid && { thread: koid }) });
}

// Draws each part at its depth, over the time of the request. `onPart(part)` handles clicks.
function waterfall(request, onPart) {
  const whole = Math.max(1, Number(request.ns));
  const rows = greatest(request.parts.map((part) => Number(part.depth)), 0) + 1;
  const high = 20;
  return plot('path', `critical path of ${request.name}`, (width) => {
    const scale = linearScale(0, whole, 0, width);
    return [rows * (high + 2) + 18, [
      request.parts.map((part) => {
        const [x, wide, y] = [scale(Number(part.at)), (Number(part.ns) / whole) * width, Number(part.depth) * (high + 2)];
        return [
          svg('rect', { x, y, width: Math.max(wide, 0.5), height: high, style: `fill: var(--${COLOURS[part.kind] || 'unknown'})`,
            tip: `${part.thread}\n${part.what}\n${exactMs(part.ns)} at ${exactMs(part.at)}`, onclick: () => onPart(part) }),
          wide > 30 && text(x + 4, y + 14, 'on-bar', fitted(`${part.thread} ${part.what}`, wide - 6)),
        ];
      }),
      scale.ticks.map((tick, i) => text(scale(tick), rows * (high + 2) + 13, i === 0 ? '' : tick > whole * 0.97 ? 'end' : 'mid',
        shortDuration(tick)))]];
  });
}

function requestCard(request, i) {
  const way = element('p', {}, placeOf(request, { at: 0, koid: request.thread }));
  const showWay = (part) => way.replaceChildren(`${part.thread}, ${part.what}, at ${exactMs(part.at)} `,
    element('span', {}, placeOf(request, part)));
  // Rows of parts show their commands on request.
  const threadCell = (part) => {
    const place = element('div');
    return element('div', { style: `padding-left: ${Number(part.depth)}em` },
      button(part.thread, () => place.replaceChildren(element('span', {}, placeOf(request, part))), { class: 'open' }), place);
  };
  const id = Number(request.id) > 0 ? `id ${request.id}, ` : '';
  return element('details', { class: 'card wait', open: i === 0 },
    element('summary', {}, duration(request.ns), ' ', request.name || '(no name)', ' ',
      element('span', { class: 'soft' }, `${id}at ${formatTime(Number(request.at))}`)),
    waterfall(request, showWay),
    element('p', { class: 'soft small' }, 'A click on a part shows the way to its time in the timeline.'),
    way,
    element('details', {}, element('summary', {}, count(request.parts.length, 'part')), table('path-parts', [
      { title: 'at', number: true, cell: (part) => exactMs(part.at) },
      { title: 'takes', number: true, cell: (part) => exactMs(part.ns) },
      { title: 'thread', class: 'name', cell: threadCell },
      { title: 'part', class: 'name wide', cell: (part) => part.what },
    ], request.parts)));
}

showPage(file, 'fxt path', '', head(), comparison(), element('h2', {}, 'The slowest requests'),
  legend(Object.entries(COLOURS).filter(([kind]) => kind !== 'blocked')
    .map(([kind, colour]) => [colour, kind === 'device' ? 'device, blocked' : kind])),
  paths.requests.map(requestCard));
