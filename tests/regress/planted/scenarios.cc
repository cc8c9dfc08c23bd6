// SPDX-License-Identifier: BSD-2-Clause
#include "regress/planted/scenarios.h"

namespace planted {

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> all = {
      {"added_sleep", "each request sleeps 3 ms in the server", AddedSleep},
      {"critical_section", "the auditor holds the lock fifteen times as long", CriticalSection},
      {"cpu_hog", "a background thread computes all the time", CpuHog},
      {"priority_inversion", "the mutex no longer inherits priorities", PriorityInversion},
      {"pinning", "all threads are pinned to one CPU", Pinning},
      {"signal_storm", "a signal every 100 us instead of every 20 ms", SignalStorm},
      {"more_forks", "a process for each item instead of for each twentieth", MoreForks},
      {"slow_system_call", "fdatasync after each record instead of each hundredth", SlowSystemCall},
      {"wakeup_chain", "six stages hand on each item instead of three", WakeupChain},
      {"noisy_neighbour", "a backup computes on all CPUs", NoisyNeighbour},
      {"tail_only", "one request in 500 sleeps 40 ms in the server", TailOnly},
      {"faster", "a request takes a third of the time to compute", Faster},
      {"doubled_work", "clients ask twice as often", DoubledWork},
      {"renamed_threads", "the workers have another name", RenamedThreads},
      {"smaller_pool", "one worker instead of four", SmallerPool},
      {"busy_polling", "a queue is looked at every 200 us instead of every 5 ms", BusyPolling},
      {"thread_per_request", "a thread for each request instead of for each twentieth",
       ThreadPerRequest},
      {"chatty_log", "thirty lines of log for a request instead of one", ChattyLog},
      {"straggler", "one of four shards has six times the work", Straggler},
      {"cold_reads", "what is read is not in the page cache", ColdReads},
      {"quota", "a control group leaves it less CPU time than it needs", Quota},
      {"niceness", "what has to be in time is nice", Niceness},
      {"page_faults", "memory is given back after each item", PageFaults},
      {"timer_slack", "timers may come 8 ms late", TimerSlack},
      {"longer_lock", "ten times a second a lock is held 15 ms instead of 1", LongerLock},
      {"rare_fsync", "one item in forty waits for the disk", RareFsync},
      {"gc_pauses", "twice a second all wait 60 ms for a collector", GcPauses},
      {"slow_pipe", "the log goes through a pipe that is read slowly", SlowPipe},
      {"retry_back_off", "one request in 25 is tried again after 10 ms", RetryBackOff},
      {"lookup_timeout", "one lookup in twenty waits 50 ms for a server that is not there",
       LookupTimeout},
      {"dearer_work", "each item takes 30% more time to compute", DearerWork},
      {"small_reads", "a file is read by 4 bytes", SmallReads},
      {"no_batches", "each item is handed on by itself, not in sixteens", NoBatches},
      {"spinning_wait", "a thread waits in a loop, not asleep", SpinningWait},
      {"nothing", "nothing", Nothing},
      {"direct_reads", "a file is read with O_DIRECT", DirectReads},
      {"wake_all", "all eight threads are woken for an item, not one", WakeAll},
      {"fewer_connections", "four threads share one connection instead of four", FewerConnections},
      {"slower_answer", "an answer takes 1.6 ms instead of 0.8", SlowerAnswer},
      {"one_cpu", "a thread may only run on the CPU of one that computes", OneCpuOfAThread},
      {"late_tail", "one question in 200 takes 25 ms to compute", LateTail},
      {"cheaper_work", "each item takes half of the time to compute", CheaperWork},
      {"as_before", "nothing, of a server and a client", QuestionsAsBefore},
  };
  return all;
}

}  // namespace planted
