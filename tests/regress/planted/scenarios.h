// SPDX-License-Identifier: BSD-2-Clause
// Small programs of servers, clients and workers, each with a base form and a slow form in which
// one thing got worse (or better, or only other). `fxt diff` of captures of both forms has to name
// that thing; what counts as named is in tests/regress/expectations.json, under the scenario's
// name.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace planted {

struct Options {
  bool slow = false;
  std::chrono::milliseconds length{
      3400};                        // how long the program runs, give or take its last request
  std::string folder = "/var/tmp";  // for files; on a disk, or there is nothing to wait for
};

struct Scenario {
  const char* name;
  const char* change;  // what the slow form does, for --help
  // Runs the program to its end; the exit status of the process.
  int (*run)(const Options& options);
};

// All there are, in the order of their recording.
const std::vector<Scenario>& Scenarios();

// A shop: threads of a client process ask the workers of a server process.
int AddedSleep(const Options& options);
int TailOnly(const Options& options);
int Faster(const Options& options);
int DoubledWork(const Options& options);
int RenamedThreads(const Options& options);

// Threads that share a mutex.
int CriticalSection(const Options& options);
int PriorityInversion(const Options& options);

// Who gets the CPUs.
int CpuHog(const Options& options);
int NoisyNeighbour(const Options& options);
int Pinning(const Options& options);

// Too much of something cheap.
int SignalStorm(const Options& options);
int MoreForks(const Options& options);

// Others, to see what the first ones do not show.
int SmallerPool(const Options& options);
int BusyPolling(const Options& options);
int ThreadPerRequest(const Options& options);
int ChattyLog(const Options& options);
int Straggler(const Options& options);
int ColdReads(const Options& options);

// Others again, made without having seen what `fxt diff` says of them.
int Quota(const Options& options);
int Niceness(const Options& options);
int PageFaults(const Options& options);
int TimerSlack(const Options& options);
int LongerLock(const Options& options);
int RareFsync(const Options& options);
int GcPauses(const Options& options);
int SlowPipe(const Options& options);
int RetryBackOff(const Options& options);
int LookupTimeout(const Options& options);
int DearerWork(const Options& options);
int SmallReads(const Options& options);
int NoBatches(const Options& options);
int SpinningWait(const Options& options);
int Nothing(const Options& options);

// The last ones, recorded when nothing was to be changed any more.
int DirectReads(const Options& options);
int WakeAll(const Options& options);
int FewerConnections(const Options& options);
int SlowerAnswer(const Options& options);
int OneCpuOfAThread(const Options& options);
int LateTail(const Options& options);
int CheaperWork(const Options& options);
int QuestionsAsBefore(const Options& options);

// Later ones, made after the method and in ignorance of what it says of them.
int ExtraHop(const Options& options);
int DelayedSegments(const Options& options);
int SleepingPoll(const Options& options);
int ExclusiveReaders(const Options& options);
int AddressSpace(const Options& options);
int Checkpoint(const Options& options);
int RealTimeNeighbour(const Options& options);
int MemoryBound(const Options& options);
int Stopped(const Options& options);
int MoreThreadsSameWork(const Options& options);

// Fresh ones, made when all those above were found.
int InterpreterSwitches(const Options& options);
int LostWakeup(const Options& options);
int ShorterQueue(const Options& options);
int NiceHolder(const Options& options);
int SyncedLog(const Options& options);
int HeldAnswers(const Options& options);
int ForkedHeap(const Options& options);
int SmallPages(const Options& options);
int SmallPipe(const Options& options);
int SmallerCache(const Options& options);
int Bouncing(const Options& options);
int LargerBatches(const Options& options);
int OtherOrder(const Options& options);

// Others again, made and recorded when all those above were known.
int SerialCalls(const Options& options);
int GrowingList(const Options& options);
int HeadOfLine(const Options& options);
int ManyDescriptors(const Options& options);
int AlignedTimers(const Options& options);
int SynchronousHelper(const Options& options);
int NoReadAhead(const Options& options);
int CacheMisses(const Options& options);
int IdleThreads(const Options& options);

// Those whose causes were written down before any of them was compared.
int SlowStart(const Options& options);
int NoKeepAlive(const Options& options);
int NoOverlap(const Options& options);
int DiskNeighbour(const Options& options);
int GracePeriods(const Options& options);
int LostPermits(const Options& options);
int FairLock(const Options& options);
int StarvedWriter(const Options& options);
int GroupCommit(const Options& options);
int Bursts(const Options& options);
int HeavierHelper(const Options& options);

int SlowSystemCall(const Options& options);
int WakeupChain(const Options& options);

}  // namespace planted
