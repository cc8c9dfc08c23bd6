#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Java: a heap of 18 MiB instead of 64 MiB, so that the collector runs all the time.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need java javac
if [ "$form" = prepare ]; then
  cat >"$folder/Cache.java" <<'END'
import java.util.*;

public class Cache {
  public static void main(String[] arguments) throws Exception {
    byte[][] kept = new byte[1400][];
    Random dice = new Random(1);
    long over = System.nanoTime() + 2_300_000_000L;
    for (int request = 0; System.nanoTime() < over; ++request) {
      for (int i = 0; i < 40; ++i) kept[dice.nextInt(kept.length)] = new byte[10_000];
      Thread.sleep(4);
    }
  }
}
END
  javac -d "$folder" "$folder/Cache.java"
  exit 0
fi
# New pages of a large heap would cost more than the collector.
java -XX:+UseSerialGC -XX:+AlwaysPreTouch "-Xmx$(in_form 64m 18m)" "-Xms$(in_form 64m 18m)" -cp "$folder" Cache
