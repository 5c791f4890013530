// Package schema owns what becomes of the schemas of tools before they are sent: what every
// server needs, and what the grammars of some servers cannot express. It is pure: the same
// schema always gives the same one. It checks no arguments, which are always held against
// the original, and never fails: what it cannot read it leaves as it is.
//
// [Common] is for all wire forms, [Grammar] for servers with that quirk. [List] remembers
// what became of the tools of a snapshot. All are safe for concurrent use.
package schema
