// Package examples holds teams and programs that run as they are: hello, the smallest
// team; review, a team that works in parallel on real files; embed, a program with the
// runtime inside. Its tests run all of them. It exports nothing.
package examples
