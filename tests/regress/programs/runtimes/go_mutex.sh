#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Go: a background goroutine holds the mutex of the handlers for 8 ms instead of 0.1 ms, twenty times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need go
if [ "$form" = prepare ]; then
  cat >"$folder/main.go" <<'END'
package main

import (
	"flag"
	"runtime"
	"sync"
	"time"
)

func work(of time.Duration) {
	for end := time.Now().Add(of); time.Now().Before(end); {
	}
}

func main() {
	held := flag.Duration("held", 0, "")
	flag.Parse()
	var table sync.Mutex
	go func() {
		runtime.LockOSThread()
		for {
			table.Lock()
			time.Sleep(*held)
			table.Unlock()
			time.Sleep(50 * time.Millisecond)
		}
	}()
	over := time.Now().Add(2500 * time.Millisecond)
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(over) {
				table.Lock()
				work(50 * time.Microsecond)
				table.Unlock()
				time.Sleep(3 * time.Millisecond)
			}
		}()
	}
	all.Wait()
}
END
  cd "$folder"
  HOME=$folder GO111MODULE=off go build -o ledger main.go
  exit 0
fi
"$folder/ledger" -held "$(in_form 100us 8ms)"
