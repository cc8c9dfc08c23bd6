#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Go: the collector runs as often as GOGC=5 says instead of GOGC=400.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need go
if [ "$form" = prepare ]; then
  cat >"$folder/main.go" <<'END'
package main

import "time"

type leaf struct{ next *leaf; bytes [100]byte }

func main() {
	kept := make([]*leaf, 200000)
	for i := range kept {
		kept[i] = &leaf{}
	}
	over := time.Now().Add(2300 * time.Millisecond)
	for i := 0; time.Now().Before(over); {
		for j := 0; j < 2000; j++ {
			kept[i%len(kept)] = &leaf{}
			i++
		}
		time.Sleep(4 * time.Millisecond)
	}
}
END
  cd "$folder"
  HOME=$folder GO111MODULE=off go build -o catalog main.go
  exit 0
fi
GOGC=$(in_form 400 5) "$folder/catalog"
