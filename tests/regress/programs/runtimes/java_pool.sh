#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Java: a pool of one thread instead of four answers four clients; an answer takes 4 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need java javac
if [ "$form" = prepare ]; then
  cat >"$folder/Pool.java" <<'END'
import java.util.concurrent.*;

public class Pool {
  public static void main(String[] arguments) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(Integer.parseInt(arguments[0]));
    long over = System.nanoTime() + 2_300_000_000L;
    Thread[] clients = new Thread[4];
    for (int i = 0; i < clients.length; ++i) {
      clients[i] = new Thread(() -> {
        try {
          while (System.nanoTime() < over) {
            pool.submit(() -> { Thread.sleep(4); return 1; }).get();
            Thread.sleep(6);
          }
        } catch (Exception failed) {
          throw new RuntimeException(failed);
        }
      }, "client-" + i);
      clients[i].start();
    }
    for (Thread client : clients) client.join();
    pool.shutdown();
  }
}
END
  javac -d "$folder" "$folder/Pool.java"
  exit 0
fi
java -XX:+UseSerialGC -cp "$folder" Pool "$(in_form 4 1)"
