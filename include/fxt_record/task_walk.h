/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The request and response of the program `walk_tasks`, which iterates over all tasks of
 * the machine or looks one up. The collector fills in the request, runs the program, and
 * reads the response from the same memory.
 */
#ifndef FXT_RECORD_TASK_WALK_H
#define FXT_RECORD_TASK_WALK_H

#include "fxt_record/event.h"

/* Tasks per run. */
#define FXR_WALK_TASKS 64

struct fxr_walked_task {
	struct fxr_task task; /* header.type FXR_SIDE_FORK, creator 0 */
	fxr_u32 number;       /* its id in the namespace `number_level`; 0: not in it */
	fxr_u32 pad;
};
FXR_ASSERT(sizeof(struct fxr_walked_task) == 152);

/*
 * Levels count pid namespaces inwards from the initial one, 0. At each level the namespace
 * is the one that contains the collector.
 */
struct fxr_task_walk {
	fxr_u32 level;        /* in: the level of `next` and `last` */
	fxr_u32 number_level; /* in */
	fxr_u32 next;         /* in and out: the first id to visit; out 0: no more */
	fxr_u32 last;         /* in: the last id to visit */
	fxr_u32 own_level;    /* out: level of the collector's innermost namespace */
	fxr_u32 count;        /* out: number of tasks, ordered by id */
	struct fxr_walked_task tasks[FXR_WALK_TASKS];
};
FXR_ASSERT(sizeof(struct fxr_task_walk) == 24 + FXR_WALK_TASKS * 152);

#endif
