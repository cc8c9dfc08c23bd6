#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Go: an HTTP server handles requests one at a time (a semaphore of 1 instead of 8); an answer waits 5 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need go ab
port=18611
if [ "$form" = prepare ]; then
  cat >"$folder/main.go" <<'END'
package main

import (
	"flag"
	"net/http"
	"time"
)

func main() {
	slots := flag.Int("slots", 8, "")
	address := flag.String("address", "", "")
	flag.Parse()
	free := make(chan bool, *slots)
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		free <- true
		time.Sleep(5 * time.Millisecond)
		<-free
		answer.Write([]byte("ok"))
	})
	http.ListenAndServe(*address, nil)
}
END
  cd "$folder"
  HOME=$folder GO111MODULE=off go build -o booking main.go
  exit 0
fi
"$folder/booking" -address "127.0.0.1:$port" -slots "$(in_form 8 1)" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 20 0.05 ab -q -n 12 -c 4 "$url"
