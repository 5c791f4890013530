package metrics

import (
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// BenchmarkRecorded measures the records of one turn with one call.
func BenchmarkRecorded(b *testing.B) {
	t := setup(b)
	t.tell(root()...)
	in, out := int64(1000), int64(50)
	turn := []journal.Record{
		{Payload: &journal.ModelRequested{Provider: "openai", Model: "m"}},
		{Payload: &journal.ModelAnswered{Calls: 1, Usage: journal.Usage{Input: &in, Output: &out}}},
		{Payload: &journal.CallRequested{Tool: readTool, Class: "read"}},
		{Payload: &journal.CallChecked{Decision: "allow"}},
		{Payload: &journal.CallDispatched{}},
		{Payload: &journal.CallSettled{Outcome: journal.Completed, Dispatched: true, Duration: time.Millisecond}},
	}
	for i := range turn {
		turn[i].Scope = journal.Scope{Invocation: "root", Call: "key"}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for i := range turn {
			t.seq++
			turn[i].Seq = t.seq
		}
		t.run.Recorded(turn[:5])
		t.run.Recorded(turn[5:])
	}
}

// BenchmarkRequest measures what the wrapper adds to a request to a model.
func BenchmarkRequest(b *testing.B) {
	m := New(Options{})
	answer := &model.Answer{}
	p := m.Provider(provide(func(preview func(model.Delta)) (*model.Answer, error) {
		preview(model.Delta{Text: "a"})
		return answer, nil
	}), "openai", "m")
	req := &model.Request{}
	b.ReportAllocs()
	for range b.N {
		if _, err := p.Answer(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
