package journal_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/journal/journaltest"
)

// cpu gives the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func openSQLite(tb testing.TB, dir string, o journal.SQLiteOptions) *journal.SQLite {
	tb.Helper()
	s, err := journal.OpenSQLite(context.Background(), dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func acquire(tb testing.TB, s journal.Store, run string) *journaltest.Log {
	tb.Helper()
	epoch, err := s.Acquire(context.Background(), run, false)
	if err != nil {
		tb.Fatal(err)
	}
	return &journaltest.Log{Run: run, Epoch: epoch}
}

func appendAll(tb testing.TB, s journal.Store, batches ...journal.Batch) {
	tb.Helper()
	for _, err := range s.Append(context.Background(), batches) {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkAppendAlone is one durable append of a few records at a time: a lone run.
func BenchmarkAppendAlone(b *testing.B) {
	for _, durability := range []string{journal.DurabilityFull, journal.DurabilityRelaxed} {
		b.Run(durability, func(b *testing.B) {
			s := openSQLite(b, b.TempDir(), journal.SQLiteOptions{Durability: durability})
			l := acquire(b, s, "run-1")
			appendAll(b, s, l.Batch(l.Created()))
			before := cpu(b)
			for n := 1; b.Loop(); n++ {
				appendAll(b, s, l.Batch(l.Turn(n)...))
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/append")
		})
	}
}

// BenchmarkAppendGrouped is what the writer does when many runs append at once.
func BenchmarkAppendGrouped(b *testing.B) {
	for _, runs := range []int{16, 200} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			s := openSQLite(b, b.TempDir(), journal.SQLiteOptions{})
			logs := make([]*journaltest.Log, runs)
			for i := range logs {
				logs[i] = acquire(b, s, fmt.Sprintf("run-%03d", i))
				appendAll(b, s, logs[i].Batch(logs[i].Created()))
			}
			batches := make([]journal.Batch, 200) // of 5 records
			b.ReportAllocs()
			before := cpu(b)
			for n := 1; b.Loop(); n++ {
				for i := range batches {
					batches[i] = logs[i%runs].Batch(logs[i%runs].Turn(n)...)
				}
				appendAll(b, s, batches...)
			}
			records := float64(b.N * 5 * len(batches))
			b.ReportMetric(records/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1e3/records, "cpu-µs/record")
		})
	}
}

// BenchmarkMemoryAppend is the run actor's append without a disk.
func BenchmarkMemoryAppend(b *testing.B) {
	s := journal.NewMemory(journal.MemoryOptions{})
	l := acquire(b, s, "run-1")
	records := l.Turn(1)[:1]
	batch := journal.Batch{Run: l.Run, Epoch: l.Epoch, Records: records}
	b.ReportAllocs()
	for n := int64(1); b.Loop(); n++ {
		records[0].Seq, records[0].Prev, batch.After = n, n-1, n-1
		if err := s.AppendNow(&batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead100k reads and verifies a run of 100,000 records.
func BenchmarkRead100k(b *testing.B) {
	s := openSQLite(b, b.TempDir(), journal.SQLiteOptions{Durability: journal.DurabilityRelaxed})
	l := acquire(b, s, "run-1")
	appendAll(b, s, l.Batch(l.Created()))
	for n := 1; l.Last < 100_000; n++ {
		appendAll(b, s, l.Batch(l.Turn(n)...))
	}
	b.ReportAllocs()
	for b.Loop() {
		records, err := s.Read(context.Background(), "run-1", journal.Query{})
		if err != nil || int64(len(records)) != l.Last {
			b.Fatal(len(records), err)
		}
	}
}

// BenchmarkOpen opens a store that exists.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	openSQLite(b, dir, journal.SQLiteOptions{})
	for b.Loop() {
		s, err := journal.OpenSQLite(context.Background(), dir, journal.SQLiteOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenNew makes a data directory.
func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	for n := 0; b.Loop(); n++ {
		s, err := journal.OpenSQLite(context.Background(), fmt.Sprintf("%s/%d", dir, n), journal.SQLiteOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
