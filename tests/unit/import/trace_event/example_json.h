// SPDX-License-Identifier: BSD-2-Clause
// Examples of the Trace Event Format.
#pragma once

#include <string>

namespace importer::testing {

// Every phase of the format, in an object with every property.
inline std::string EveryPhase() {
  return R"json({"displayTimeUnit":"ns","traceEvents":[
{"ph":"B","name":"outer","cat":"a,b","ts":10,"pid":7,"tid":8,"tts":3,"args":{"int":1,"neg":-5000000000,
 "big":18446744073709551615,"real":1.5,"text":"t\u00e9\n","yes":true,"none":null,"list":[1,{"x":[]}],"object":{"k":"v"}}},
{"ph":"E","ts":90,"pid":7,"tid":8,"args":{"result":2}},
{"ph":"X","name":"inner","cat":"a","ts":20,"dur":5.25,"pid":7,"tid":8,"sf":"2","esf":1},
{"ph":"X","name":"around","cat":"a","ts":20,"dur":30,"pid":7,"tid":8,"stack":["0x1","0x2"],"cname":"good"},
{"ph":"i","name":"point","ts":21,"pid":7,"tid":8,"s":"g"},
{"ph":"I","name":"old point","ts":22,"pid":7,"tid":8,"s":"t"},
{"ph":"C","name":"memory","ts":23,"pid":7,"tid":8,"id":"heap","args":{"used":10,"free":2.5}},
{"ph":"b","name":"load","cat":"net","id":"0x10","ts":24,"pid":7,"tid":8},
{"ph":"n","name":"load","cat":"net","id":"0x10","ts":25,"pid":7,"tid":8},
{"ph":"e","name":"load","cat":"net","id":"0x10","ts":26,"pid":9,"tid":9},
{"ph":"S","name":"legacy","cat":"net","id":"x","scope":"s","ts":27,"pid":7,"tid":8},
{"ph":"T","name":"legacy","cat":"net","id":"x","scope":"s","ts":28,"pid":7,"tid":8,"args":{"step":"one"}},
{"ph":"p","name":"legacy","cat":"net","id":"x","scope":"s","ts":29,"pid":7,"tid":8,"args":{"step":"two"}},
{"ph":"F","name":"legacy","cat":"net","id":"x","scope":"s","ts":30,"pid":7,"tid":8},
{"ph":"s","name":"flow","cat":"f","id":5,"ts":31,"pid":7,"tid":8},
{"ph":"t","name":"flow","cat":"f","id":5,"ts":32,"pid":9,"tid":9},
{"ph":"f","name":"flow","cat":"f","id":5,"ts":33,"pid":9,"tid":9,"bp":"e"},
{"ph":"P","name":"sample","ts":34,"pid":7,"tid":8},
{"ph":"N","name":"Thing","id":"0x20","ts":35,"pid":7,"tid":8},
{"ph":"O","name":"Thing","id":"0x20","ts":36,"pid":7,"tid":8,"args":{"snapshot":{"a":[1]}}},
{"ph":"D","name":"Thing","id":"0x20","ts":37,"pid":7,"tid":8},
{"ph":"V","name":"dump","id":"d1","ts":38,"pid":7,"tid":8,"args":{"dumps":{}}},
{"ph":"v","name":"dump","id":"d1","ts":39,"pid":7,"tid":8,"args":{"dumps":{"m":1}}},
{"ph":"R","name":"firstLayout","cat":"blink","ts":40,"pid":7,"tid":8},
{"ph":"c","name":"clock_sync","ts":41,"pid":7,"tid":8,"args":{"sync_id":"guid","issue_ts":40.5}},
{"ph":"(","name":"Context","id":"0x30","ts":42,"pid":7,"tid":8},
{"ph":")","name":"Context","id":"0x30","ts":43,"pid":7,"tid":8},
{"ph":"=","name":"link","cat":"net","id":"0x10","ts":44,"pid":7,"tid":8,"args":{"linked_id":"0x40"}},
{"ph":"b","name":"local","cat":"net","id2":{"local":"0x1"},"ts":45,"pid":7,"tid":8},
{"ph":"e","name":"local","cat":"net","id2":{"local":"0x1"},"ts":46,"pid":7,"tid":8},
{"ph":"M","name":"process_name","pid":7,"args":{"name":"program"}},
{"ph":"M","name":"process_labels","pid":7,"args":{"labels":"busy"}},
{"ph":"M","name":"process_sort_index","pid":7,"args":{"sort_index":-1}},
{"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"main"}},
{"ph":"M","name":"thread_sort_index","pid":7,"tid":8,"args":{"sort_index":4}},
{"ph":"M","name":"num_cpus","pid":7,"tid":8,"ts":0,"args":{"number":2}}
],"stackFrames":{"1":{"name":"main","category":"app"},"2":{"name":"leaf","parent":"1"}},
"samples":[{"cpu":0,"tid":8,"ts":50.5,"name":"cycles","sf":2,"weight":3}],
"systemTraceEvents":"# tracer: nop\n  main-8 (    7) [001] d..2. 0.000060: sched_switch: prev_comm=main prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n  <idle>-0 (-----) [001] d.h2. 0.000070: sched_waking: comm=main pid=8 prio=120 target_cpu=001\n  main-8 [001] d..2. 0.000075: other: x=1\n",
"otherData":{"version":"1"},"controllerTraceDataKey":"traceEvents"})json";
}

inline std::string FtraceText() {
  return "# tracer: nop\n#\n"
         "   my [task]-12  ( 10) [003] d..2. 12.345678: sched_switch: prev_comm=my [task] "
         "prev_pid=12 prev_prio=120 prev_state=D ==> next_comm=b=c next_pid=13 next_prio=98\n"
         "   b=c-13 [003] d..3. 12.345679: sched_waking: comm=my [task] pid=12 prio=120 "
         "target_cpu=003\n";
}

}  // namespace importer::testing
