/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A walk over all tasks of the machine, or a look at one of them, by the
 * program `walk_tasks`: the collector fills in what it asks for, runs the
 * program, and finds the answer in the same memory.
 */
#ifndef FXT_RECORD_TASK_WALK_H
#define FXT_RECORD_TASK_WALK_H

#include "fxt_record/event.h"

/* Tasks that one run can hold. */
#define FXR_WALK_TASKS 64

struct fxr_walked_task {
	struct fxr_task task; /* header.type FXR_SIDE_FORK, creator 0 */
	fxr_u32 number;       /* its id in the namespace `number_level`; 0: it has none there */
	fxr_u32 pad;
};
FXR_ASSERT(sizeof(struct fxr_walked_task) == 152);

/*
 * Levels count process namespaces from the machine's own, 0, inwards; of each
 * level the one meant is that which the collector is in.
 */
struct fxr_task_walk {
	fxr_u32 level;        /* in: whose ids `next` means */
	fxr_u32 number_level; /* in */
	fxr_u32 next;         /* in and out: the first id to look at; out 0: there are no more */
	fxr_u32 last;         /* in: the last id to look at */
	fxr_u32 own_level;    /* out: of the innermost namespace that the collector is in */
	fxr_u32 count;        /* out: of tasks, in the order of their ids */
	struct fxr_walked_task tasks[FXR_WALK_TASKS];
};
FXR_ASSERT(sizeof(struct fxr_task_walk) == 24 + FXR_WALK_TASKS * 152);

#endif
