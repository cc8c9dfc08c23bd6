// SPDX-License-Identifier: BSD-2-Clause
// Groups of threads of a report, and the groups that they waited for.
import { element, filter, table, tip } from './dom.js';
import { awake, distributionPlot, greatest, plot, shareLegend, stackedBar, total } from './plots.js';
import { inSeconds, msPerSecond, name, rate, report, sum, waiting } from './report_data.js';
import { SHARES, TIME_WORDS } from './states.js';
import { count, duration, number } from './text.js';

const SHOWN = 12;
const quantile = (times, key) => (times[key] === null ? '–' : duration(times[key]));

export function groups() {
  const all = report.groups.map((group) => {
    const shares = Object.fromEntries(SHARES.map((share) => [share, msPerSecond(group.share_ns[share] || 0)]));
    return { group, shares, most: total(awake(shares)) };
  }).sort((a, b) => b.most - a.most);
  const full = greatest(all.map((one) => one.most), 1e-9);
  const figure = (title, of) => ({ title, number: true, sort: of, cell: (one) => number(of(one)) });
  const latency = (title, key) => ({ title, number: true, sort: ({ group }) => Number(group.times.wakeup_latency[key] || 0),
    cell: ({ group: { times: { wakeup_latency: times } } }) => (Number(times.count) === 0 ? '–' : quantile(times, key)) });
  const columns = [
    { title: 'group', class: 'name group', cell: (one) => element('div', {}, opener(one),
      one.group.threads > 1 && element('span', { class: 'range' }, count(one.group.threads, 'thread'))) },
    { title: 'running and waiting', class: 'bar-cell', sort: (one) => one.most, cell: (one) => groupBar(one.shares, full) },
    figure('CPU ms/s', (one) => one.shares.running),
    figure('wait ms/s', (one) => msPerSecond(waiting(one.group))),
    figure('D ms/s', (one) => one.shares.blocked),
    figure('wakeups/s', (one) => rate(one.group.wakeups)),
    latency('latency p50', 'p50_ns'), latency('p99', 'p99_ns'), latency('max', 'max_ns'),
  ];
  const rest = all.length > SHOWN && table('groups', columns, all.slice(SHOWN));
  return [
    element('h2', {}, 'Where time went'),
    element('p', { class: 'lead small' }, 'Threads of the same names, digits aside, are a group. A bar is as long as the square '
      + 'root of its time. Latency is from the wakeup to the run; quantiles of too few waits are left out. A group\'s name opens '
      + 'its distributions.'),
    shareLegend(all.map((one) => awake(one.shares))),
    table('groups', columns, all.slice(0, SHOWN)),
    rest && element('details', { id: 'more-groups' }, element('summary', {}, `${all.length - SHOWN} more groups`),
      filter(rest, 'Filter by name'), rest),
  ];
}

// The name as a button that opens a row below it.
function opener(one) {
  let below = null;
  const button = element('button', { class: 'open', type: 'button', 'aria-expanded': 'false', onclick: () => {
    if (below) {
      below.remove();
      below = null;
    } else {
      const row = button.closest('tr');
      below = element('tr', { class: 'below' }, element('td', { colspan: row.children.length }, groupDetails(one)));
      row.after(below);
    }
    button.setAttribute('aria-expanded', String(below !== null));
  } }, name(one.group));
  return button;
}

function groupDetails({ group, shares }) {
  const kinds = Object.entries(group.times).filter(([, times]) => times.histogram.length > 0);
  return element('div', {}, element('h4', {}, 'All of its time, ms/s'),
    plot('partition', 'Where its time went', (width) => [18, stackedBar(shares, total(shares) || 1, 0, 2, width, 14, 'ms/s')]),
    shareLegend([shares]),
    element('div', { class: 'plots' }, kinds.map(([kind, times]) => element('div', {}, element('h4', {}, TIME_WORDS[kind]),
      distributionPlot([{ name: 'base', bars: times.histogram, seconds: inSeconds }], 110),
      element('p', { class: 'small soft' }, `${number(rate(times.count))}/s, ${number(msPerSecond(times.total_ns))} ms/s · `
        + `p50 ${quantile(times, 'p50_ns')} · p99 ${quantile(times, 'p99_ns')} · max ${quantile(times, 'max_ns')}`,
      Number(times.cut) > 0 && ` · ${times.cut} cut by the edges`, Number(times.unknown) > 0 && ` · ${times.unknown} not known`)))));
}

// The length is the square root of the time, because a busy compiler would make all others invisible.
function groupBar(shares, full) {
  const own = total(awake(shares)) || 1;
  return plot('partition', 'Where its time went',
    (width) => [16, stackedBar(awake(shares), own, 0, 2, width * Math.sqrt(own / full), 12, 'ms/s')]);
}

// --- Waits by cause ------------------------------------------------------------------------------------------------

const BLAMES = [
  ['held_cpu', 'who held the CPU', 'Rows waited for a CPU while columns ran on it, ms/s.', (blame) => msPerSecond(blame.ns)],
  ['preempted_by', 'who preempts whom', 'Rows were preempted by columns, times a second.', (blame) => rate(blame.count)],
  ['woken_by', 'who ended their sleep in D', 'Rows were blocked until columns woke them, ms/s.',
    (blame) => msPerSecond(blame.blocked_ns)],
  ['held_cpu_lower', 'lower priorities', 'Rows waited while columns, of lower priority, held the CPU, ms/s.',
    (blame) => msPerSecond(blame.ns)],
];
const otherName = (one) => (typeof one === 'number' ? name(report.groups[one])
  : one === 'interrupt' ? 'interrupt or timer' : 'not known');

function matrix(kind, amount) {
  const most = 9;
  const rows = report.groups.map((group) => {
    const parts = group.blames[kind].map((blame) => [blame.group ?? blame.other, amount(blame)]).filter(([, n]) => n > 0);
    return { group, parts, all: sum(parts.map(([, n]) => n)) };
  });
  const top = rows.filter((row) => row.all > 0).sort((a, b) => b.all - a.all).slice(0, most);
  if (top.length === 0) return null;
  const totals = new Map();
  for (const [whom, n] of top.flatMap((row) => row.parts)) totals.set(whom, (totals.get(whom) || 0) + n);
  const heads = [...totals].sort((a, b) => b[1] - a[1]).slice(0, most).map(([whom]) => whom);
  const high = greatest(top.flatMap((row) => row.parts.map(([, n]) => n)), 0);
  const cell = (row, whom) => {
    const n = row.parts.find((part) => part[0] === whom)?.[1] ?? 0;
    const node = element('td', {}, n > 0 && number(n));
    if (n <= 0) return node;
    node.style.background = `color-mix(in srgb, var(--preempted) ${Math.round(8 + 62 * Math.sqrt(n / high))}%, transparent)`;
    tip(node, `${name(row.group)}\nbecause of ${otherName(whom)}: ${number(n)}`);
    return node;
  };
  const head = (words) => element('th', { scope: 'col' }, words);
  return element('div', { class: 'scroll' }, element('table', { class: 'matrix' },
    element('thead', {}, element('tr', {}, element('th'), heads.map((whom) => head(otherName(whom))), head('all'))),
    element('tbody', {}, top.map((row) => element('tr', {}, element('th', { class: 'row', scope: 'row' }, name(row.group)),
      heads.map((whom) => cell(row, whom)), element('td', { class: 'soft' }, number(row.all)))))));
}

export function blame() {
  const tables = BLAMES.map(([kind, words, about, amount]) => ({ words, about, node: matrix(kind, amount) })).filter((one) => one.node);
  if (tables.length === 0) return null;
  const about = element('p', { class: 'lead small' });
  const shown = element('div', { class: 'card', id: 'blame' });
  const buttons = tables.map((one) => element('button', { class: 'tab', type: 'button', onclick: () => show(one) }, one.words));
  const show = (one) => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(tables[i] === one)));
    about.textContent = one.about;
    shown.replaceChildren(one.node);
  };
  show(tables[0]);
  return [element('h2', {}, 'For whom they waited'), element('div', {}, buttons), about, shown];
}
