#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Go: four goroutines compute on one CPU instead of two (GOMAXPROCS).
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need go
if [ "$form" = prepare ]; then
  cat >"$folder/main.go" <<'END'
package main

import (
	"crypto/sha256"
	"sync"
)

func main() {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			block := make([]byte, 1<<16)
			for j := 0; j < 3000; j++ {
				sum := sha256.Sum256(block)
				copy(block, sum[:])
			}
		}()
	}
	all.Wait()
}
END
  cd "$folder"
  HOME=$folder GO111MODULE=off go build -o hasher main.go
  exit 0
fi
GOMAXPROCS=$(in_form 2 1) "$folder/hasher"
