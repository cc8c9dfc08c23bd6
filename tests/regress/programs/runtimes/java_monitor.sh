#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Java: a background thread holds the monitor of three others for 8 ms at a time instead of not at all.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need java javac
if [ "$form" = prepare ]; then
  cat >"$folder/Desk.java" <<'END'
public class Desk {
  static final Object DESK = new Object();
  static int visits;

  static void visit(long over, int held, int pause) {
    try {
      while (System.nanoTime() < over) {
        synchronized (DESK) {
          if (held > 0) Thread.sleep(held);
          ++visits;
        }
        Thread.sleep(pause);
      }
    } catch (InterruptedException interrupted) {
      throw new RuntimeException(interrupted);
    }
  }

  public static void main(String[] arguments) throws Exception {
    int held = Integer.parseInt(arguments[0]);
    long over = System.nanoTime() + 2_200_000_000L;
    Thread auditor = new Thread(() -> visit(over, held, 15), "auditor");
    auditor.start();
    for (int i = 0; i < 3; ++i) new Thread(() -> visit(over, 0, 2), "teller-" + i).start();
    auditor.join();
  }
}
END
  javac -d "$folder" "$folder/Desk.java"
  exit 0
fi
java -XX:+UseSerialGC -cp "$folder" Desk "$(in_form 0 8)"
