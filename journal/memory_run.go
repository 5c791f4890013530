package journal

import (
	"bytes"
	"sort"
	"sync"
	"time"
)

// memoryRun is one run of a [Memory].
type memoryRun struct {
	mu     sync.Mutex
	head   head
	index  index
	owner  string // holder, "" when released
	since  time.Time
	last   time.Time     // of the last record
	parts  []part        // records as they were appended, never copied
	stored chan struct{} // closed at the next append; nil: nobody listens
}

// part is one append, with the seq of its first record.
type part struct {
	first   int64
	records []Record
}

// append takes a batch; records are those to keep, and the run owns them from here on.
func (m *memoryRun) append(b *Batch, records []Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	repeat, err := m.head.admit(b)
	if err != nil {
		if repeat && m.repeats(records) {
			return nil
		}
		return err
	}
	for i := range records {
		m.index.apply(&records[i])
	}
	if len(records) > 0 {
		m.parts = append(m.parts, part{records[0].Seq, records})
	}
	m.head.advance(b)
	if n := len(records); n > 0 {
		m.last = records[n-1].At
	}
	if m.stored != nil {
		close(m.stored)
		m.stored = nil
	}
	return nil
}

// at gives the record with a seq, which must be stored.
func (m *memoryRun) at(seq int64) *Record {
	n := sort.Search(len(m.parts), func(i int) bool { return m.parts[i].first > seq }) - 1
	return &m.parts[n].records[seq-m.parts[n].first]
}

// repeats tells whether the records are stored already, byte for byte.
func (m *memoryRun) repeats(records []Record) bool {
	for i := range records {
		given, _, err := Encode(&records[i])
		if err != nil {
			return false
		}
		stored, _, err := Encode(m.at(records[i].Seq))
		if err != nil || !bytes.Equal(given, stored) {
			return false
		}
	}
	return true
}

func (m *memoryRun) read(q Query) []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to, limit := q.bounds()
	to = min(to, m.head.last)
	if from > to {
		return nil
	}
	var list []Record
	if !q.filters() {
		list = make([]Record, 0, min(int64(limit), to-from+1))
	}
	for seq := from; seq <= to && len(list) < limit; seq++ {
		r := m.at(seq)
		if !q.matches(&r.Scope, r.Type()) {
			continue
		}
		if q.NoBlobs {
			list = append(list, withoutText(*r))
			continue
		}
		list = append(list, *r)
	}
	return list
}

func (m *memoryRun) listen() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored == nil {
		m.stored = make(chan struct{})
	}
	return m.stored
}

func (m *memoryRun) summary(name string, live map[string]bool) (Summary, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.head.last == 0 {
		return Summary{}, false
	}
	s := Summary{
		Run: name, Team: m.index.team, State: m.index.shown(live[m.owner]), Created: m.index.created,
		Updated: m.last.UTC().Truncate(time.Microsecond), LastSeq: m.head.last, Epoch: m.head.epoch,
	}
	if live[m.owner] {
		s.Holder = m.owner
	}
	return s, true
}
