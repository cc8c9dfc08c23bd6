// SPDX-License-Identifier: BSD-2-Clause
// States of threads and CPUs: their names and colours.

export const RUN = 1;
export const WAKEUP = 2;
export const PREEMPTED = 3;
export const SLEEP = 4;
export const BLOCKED = 5;
export const UNKNOWN = 8;
export const IDLE = 9;

// By number (userspace/view/lane_state.h): the kind in `fxt query`, the share in reports, the colour, the description.
const STATES = [
  ['absent', '', 'paper', 'not there'],
  ['run', 'running', 'running', 'running'],
  ['wakeup', 'runnable_wakeup', 'wakeup', 'waits for a CPU since its wakeup'],
  ['preempted', 'runnable_preempted', 'preempted', 'waits for a CPU, preempted'],
  ['sleep', 'sleeping', 'sleeping', 'asleep'],
  ['blocked', 'blocked', 'blocked', 'blocked (D)'],
  ['stopped', 'stopped', 'stopped', 'stopped'],
  ['throttled', 'throttled', 'throttled', 'throttled: the quota of its cgroup is used up'],
  ['unknown', 'unknown', 'unknown', 'not known'],
  ['idle', '', 'paper', 'idle'],
];

export function wordsOf(state) {
  return STATES[state]?.[3] ?? 'not known';
}
export function wordsOfKind(kind) {
  return STATES.find((state) => state[0] === kind)?.[3] ?? kind;
}

/** Shares of time, in the order in which bars stack them. */
export const SHARES = ['running', 'runnable_wakeup', 'runnable_preempted', 'blocked', 'stopped', 'throttled', 'unknown', 'sleeping'];
/** States of a thread that is awake and known. */
export const AWAKE = SHARES.slice(0, 6);
const ofShare = (share) => STATES.find((state) => state[1] === share);
export function shareColour(share) {
  return ofShare(share)[2];
}
export function shareWords(share) {
  return ofShare(share)[3];
}

/** Names of distributions of lengths. */
export const TIME_WORDS = {
  slice: 'time slices', wakeup_latency: 'waited for a CPU after wakeup', preempted_wait: 'preempted', sleep: 'sleeps',
  blocked: 'D-state waits', irq: 'interrupts', softirq: 'softirqs',
};

// Sleeps by their system call: the first word of the object waited for.
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

const NAMES = ['paper', 'card', 'tint', 'ink', 'soft', 'faint', 'line', 'grid', 'accent', 'mark', 'hit', 'path', 'arrow',
  'counter', 'instant', 'error', 'dark-text', 'light-text', 'sleep-lock', 'sleep-timer', 'sleep-net', 'sleep-child', 'sleep-file'];
const TASKS = 12;

/** The colours of the theme that is in use, from theme.css. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  const colours = Object.fromEntries(NAMES.map((name) => [name, value(name)]));
  colours.states = STATES.map((state) => value(state[2]));
  colours.tasks = Array.from({ length: TASKS }, (_, i) => value(`task-${i}`));
  return colours;
}

/** The same number for the same text. */
export function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function taskColour(colours, key) {
  return colours.tasks[hashOf(key) % TASKS];
}
