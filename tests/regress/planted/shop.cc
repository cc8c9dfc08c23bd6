// SPDX-License-Identifier: BSD-2-Clause
// Scenarios of a server whose workers answer the threads of a client.
#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

struct Shop {
  int clients = 4;
  int workers = 4;
  bool paced = false;  // clients ask at a fixed rate; else they sleep so long after each answer
  microseconds period{2000};  // between requests of one client
  microseconds work{100};     // per request, in the server
  microseconds nap{0};        // in the server
  int nap_every = 1;          // requests of one worker
  std::string worker_name = "worker-";
};

void Serve(const Shop& shop, Channel& requests, std::deque<Channel>& answers) {
  Threads threads;
  // One count for all workers, so that the rate of naps is that of requests.
  const auto count = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < shop.workers; ++i) {
    threads.Start(shop.worker_name + std::to_string(i), [&, count] {
      int client = 0;
      while (requests.Receive(&client)) {
        Work(shop.work);
        if (shop.nap.count() > 0 && ++*count % shop.nap_every == 0) Nap(shop.nap);
        answers[client].Send(client);
      }
    });
  }
}

void Ask(const Shop& shop, milliseconds length, Channel& requests, std::deque<Channel>& answers) {
  const auto end = Clock::now() + length;
  {
    Threads threads;
    for (int i = 0; i < shop.clients; ++i) {
      threads.Start("client-" + std::to_string(i), [&, i] {
        Pace pace(shop.period);
        int answer = 0;
        while (Clock::now() < end) {
          if (shop.paced) {
            pace.Wait();
          } else {
            Nap(shop.period);
          }
          Work(microseconds(20));
          if (!requests.Send(i) || !answers[i].Receive(&answer)) return;
        }
      });
    }
  }
  requests.Shut();
}

int Run(const Shop& shop, const Options& options) {
  Channel requests;
  std::deque<Channel> answers(shop.clients);
  Processes processes;
  processes.Start("shop-server", [&] { Serve(shop, requests, answers); });
  processes.Start("shop-client", [&] { Ask(shop, options.length, requests, answers); });
  return 0;
}

}  // namespace

int AddedSleep(const Options& options) {
  Shop shop;
  if (options.slow) shop.nap = milliseconds(3);
  return Run(shop, options);
}

int TailOnly(const Options& options) {
  Shop shop;
  shop.nap = milliseconds(options.slow ? 40 : 0);
  shop.nap_every = 500;
  return Run(shop, options);
}

int Faster(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(4);
  shop.work = microseconds(options.slow ? 200 : 600);
  return Run(shop, options);
}

int DoubledWork(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(options.slow ? 2 : 4);
  shop.work = microseconds(150);
  return Run(shop, options);
}

int RenamedThreads(const Options& options) {
  Shop shop;
  shop.paced = true;
  shop.period = milliseconds(4);
  shop.work = microseconds(200);
  if (options.slow) shop.worker_name = "executor-";
  return Run(shop, options);
}

int SmallerPool(const Options& options) {
  Shop shop;
  shop.nap = milliseconds(1);
  if (options.slow) shop.workers = 1;
  return Run(shop, options);
}

}  // namespace planted
