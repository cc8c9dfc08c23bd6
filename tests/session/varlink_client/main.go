// SPDX-License-Identifier: BSD-2-Clause

// A varlink client based on Go's library, independent of fxt-record. It parses the interface description
// with that library and makes every call in every lasting state of a session. Usage: varlink_client
// SOCKET. Prints the differences from its table; exit status 1 if there are any.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/varlink/go/varlink"
	"github.com/varlink/go/varlink/idl"
)

const iface = "fuchsia.tracing.controller"

type object map[string]interface{}

var failed = false

func expect(what string, got string, want string) {
	if got != want {
		fmt.Printf("%s: %s, and should be %s\n", what, got, want)
		failed = true
	}
}

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

// "done" or the name of the error without the interface.
func call(c *varlink.Connection, method string, parameters object, reply interface{}) string {
	err := c.Call(context.Background(), iface+"."+method, parameters, reply)
	if err == nil {
		return "done"
	}
	if e, ok := err.(*varlink.Error); ok {
		return strings.TrimPrefix(strings.TrimPrefix(e.Name, iface+"."), "org.varlink.service.")
	}
	return strings.TrimPrefix(strings.Split(fmt.Sprintf("%T", err), ".")[1], "*")
}

func state(c *varlink.Connection) string {
	var reply struct{ State string }
	expect("WatchSessionState", call(c, "WatchSessionState", object{}, &reply), "done")
	return reply.State
}

// Reads the methods of the interface description.
func readDescription(c *varlink.Connection) {
	text, err := c.GetInterfaceDescription(context.Background(), iface)
	check("GetInterfaceDescription", err)
	parsed, err := idl.New(text)
	check("the description", err)
	expect("its name", parsed.Name, iface)
	names := []string{}
	for _, method := range parsed.Methods {
		names = append(names, method.Name)
	}
	sort.Strings(names)
	expect("its methods", strings.Join(names, " "), "GetKnownCategories GetProviders GetStatus InitializeTracing "+
		"RegisterProvider SendAlert SendMark StartTracing StopTracing TakeSnapshot TerminateTracing WatchAlert "+
		"WatchSessionState")
	text, err = c.GetInterfaceDescription(context.Background(), "org.varlink.service")
	check("GetInterfaceDescription", err)
	_, err = idl.New(text)
	check("the service's description", err)
}

func initialize(c *varlink.Connection) string {
	return call(c, "InitializeTracing", object{"config": object{"categories": []string{"sched"},
		"buffer_size_megabytes_hint": 2, "buffering_mode": "CIRCULAR"}}, nil)
}

func start(c *varlink.Connection) string {
	return call(c, "StartTracing", object{"options": object{"buffer_disposition": "RETAIN"}}, nil)
}

func stop(c *varlink.Connection) string {
	return call(c, "StopTracing", object{"options": object{"write_results": false}}, nil)
}

func terminate(c *varlink.Connection) string {
	return call(c, "TerminateTracing", object{"options": object{"write_results": false}}, nil)
}

func snapshot(c *varlink.Connection, path string) string {
	var reply struct{ Written struct{ Bytes int64 } }
	answer := call(c, "TakeSnapshot", object{"output": object{"path": path}}, &reply)
	if answer == "done" && reply.Written.Bytes == 0 {
		return "nothing written"
	}
	os.Remove(path)
	return answer
}

// Brings the session to the state `in`.
func bring(c *varlink.Connection, in string) {
	terminate(c)
	if in != "READY" {
		expect("initialize", initialize(c), "done")
	}
	if in == "STARTED" || in == "STOPPED" {
		expect("start", start(c), "done")
	}
	if in == "STOPPED" {
		expect("stop", stop(c), "done")
	}
	expect("the state", state(c), in)
}

func finish() {
	if failed {
		os.Exit(1)
	}
	fmt.Println("all as the table says")
}

func main() {
	socket := os.Args[1]
	c, err := varlink.NewConnection(context.Background(), "unix:"+socket)
	check("connecting", err)
	var vendor, product, version, url string
	var interfaces []string
	check("GetInfo", c.GetInfo(context.Background(), &vendor, &product, &version, &url, &interfaces))
	expect("the interfaces", strings.Join(interfaces, " "), "org.varlink.service "+iface)
	readDescription(c)

	file := socket + ".trace"
	snap := func(c *varlink.Connection) string { return snapshot(c, file) }
	alert := func(c *varlink.Connection) string { return call(c, "SendAlert", object{"alert_name": "hello"}, nil) }
	status := func(c *varlink.Connection) string {
		var reply struct{ Status struct{ State string } }
		answer := call(c, "GetStatus", object{}, &reply)
		expect("GetStatus and WatchSessionState", reply.Status.State, state(c))
		return answer
	}
	known := func(c *varlink.Connection) string {
		var reply struct{ Categories []struct{ Name, Description string } }
		answer := call(c, "GetKnownCategories", object{}, &reply)
		if len(reply.Categories) < 3 || len(reply.Categories) > 100 {
			return "too few or too many categories"
		}
		return answer
	}
	providers := func(c *varlink.Connection) string {
		var reply struct {
			Providers []struct {
				ID, PID int64
				Name    string
			}
		}
		answer := call(c, "GetProviders", object{}, &reply)
		if len(reply.Providers) != 1 || reply.Providers[0].Name != "fxt-record" {
			return "other providers"
		}
		return answer
	}
	states := []string{"READY", "INITIALIZED", "STARTED", "STOPPED"}
	table := []struct {
		name    string
		do      func(*varlink.Connection) string
		answers [4]string
	}{
		{"InitializeTracing", initialize, [4]string{"done", "ALREADY_INITIALIZED", "ALREADY_INITIALIZED", "ALREADY_INITIALIZED"}},
		{"StartTracing", start, [4]string{"NOT_INITIALIZED", "done", "ALREADY_STARTED", "done"}},
		{"StopTracing", stop, [4]string{"done", "done", "done", "done"}},
		{"TerminateTracing", terminate, [4]string{"done", "done", "done", "done"}},
		{"TakeSnapshot", snap, [4]string{"NOT_INITIALIZED", "NOT_STARTED", "done", "done"}},
		{"SendAlert", alert, [4]string{"NOT_INITIALIZED", "done", "done", "done"}},
		{"GetStatus", status, [4]string{"done", "done", "done", "done"}},
		{"GetKnownCategories", known, [4]string{"done", "done", "done", "done"}},
		{"GetProviders", providers, [4]string{"done", "done", "done", "done"}},
	}
	for _, row := range table {
		for i, in := range states {
			bring(c, in)
			expect(row.name+" in "+in, row.do(c), row.answers[i])
		}
	}

	// The alerts of the other clients, and all states in order.
	bring(c, "READY")
	watcher, err := varlink.NewConnection(context.Background(), "unix:"+socket)
	check("connecting", err)
	receive, err := watcher.Send(context.Background(), iface+".WatchSessionState", nil, varlink.More)
	check("WatchSessionState", err)
	seen := []string{}
	next := func() {
		var reply struct{ State string }
		flags, err := receive(context.Background(), &reply)
		check("WatchSessionState", err)
		if flags&varlink.Continues == 0 {
			expect("WatchSessionState", "the last one", "one of several")
		}
		seen = append(seen, reply.State)
	}
	next()
	initialize(c)
	start(c)
	terminate(c)
	for i := 0; i < 7; i++ {
		next()
	}
	expect("the states", strings.Join(seen, " "),
		"READY INITIALIZED STARTING STARTED STOPPING STOPPED TERMINATING READY")

	// Limits of the arguments.
	bring(c, "INITIALIZED")
	expect("an alert of 15 bytes", call(c, "SendAlert", object{"alert_name": "fifteen-bytes-x"}, nil), "InvalidParameter")
	bring(c, "READY")
	many := make([]string, 101)
	for i := range many {
		many[i] = "sched"
	}
	expect("101 categories", call(c, "InitializeTracing", object{"config": object{"categories": many}}, nil), "InvalidParameter")
	finish()
}
