// SPDX-License-Identifier: BSD-2-Clause
// The page of a report.
import { element, filter, legend, svg, table, tip } from './dom.js';
import { data, showPage } from './page.js';
import { placeLink } from './place.js';
import { greatest, line, linearScale, picture, plot, text } from './plots.js';
import { length, msPerSecond, name, rate, report, sum, waiting } from './report_data.js';
import { blame, groups } from './report_groups.js';
import { SHARES, wordsOfKind } from './states.js';
import { chainWords, count, duration, formatTime, number, percent, shortDuration, threadName } from './text.js';

const instances = data('instances') || [];

// Joins the lines of a script.
const command = report.command?.replace(/\s+/g, ' ');

// The name of the program without its folder.
function title() {
  return command ? command.replace(/^\S*\//, '') : report.file.split('/').pop();
}

function head() {
  const fact = (figure, words) => element('div', { class: 'fact' }, element('b', {}, figure), element('span', {}, words));
  const busy = sum(report.machine.by_cpu.map((cpu) => cpu.busy_ns));
  const known = busy + sum(report.machine.by_cpu.map((cpu) => cpu.idle_ns));
  const waits = sum(report.groups.map(waiting));
  const switches = sum(report.groups.map((group) => Number(group.switches_voluntary) + Number(group.switches_involuntary)));
  const words = [duration(length), count(report.machine.cpus, 'CPU'), report.host, report.kernel && `Linux ${report.kernel}`,
    report.start_time !== null && `${new Date(report.start_time * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`];
  return [
    element('h1', {}, [...title()].length > 120 ? `${[...title()].slice(0, 119).join('')}…` : title()),
    element('p', { class: 'lead' }, words.filter(Boolean).join(' · '), command && '. Its groups are marked *'),
    command && element('p', { class: 'mono soft' }, command),
    element('p', { class: 'mono soft' }, report.file),
    element('div', { class: 'facts' }, fact(percent(busy / Math.max(1, known)), 'busy'),
      fact(number((busy + waits) / length), 'load: running and waiting'),
      fact(number(waits / length), 'threads waiting, on average'),
      fact(number(rate(switches)), 'switches a second'),
      fact(number(rate(sum(report.groups.map((group) => group.wakeups)))), 'wakeups a second'),
      report.elapsed_ns !== null && fact(duration(report.elapsed_ns), 'the command took')),
    uncertain(),
  ];
}

function uncertain() {
  const unknown = (cause) => sum(report.groups.map((group) => group.unknown_ns[cause]));
  const all = sum(report.groups.map((group) => sum(SHARES.map((share) => group.share_ns[share] || 0))));
  const part = (cause) => percent(unknown(cause) / Math.max(1, all));
  const dark = sum(report.machine.by_cpu.map((cpu) => cpu.unknown_ns));
  const lines = [...report.notes];
  if (Number(report.lost_events) > 0) {
    lines.push(`${number(Number(report.lost_events))} events were lost: ${part('lost_events')} of the threads' time touches a loss.`);
  }
  if (Number(report.unseen_switches) > 0) {
    lines.push(`The kernel did not report ${count(report.unseen_switches, 'switch', 'switches')} of CPUs: ${
      part('hidden_switch')} of the threads' time is around them.`);
  }
  if (dark > 0) lines.push(`The state of CPUs is unknown for ${number(msPerSecond(dark))} ms/s.`);
  return [
    lines.length > 0 && element('div', { class: 'notes small', id: 'losses' }, lines.map((words) => element('p', {}, words))),
    // Not a defect of the trace, so it is outside of the box.
    unknown('before_first_event') > 0 && element('p', { class: 'soft small' },
      `${part('before_first_event')} of the threads' time is before their first event, where most slept since before the recording.`),
  ];
}

// --- CPUs over time ------------------------------------------------------------------------------------------------

const slots = greatest(report.strips.cpus.map((one) => one.busy.length), 0);
const slotNs = Number(report.strips.slot_ns);
const longestQueue = greatest(report.strips.cpus.map((one) => greatest(one.queue, 0)), 0);

// `onTime(ns)` handles clicks.
function cpuStrip(cpu, onTime) {
  const [high, deep] = [26, 20];
  const middle = high + 3;
  return plot('cpu', `CPU ${cpu.cpu} over time`, (width) => {
    const scale = linearScale(0, slots, 0, width);
    // One path for all slots, because an element per slot would be thousands.
    const outline = (values, y0, height, full) => {
      const steps = values.map((one, i) => {
        const y = (y0 + height * Math.min(1, one / full)).toFixed(1);
        return `L${scale(i).toFixed(1)} ${y}L${(scale(i) + width / slots).toFixed(1)} ${y}`;
      });
      return `M0 ${y0}${steps.join('')}L${scale(values.length).toFixed(1)} ${y0}Z`;
    };
    const slotAt = (event) => {
      const slot = Math.floor(((event.clientX - box.getBoundingClientRect().left) / width) * slots);
      return Math.max(0, Math.min(cpu.busy.length - 1, slot));
    };
    const box = svg('rect', { x: 0, y: 0, width, height: middle + deep, fill: 'transparent',
      onclick: (event) => onTime(slotAt(event) * slotNs) });
    tip(box, (event) => {
      const at = slotAt(event);
      return `CPU ${cpu.cpu} at ${shortDuration(at * slotNs)}\n${percent(cpu.busy[at])} busy, ${number(cpu.queue[at] || 0)} waiting`;
    });
    return [middle + deep, [
      svg('rect', { x: 0, y: 0, width, height: high, class: 'lane' }),
      svg('path', { d: outline(cpu.busy, high, -high, 1), class: 'slot-busy' }),
      svg('path', { d: outline(cpu.unknown, high, -high, 1), class: 'slot-unknown' }),
      svg('path', { d: outline(cpu.queue, middle, deep, Math.max(1, longestQueue)), class: 'slot-queue' }),
      line(0, high, width, high, 'axis'), box]];
  });
}

function timeAxis() {
  return plot('time-axis', 'time', (width) => {
    const scale = linearScale(0, slots * slotNs, 0, width);
    return [18, scale.ticks.map((tick, i) => [line(scale(tick), 0, scale(tick), 4, 'axis'),
      scale(tick) < width - 20 && text(scale(tick), 15, i === 0 ? '' : 'mid', shortDuration(tick))])];
  });
}

function machine() {
  const cpus = report.strips.cpus.filter((cpu) => cpu.busy.length > 0);
  if (cpus.length === 0) return null;
  const way = element('p', { class: 'small', id: 'way' });
  const showWay = (ns) => {
    const link = instances.length > 0 && placeLink(report.file, { clock: BigInt(report.begin_ns) + BigInt(Math.round(ns)) });
    way.replaceChildren(...[link].filter(Boolean));
  };
  const one = (cpu) => {
    const times = report.machine.by_cpu[cpu.cpu];
    return element('div', { class: 'cpu-row' }, element('div', { class: 'head small' }, element('b', {}, `CPU ${cpu.cpu}`),
      times && element('span', { class: 'soft' }, `${percent(Number(times.busy_ns) / length)} busy`)), cpuStrip(cpu, showWay));
  };
  const shown = 16;
  return [
    element('h2', {}, 'CPUs over time'),
    element('p', { class: 'lead small' }, `Up: busy. Down: threads that wait for the CPU, at most ${number(longestQueue)}. A click: the way to that time in the timeline.`),
    legend([['running', 'busy'], ['preempted', 'waiting'], ['unknown', 'not known']]),
    element('div', { class: 'card' }, cpus.slice(0, shown).map(one), timeAxis(), way,
      cpus.length > shown && element('details', {}, element('summary', {}, `${cpus.length - shown} more CPUs`), cpus.slice(shown).map(one))),
  ];
}

// --- The longest waits ---------------------------------------------------------------------------------------------

function waits(words, id, some) {
  if (some.length === 0) return null;
  return [element('h2', { id }, words), some.map((wait, i) => {
    const shown = instances.find((one) => one.begin_ns === wait.begin_ns && one.thread.id === wait.thread.id);
    const held = wait.kind === 'blocked' ? [] : wait.holders.slice(0, 4);
    const item = (...content) => element('li', {}, content);
    return element('details', { class: 'card wait', open: i === 0 },
      element('summary', {}, duration(wait.length_ns), ' ', threadName(wait.thread), ' ', element('span', { class: 'soft' },
        `${wordsOfKind(wait.kind)}, CPU ${wait.cpu}, at ${formatTime(Number(wait.begin_ns) - Number(report.begin_ns))}`)),
      element('ul', { class: 'because' },
        held.length > 0 && item('its CPU ran ', held.map((one) => `${threadName(one.thread)} ${duration(one.ns)}`).join(', ')),
        wait.reason && item('waited for ', wait.reason),
        wait.chain.length > 0 && item('woken by ', chainWords(wait.chain)),
        shown && element('li', { class: 'to' }, placeLink(report.file, { clock: wait.begin_ns, thread: wait.thread.id }))),
      shown && picture(shown, 'CPUs and threads around it'));
  })];
}

// --- System calls and interrupts, if they were recorded ------------------------------------------------------------

function lengths(rows, words, id) {
  if (rows.length === 0) return null;
  const figure = (heading, key, show) => ({ title: heading, number: true, sort: (row) => Number(row.times[key]),
    cell: (row) => (row.times[key] === null || row.times[key] === undefined ? '–' : show(row.times[key])) });
  const list = table(id, [
    rows.some((row) => row.group) && { title: 'group', class: 'name group', cell: (row) => row.group },
    { title: words, class: 'name wide', cell: (row) => row.name },
    figure('times/s', 'count', (n) => number(rate(n))), figure('ms/s', 'total_ns', (ns) => number(msPerSecond(ns))),
    figure('p50', 'p50_ns', duration), figure('p99', 'p99_ns', duration), figure('max', 'max_ns', duration),
  ].filter(Boolean), rows.sort((a, b) => Number(b.times.total_ns) - Number(a.times.total_ns)));
  return element('details', { id }, element('summary', {}, `${words}s `, element('span', { class: 'soft' }, count(rows.length, 'row'))),
    filter(list, 'Filter'), list);
}

const calls = report.groups.flatMap((group) =>
  Object.entries(group.syscalls).map(([call, times]) => ({ group: name(group), name: call, times })));
const handlers = Object.entries(report.handlers).map(([handler, times]) => ({ name: handler, times }));
showPage(title(), 'fxt report', report.recorder ? ` from a capture of fxt-record ${report.recorder}` : '',
  head(), machine(), groups(), blame(),
  waits('The longest waits for a CPU', 'worst-waits', report.worst_waits),
  waits('The longest waits in D', 'worst-blocked', report.worst_blocked),
  calls.length + handlers.length > 0 && element('h2', {}, 'Calls and interrupts'),
  lengths(calls, 'system call', 'syscalls'), lengths(handlers, 'interrupt', 'interrupts'));
