// Package examples holds teams and programs that run as they are: hello, the smallest
// team; handoff, a team whose run changes its owner; review, a team that works in parallel
// on real files; research, which does both; embed, a program with the runtime inside. Its
// tests run all of them. It exports nothing.
package examples
