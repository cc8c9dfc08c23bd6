// SPDX-License-Identifier: BSD-2-Clause
// The report of the page, and values derived from it.
import { data } from './page.js';
import { groupName } from './text.js';

export const report = data('data');
export const length = Number(report.length_ns) || 1;
export const inSeconds = length / 1e9;
export const rate = (n) => Number(n) / inSeconds;
export const msPerSecond = (ns) => Number(ns) / 1e6 / inSeconds;
export const name = (group) => groupName(group) + (group.of_command ? ' *' : '');
export const waiting = (group) => Number(group.share_ns.runnable_wakeup) + Number(group.share_ns.runnable_preempted);
export const sum = (some) => some.reduce((all, one) => all + Number(one), 0);
