// Package js owns JavaScript in the sandboxed shell: the commands js, node and deno, and
// below them [Runtime], which runs one program with the modules that programs for Node use
// most. It is not Node: it reaches the view, the streams and the clock that it was given
// and nothing else. No file of the host is opened, no other program is started and there
// is no network.
//
// The engine is goja. What goja lacks of the language (for await, async generators,
// properties of Unicode in regular expressions) is rewritten in the source before it is
// compiled; its messages are put in the words that programs expect. A Runtime belongs to
// one goroutine; only the end of its context may come from another one.
package js
