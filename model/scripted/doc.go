// Package scripted owns the model that needs no key and no network: its answers stand in
// a YAML script. It never keeps a conversation: which step answers is a pure function of
// the script and the request, so that a retry, a resume and a second process give the
// same answer. Providers are safe for concurrent use.
//
// # Scripts
//
//	version: 1
//	defaults: {latency: 200ms, usage: auto}
//	agents:
//	  lead:
//	    - when: {turn: 1}
//	      text: I look for it.
//	      calls: [{workspace.search_files: {query: "{{ input }}"}}]
//	    - when: {after: workspace.search_files}
//	      calls:
//	        - workspace.write_file:
//	            path: out.md
//	            content: '{{ len (json "workspace.search_files" "hits") }} hits'
//	    - when: {any: true}
//	      times: any
//	      calls: [{workspace.finish: {reason: done}}]
//	on_unmatched: error
//	require_all: false
//
// The steps of an agent are tried in order; the first whose conditions all hold and that
// is not used up answers. The agent "*" stands for every agent that the script does not
// name. A step has:
//
//   - when: all given conditions must hold: turn (3, [1, 3], "2-4", "5-"), match and
//     not_match (RE2 over what the model has not answered yet: results and messages since
//     its last answer), after (a tool that it called last), error (true: some of those
//     results is an error; false: none), has_tool (a tool of the request), path (the
//     invocation path, * and ? within a segment), any: true (always).
//   - times: how often it may answer in one invocation, default 1, or any.
//   - text, reasoning: what it says; a template. Reasoning is for the record.
//   - calls: a list of {tool: arguments}. A tool is named by its id, its native name (the
//     id behind its source) or its model name; =name sends the name as it stands. Without
//     arguments (null) none are sent. Strings of arguments are templates.
//   - raw_arguments: texts that are sent in place of the arguments of the first, second, …
//     call as they stand; null keeps a call's own.
//   - finish: the finish reason, default calls or stop.
//   - latency: how long it takes, on the clock of [Options].
//   - usage: auto (estimated), none (unknown), or {input, output, cache_read, cache_write,
//     reasoning}.
//   - fault: {status, code, retry_after, cut_after, times}: the first times attempts
//     (default 1, or any) fail with this HTTP status or error code, or break off after so
//     many characters.
//
// A step that answered is a native part {"provider":"scripted","step":n} of the answer;
// how often a step was used is counted from these parts of the history.
//
// # Templates
//
// Templates are those of text/template with these functions. What is missing is an error,
// never an empty text.
//
//   - input: the first user message. turn: the number of this turn. agent: the agent's id.
//   - match n: group n of when.match.
//   - result tool: the content of the newest result of the tool. results tool: all of
//     them, oldest first; printed one a line.
//   - json tool path: a value of the structured form of the newest result of the tool, or
//     of its content when that is JSON. Paths are written a.b[0].c, [-1] is the last one,
//     # at the end the number of entries, "" the whole. json text: reads a JSON text.
//   - arg path: an argument of the newest call. arg tool path: of the newest call of the tool.
//   - lines text: the lines that are not blank. count regexp text: the number of matches.
//     find regexp text: the first match, or its first group; findall: all of them.
//   - each path list: that value of every entry. join separator list: one text.
//   - rand n: a number from 0 to n-1, the same for the same seed, run, invocation and turn.
//   - jsonval value: its JSON. An argument that is nothing but one {{ … jsonval }} is that
//     value itself and no string.
package scripted
