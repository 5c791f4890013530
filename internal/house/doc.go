// Package house holds the tests of the rules that no single package can hold for itself:
// imports point downwards only, test kits stay out of programs, and every package says
// what it owns. It exports nothing.
package house
