// SPDX-License-Identifier: BSD-2-Clause
// States of threads and CPUs (userspace/view/lane_state.h): their words and colours.

export const RUN = 1;
export const WAKEUP = 2;
export const PREEMPTED = 3;
export const SLEEP = 4;
export const BLOCKED = 5;
export const UNKNOWN = 8;
export const IDLE = 9;

/** The kinds of `fxt query`, by state. */
export const KINDS = ['absent', 'run', 'wakeup', 'preempted', 'sleep', 'blocked', 'stopped', 'throttled', 'unknown',
  'idle'];

const WORDS = ['not there', 'running', 'waits for a CPU since its wakeup', 'waits for a CPU, preempted', 'asleep',
  'blocked (D)', 'stopped', 'throttled: the quota of its cgroup is used up', 'not known', 'idle'];

export function wordsOf(state) {
  return WORDS[state] ?? 'not known';
}

// Sleeps by the call that they are in: the first word of what they were for.
const CALLS = [
  ['lock', /^(futex|flock|fcntl|semop|semtimedop)/],
  ['timer', /^(clock_nanosleep|nanosleep|hrtimer)/],
  ['net', /^(epoll|poll|ppoll|select|pselect|recv|send|accept|connect|io_getevents)/],
  ['child', /^(wait|waitid)/],
  ['file', /^(read|write|pread|pwrite|fsync|fdatasync|sync|open|close|unlink|rename|msync|preadv|pwritev|io_uring)/],
];

export function sleepClass(object) {
  return CALLS.find(([, pattern]) => pattern.test(object))?.[0] ?? null;
}

const NAMES = {
  paper: '--paper', card: '--card', ink: '--ink', soft: '--soft', faint: '--faint', line: '--line', grid: '--grid',
  accent: '--accent', mark: '--mark', hit: '--hit', path: '--path', arrow: '--arrow',
  lock: '--sleep-lock', timer: '--sleep-timer', net: '--sleep-net', child: '--sleep-child', file: '--sleep-file',
  counter: '--counter', instant: '--instant', header: '--header', error: '--error', darkText: '--dark-text', lightText: '--light-text',
};
const STATE_NAMES = ['--paper', '--running', '--wakeup', '--preempted', '--sleeping', '--blocked', '--stopped',
  '--throttled', '--unknown', '--paper'];
const TASKS = 12;

/** The colours of the theme that is in use, from view.css. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  const colours = Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, value(name)]));
  colours.states = STATE_NAMES.map(value);
  colours.tasks = Array.from({ length: TASKS }, (_, i) => value(`--task-${i}`));
  return colours;
}

/** The same index for the same text. */
export function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function taskColour(colours, key) {
  return colours.tasks[hashOf(key) % TASKS];
}
