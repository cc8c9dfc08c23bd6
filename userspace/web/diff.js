// SPDX-License-Identifier: BSD-2-Clause
// The page of a comparison.
import { element, filter, legend, table } from './dom.js';
import { showFlame } from './flame.js';
import { data, showPage } from './page.js';
import { placeLink } from './place.js';
import { awake, capturesPlot, distributionPlot, partitionPlot, picture, shareLegend, tailPlot, total } from './plots.js';
import { SHARES, TIME_WORDS } from './states.js';
import { chainWords, count, duration, groupName, number, range, threadName, value } from './text.js';

const diff = data('data');
const instances = data('instances') || [];
const ranked = diff.findings.length > 0 ? diff.findings : diff.unconfirmed;
// Rates are per second, or per run of the command.
const perUnit = diff.per_run ? 'ms/run' : 'ms/s';
const perSecond = diff.per_run ? diff.seconds_per_run : 1;
const scaled = (shares) => Object.fromEntries(SHARES.map((share) => [share, Number(shares[share] || 0) * perSecond]));
const secondsOf = (side) => side.seconds.reduce((sum, one) => sum + Number(one), 0) || 1;
const soft = (words) => element('span', { class: 'soft' }, words);
const section = (id, summary, words, ...content) =>
  element('details', { id }, element('summary', {}, `${summary} `, soft(words)), content);

const verdict = (row) => element('span', { class: `chip ${row.verdict.split(' ')[0]}` }, row.verdict);
const estimate = (one, unit) =>
  element('span', {}, value(one.value, unit), element('span', { class: 'range' }, range(one.low, one.high, unit)));
// The format of the text output: "x4.02".
const ratio = (row) => row.text.ratio.replace(/^x/, '×').replace(/^-/, '−');
const anchor = (row) => `finding-${row.rank}`;
const captures = (row) => [row.captures.base, row.captures.new].map((one) => one.filter((v) => v !== null).length).join(' + ');

function smallNumber(q) {
  if (typeof q !== 'number') return '–';
  return q >= 0.001 ? q.toPrecision(2) : q.toExponential(0).replace('e-', 'e−');
}

function headline() {
  if (ranked.length === 0) return 'Nothing changed by 10% or more';
  const first = ranked[0];
  const change = first.verdict === 'new' || first.verdict === 'gone' ? first.verdict : ratio(first);
  return `${first.text.group}: ${first.text.metric} ${change}`;
}

function tally() {
  const counts = new Map();
  for (const row of ranked) counts.set(row.verdict, (counts.get(row.verdict) || 0) + 1);
  return [...counts].map(([words, many]) => [element('span', { class: `chip ${words}` }, `${many} ${words}`), ' ']);
}

function sideWords(side) {
  const mean = secondsOf(side) / Math.max(1, side.seconds.length);
  const words = [`${count(side.captures, 'capture')} of ${number(mean)} s`, side.host, side.kernel && `Linux ${side.kernel}`,
    count(side.cpus, 'CPU'), Number(side.lost_events) > 0 && `${number(Number(side.lost_events))} events lost`];
  return [words.filter(Boolean).join(' · '), side.command && element('div', { class: 'mono' }, side.command.replace(/\s+/g, ' '))];
}

function head() {
  return [
    element('h1', {}, headline()),
    element('p', { class: 'lead' }, tally(), diff.findings.length === 0 && diff.unconfirmed.length > 0
      && 'unconfirmed: a significant change needs three captures a side. ',
    `${count(diff.rows.length, 'row')} compared, ${Number(diff.could_not_be_told)} undecided`,
    diff.paired && '; recorded interleaved', diff.per_run && '; rates are per run of the command', '.'),
    element('dl', { class: 'sides' }, element('dt', { class: 'of-base' }, 'base'), element('dd', {}, sideWords(diff.base)),
      element('dt', { class: 'of-new' }, 'new'), element('dd', {}, sideWords(diff.new))),
    diff.comparable.notes.length > 0 && element('div', { class: 'notes' },
      !diff.comparable.ok && element('p', {}, element('b', {}, 'Not all of it could be compared.')),
      diff.comparable.notes.map((note) => element('p', {}, note))),
  ];
}

// Different settings come first, because they may explain the other differences.
function settingsTable() {
  const settings = diff.settings || [];
  if (settings.length === 0) return null;
  const setting = (side) => ({ title: side, class: 'mono', cell: (one) => (one[side] === null ? 'not set' : one[side] || 'empty') });
  return element('section', { id: 'settings' }, element('h2', {}, 'Set differently'), table('settings', [
    { title: 'of', cell: (one) => (one.subject ? `${one.scope} ${one.subject}` : 'the machine') },
    { title: 'setting', cell: (one) => one.name }, setting('base'), setting('new')], settings));
}

const columns = [
  { title: 'verdict', cell: verdict },
  { title: 'group', class: 'name group', cell: (row) =>
    (row.rank && row.text ? element('a', { href: `#${anchor(row)}` }, row.text.group) : row.text.group) },
  { title: 'metric', class: 'wide', cell: (row) => row.text.metric },
  { title: 'base', number: true, cell: (row) => estimate(row.base, row.unit) },
  { title: 'new', number: true, cell: (row) => estimate(row.new, row.unit) },
  { title: 'change', number: true, sort: (row) => Math.abs(Number(row.change_ms_per_second)), cell: (row) =>
    element('span', { class: row.verdict.split(' ')[0] }, element('span', { class: 'delta' }, ratio(row)),
      element('span', { class: 'range' }, row.text.change)) },
  { title: 'q', number: true, sort: (row) => -Number(row.q), cell: (row) => smallNumber(row.q) },
  { title: 'n', number: true, cell: captures },
];

function findingsTable() {
  return table('findings', [{ title: '', class: 'rank', cell: (row) => `${row.rank}.` }, ...columns,
    { title: 'because', class: 'name', cell: (row) =>
      element('span', { class: 'small' }, row.because.map((cause) => cause.text).join('; ') || longest(row)) }], ranked);
}

function longest(row) {
  const one = row.examples[0];
  return one ? `longest ${duration(one.duration_ns)}, thread ${one.thread}` : '';
}

function because(row) {
  const items = row.because.map((cause) => element('li', {}, cause.text));
  if (row.caused_by) {
    items.unshift(element('li', {}, `a symptom of ${groupName(row.caused_by.group)}: ${row.caused_by.metric.replaceAll('_', ' ')}`));
  }
  // Rows of the group that are symptoms of this one.
  const symptoms = diff.rows.filter((one) => one.folded_under === row.metric && one.group_number === row.group_number
    && !(one.metric === row.metric && one.statistic === row.statistic));
  for (const one of symptoms) {
    items.push(element('li', { class: 'with soft' },
      `with it: ${one.text.metric} ${ratio(one)}, ${value(one.base.value, one.unit)} → ${value(one.new.value, one.unit)}`));
  }
  return items.length > 0 && element('ul', { class: 'because' }, items);
}

const SIDES = [['base', 'base'], ['new', 'new']];

function distributions(words, histogram) {
  // Each capture contains one run.
  const sides = ['base', 'new'].map((name) =>
    ({ name, bars: histogram[name], seconds: diff.per_run ? diff[name].captures : secondsOf(diff[name]) }));
  if (!sides.some((side) => side.bars.length > 0)) return null;
  return [
    element('div', {}, element('h4', {}, `${words}: how often, by length`), distributionPlot(sides), legend(SIDES)),
    element('div', {}, element('h4', {}, `${words}: how many are longer`), tailPlot(sides, diff.per_run ? 'run' : 's'), legend(SIDES)),
  ];
}

function otherDistributions(row, group) {
  const own = row.metric === 'cpu_time' ? 'slice' : row.metric;
  const others = Object.entries(group.histograms).filter(([kind]) => kind !== own && TIME_WORDS[kind]);
  if (others.length === 0) return null;
  return section(null, 'Other distributions', others.map(([kind]) => TIME_WORDS[kind]).join(', '),
    element('div', { class: 'plots' }, others.map(([kind, histogram]) => distributions(TIME_WORDS[kind], histogram))));
}

function lengthWords(row) {
  if (row.metric === 'cpu_time') return 'slices';
  const words = TIME_WORDS[row.metric] || row.metric.replaceAll('_', ' ');
  return row.name ? `${words} ${row.name}` : words;
}

function quantiles(row) {
  const known = [['p50', 'p50_ns'], ['p99', 'p99_ns'], ['p99.9', 'p99.9_ns']]
    .filter(([, key]) => typeof row.base[key] === 'number' && typeof row.new[key] === 'number');
  return known.length > 0 && element('p', { class: 'small soft' },
    known.map(([words, key]) => `${words} ${duration(row.base[key])} → ${duration(row.new[key])}`).join(' · '));
}

// The call stack that explains the largest part, innermost frame first.
function stack({ stack: one }) {
  if (!one) return null;
  return element('details', { class: 'stack' },
    element('summary', {}, `The stack that changed most: ${number(one.base)} → ${number(one.new)} ${one.unit} `,
      element('span', { class: 'soft mono' }, one.frames.find((name) => !name.endsWith('_[k]')) || '')),
    element('ol', { class: 'mono small' }, one.frames.map((name) => element('li', {}, name))));
}

function example(row) {
  const one = row.examples[0];
  if (!one) return null;
  const shown = instances.find((instance) =>
    instance.file === one.file && instance.begin_ns === one.time_ns && instance.thread.id === one.thread);
  return [
    element('h4', {}, `The longest: ${duration(one.duration_ns)} of ${shown ? threadName(shown.thread) : `thread ${one.thread}`}`),
    element('p', { class: 'small soft' }, one.file.split('/').slice(-2).join('/'),
      shown?.chain.length > 0 && `; woken by ${chainWords(shown.chain)}`),
    element('p', {}, shown ? placeLink(one.file, { clock: one.time_ns, thread: one.thread }) : soft(`at @${one.time_ns} ns`)),
    shown && picture(shown, 'CPUs and threads around it'),
  ];
}

const most = (shares) => Math.max(...shares.map(total)) || 1;

function finding(row) {
  const group = row.group_number === undefined ? null : diff.groups[row.group_number];
  const shares = group && [scaled(group.ms_per_second.base), scaled(group.ms_per_second.new)];
  // Without sleep, so that the other parts are visible.
  const hides = group && most(shares.map(awake)) < most(shares) / 2;
  return element('article', { class: 'card finding', id: anchor(row) },
    element('div', { class: 'head' }, soft(`${row.rank}.`), verdict(row), element('h3', {}, row.text.group),
      element('span', {}, row.text.metric), element('span', { class: `push ${row.verdict}` },
        element('span', { class: 'delta' }, ratio(row)), ' ', element('span', { class: 'soft small' }, row.text.change))),
    because(row), stack(row),
    element('div', { class: 'plots' },
      element('div', {}, element('h4', {}, `Captures: ${row.text.metric}${row.unit === 'ns' ? '' : `, ${row.unit}`}`),
        capturesPlot(row, diff.paired), quantiles(row)),
      group && element('div', {}, element('h4', {}, `Where its time went, ${perUnit}${hides ? '; below, without sleep' : ''}`),
        partitionPlot(shares[0], shares[1], most(shares), perUnit),
        hides && partitionPlot(...shares.map(awake), most(shares.map(awake)), perUnit),
        shareLegend(shares)),
      row.histogram && distributions(lengthWords(row), row.histogram)),
    group && otherDistributions(row, group), example(row));
}

function partitions() {
  const groups = diff.groups.filter((group) => group.judged).map((group) => {
    const [base, next] = [scaled(group.ms_per_second.base), scaled(group.ms_per_second.new)];
    return { group, base, next, most: Math.max(total(awake(base)), total(awake(next))) };
  }).filter((one) => one.most > 0).sort((a, b) => b.most - a.most);
  if (groups.length === 0) return null;
  const rows = (some) => table('partitions', [
    { title: 'group', class: 'name group', cell: (one) => groupName(one.group) },
    { title: `running and waiting, ${perUnit}`, class: 'bar-cell', cell: (one) =>
      partitionPlot(awake(one.base), awake(one.next), groups[0].most, perUnit) },
    { title: 'base', number: true, cell: (one) => number(total(awake(one.base))) },
    { title: 'new', number: true, cell: (one) => number(total(awake(one.next))) },
    { title: 'asleep', number: true, cell: (one) => `${number(one.base.sleeping)} → ${number(one.next.sleeping)}` },
  ], some);
  const shown = 12;
  return [
    element('h2', {}, 'Where time went'),
    element('p', { class: 'lead small' }, 'Time in which each group ran, could have run or was blocked, of one scale.'),
    shareLegend(groups.flatMap((one) => [awake(one.base), awake(one.next)])),
    rows(groups.slice(0, shown)),
    groups.length > shown && section(null, `${groups.length - shown} more groups`, '', rows(groups.slice(shown))),
  ];
}

function others() {
  if (diff.others.length === 0) return null;
  return section('others', 'Other work of the machine, not judged', count(diff.others.length, 'row'),
    element('p', { class: 'soft small' },
      'Work beside the recorded command may change what the command sees, but it is not the command\'s.'),
    table('others', columns.filter((column) => !['verdict', 'q', 'n'].includes(column.title)), diff.others));
}

function allRows() {
  const rows = table('rows', columns, diff.rows, { rowClass: (row) => (row.folded_under ? 'part' : null) });
  return section('all-rows', 'All rows', count(diff.rows.length, 'row'), filter(rows, 'Filter by group, metric or verdict'), rows);
}

function files() {
  const list = (side) => element('div', {}, element('h4', {}, side),
    element('ol', { class: 'small' }, diff[side].files.map((file) => element('li', { class: 'mono' }, file))));
  return section('files', 'Captures', '', element('div', { class: 'plots' }, list('base'), list('new')));
}

const flame = data('flame');
const place = flame && element('section', { id: 'flame-here' });
showPage(headline(), 'fxt diff', ` from captures of fxt-record${diff.new.recorder ? ` ${diff.new.recorder}` : ''}`,
  head(), settingsTable(),
  ranked.length > 0 && [findingsTable(), element('h2', {}, 'Findings'), ranked.map(finding)],
  partitions(), place, element('h2', {}, 'The rest'), others(), allRows(), files());
if (flame) showFlame(place, flame, element('h2', {}, 'Call stacks, new against base'));
