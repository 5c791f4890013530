// Package journaltest holds what every implementation of [journal.Store] must pass, and
// sample records for tests. It keeps nothing between tests.
package journaltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Start is the time of the first sample record.
var Start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// Log makes the records of one run, as its owner does. It is not safe for concurrent use.
type Log struct {
	Run   string
	Epoch int64
	Last  int64 // seq of the last record that was made
}

// Next makes the next record.
func (l *Log) Next(scope journal.Scope, p journal.Payload) journal.Record {
	l.Last++
	return journal.Record{
		V: 1, Run: l.Run, Epoch: l.Epoch, Seq: l.Last, Prev: l.Last - 1,
		At: Start.Add(time.Duration(l.Last) * time.Millisecond), Scope: scope, Payload: p,
	}
}

// Batch makes a batch of records that were just made.
func (l *Log) Batch(records ...journal.Record) journal.Batch {
	return journal.Batch{Run: l.Run, Epoch: l.Epoch, After: l.Last - int64(len(records)), Records: records}
}

// Created makes the first record of a run.
func (l *Log) Created() journal.Record {
	return l.Next(journal.Scope{}, &journal.RunCreated{
		TeamHash: "9f86d081", Team: journal.Text(`{"name":"sample"}`), Input: journal.Text(`{"task":"sum"}`), Name: "sample",
	})
}

// Ended makes the terminal record of a run.
func (l *Log) Ended() journal.Record {
	return l.Next(journal.Scope{}, &journal.RunEnded{
		Outcome: journal.Completed, Reason: "finished", Result: journal.Text("done"), Duration: time.Second,
	})
}

// Turn makes the five records of one call of turn n of the root. It is about what a real turn writes.
func (l *Log) Turn(n int) []journal.Record {
	in, out := int64(2400), int64(90)
	turn := journal.Scope{Invocation: "root", Turn: n}
	call := journal.Scope{Invocation: "root", Turn: n, Call: fmt.Sprintf("call_%08x", n)}
	return []journal.Record{
		l.Next(turn, &journal.ModelRequested{Provider: "scripted", Model: "sample-1", Messages: 2 * n}),
		l.Next(turn, &journal.ModelAnswered{
			Attempt: 1, Text: journal.Text("I will read the next file."), Calls: 1, Stop: "tool_calls",
			Usage: journal.Usage{Requests: 1, Input: &in, Output: &out}, Model: "sample-1",
		}),
		l.Next(call, &journal.CallRequested{
			Tool: "builtin:workspace.read", Name: "workspace_read", ProviderCallID: fmt.Sprintf("toolu_%d", n),
			Args: journal.Text(fmt.Sprintf(`{"path":"src/file%d.go"}`, n)), ArgsHash: "5994471abb01112a", Class: "read", Counted: true,
		}),
		l.Next(call, &journal.CallChecked{Decision: "allow", By: "mode"}),
		l.Next(call, &journal.CallSettled{
			Outcome: journal.Completed, Content: journal.Text(strings.Repeat("package main\n", 4)),
			Observed: []journal.Observed{{Path: "src/file.go", Hash: "2c26b46b", Full: true}}, Duration: time.Millisecond,
		}),
	}
}
