package journal

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// MemoryOptions configure a [Memory]. The zero value works.
type MemoryOptions struct {
	// RoundTrip encodes and decodes each record that is appended, as a store on disk
	// does: tests use it to prove that payloads survive.
	RoundTrip bool
	Clock     func() time.Time // default time.Now
}

// Memory is a store that is lost with its process. It keeps the records as they are
// given, without encoding them: contents stay whole, whatever their size, also in a read
// without blobs, and only a round trip refuses what is too large. [Memory.Reopen] gives
// further holders of the same data.
type Memory struct {
	*memoryData
	holder string
	done   chan struct{} // closed by Close
	once   sync.Once
}

// memoryData is shared by all openings.
type memoryData struct {
	options MemoryOptions
	writes  atomic.Int64

	mu       sync.RWMutex
	runs     map[string]*memoryRun
	live     map[string]bool // holders that are open
	blobs    map[string][]byte
	commands []Command // by id, from 1
}

var (
	_ Store     = (*Memory)(nil)
	_ Immediate = (*Memory)(nil)
	_ Changes   = (*Memory)(nil)
)

// NewMemory gives an empty store.
func NewMemory(o MemoryOptions) *Memory {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	d := &memoryData{
		options: o, runs: make(map[string]*memoryRun), live: make(map[string]bool), blobs: make(map[string][]byte),
	}
	return d.open()
}

func (d *memoryData) open() *Memory {
	m := &Memory{memoryData: d, holder: thisProcess().newHolder(), done: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[m.holder] = true
	return m
}

// Reopen opens the same data again, as another holder would. It works after Close too.
func (m *Memory) Reopen() *Memory { return m.open() }

// Holder implements [Store].
func (m *Memory) Holder() string { return m.holder }

// Close implements [Store]: this holder's runs have no owner any more.
func (m *Memory) Close() error {
	m.once.Do(func() {
		close(m.done)
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.live, m.holder)
	})
	return nil
}

func (m *Memory) closed() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

func (m *Memory) run(name string) *memoryRun {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.runs[name]
}

// Append implements [Store].
func (m *Memory) Append(_ context.Context, batches []Batch) []error {
	errs := make([]error, len(batches))
	for i := range batches {
		b := batches[i]
		b.Records = slices.Clone(b.Records)
		errs[i] = m.AppendNow(&b)
	}
	return errs
}

// AppendNow implements [Immediate].
func (m *Memory) AppendNow(b *Batch) error {
	if m.closed() {
		return closedStore("append")
	}
	run := m.run(b.Run)
	if run == nil {
		var none head
		_, err := none.admit(b)
		return err
	}
	records := b.Records
	if m.options.RoundTrip {
		var err error
		if records, err = m.roundTrip(records); err != nil {
			return err
		}
	}
	if err := run.append(b, records); err != nil {
		return err
	}
	m.writes.Add(1)
	return nil
}

// roundTrip gives records as a reader of a store on disk gets them.
func (m *Memory) roundTrip(records []Record) ([]Record, error) {
	d := newDecoder()
	out := make([]Record, len(records))
	for i := range records {
		line, blobs, err := Encode(&records[i])
		if err != nil {
			return nil, err
		}
		for _, b := range blobs {
			m.putBlob(b.Hash, []byte(b.Data))
		}
		var e envelope
		if err := d.parse(line, &e); err != nil {
			return nil, damaged(records[i].Run, records[i].Seq, err.Error())
		}
		if out[i], err = d.record(&e, m.blob); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Read implements [Store].
func (m *Memory) Read(ctx context.Context, run string, q Query) ([]Record, error) {
	if m.closed() {
		return nil, closedStore("read")
	}
	if ctx.Err() != nil {
		return nil, interrupted(ctx, "read", run)
	}
	r := m.run(run)
	if r == nil {
		return nil, runNotFound("read", run)
	}
	return r.read(q), nil
}

// Subscribe implements [Store].
func (m *Memory) Subscribe(ctx context.Context, run string, from int64) Events {
	return follow(ctx, m, run, from)
}

func (m *Memory) ended(_ context.Context, run string) (bool, error) {
	r := m.run(run)
	if r == nil {
		return false, runNotFound("subscribe", run)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head.ended, nil
}

func (m *Memory) listen(run string) (mark, error) {
	r := m.run(run)
	if r == nil {
		return mark{}, runNotFound("subscribe", run)
	}
	return mark{stored: r.listen()}, nil
}

func (m *Memory) wait(ctx context.Context, k mark) error {
	select {
	case <-k.stored:
		return nil
	case <-m.done:
		return closedStore("subscribe")
	case <-ctx.Done():
		return interrupted(ctx, "subscribe", "")
	}
}

// PutBlob implements [Store].
func (m *Memory) PutBlob(_ context.Context, data []byte) (string, error) {
	if m.closed() {
		return "", closedStore("put blob")
	}
	if len(data) > MaxBlob {
		return "", tooLarge("a blob", len(data), MaxBlob)
	}
	hash := hashBytes(data)
	m.putBlob(hash, bytes.Clone(data))
	return hash, nil
}

func (d *memoryData) putBlob(hash string, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.blobs[hash]; !ok {
		d.blobs[hash] = data
		d.writes.Add(1)
	}
}

// GetBlob implements [Store].
func (m *Memory) GetBlob(_ context.Context, hash string) ([]byte, error) {
	if m.closed() {
		return nil, closedStore("get blob")
	}
	data, err := m.blob(hash)
	return bytes.Clone(data), err
}

func (d *memoryData) blob(hash string) ([]byte, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	data, ok := d.blobs[hash]
	if !ok {
		return nil, blobNotFound(hash)
	}
	return data, nil
}

// Acquire implements [Store].
func (m *Memory) Acquire(_ context.Context, run string, takeOver bool) (int64, error) {
	if m.closed() {
		return 0, closedStore("acquire")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[run]
	if r == nil {
		r = new(memoryRun)
		m.runs[run] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.live[r.owner] && !takeOver {
		p := thisProcess()
		return 0, runHeld(run, r.owner, p.host, p.pid, r.since)
	}
	r.owner, r.since, r.head.holder = m.holder, m.options.Clock(), m.holder
	r.head.epoch++
	m.writes.Add(1)
	return r.head.epoch, nil
}

// Release implements [Store].
func (m *Memory) Release(_ context.Context, run string, epoch int64) error {
	if r := m.run(run); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.owner == m.holder && r.head.epoch == epoch {
			r.owner = ""
			m.writes.Add(1)
		}
	}
	return nil
}

// Runs implements [Store].
func (m *Memory) Runs(context.Context) ([]Summary, error) {
	if m.closed() {
		return nil, closedStore("list runs")
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	list := make([]Summary, 0, len(m.runs))
	for name, r := range m.runs {
		if s, ok := r.summary(name, m.live); ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, newestFirst)
	return list, nil
}

// Summary implements [Store].
func (m *Memory) Summary(_ context.Context, run string) (Summary, error) {
	if m.closed() {
		return Summary{}, closedStore("summary")
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.runs[run]; r != nil {
		if s, ok := r.summary(run, m.live); ok {
			return s, nil
		}
	}
	return Summary{}, runNotFound("summary", run)
}

// ChangeToken implements [Changes].
func (m *Memory) ChangeToken(context.Context) (int64, error) { return m.writes.Load(), nil }

// Post implements [Store].
func (m *Memory) Post(_ context.Context, run string, c Command) (int64, error) {
	if m.closed() {
		return 0, closedStore("post")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.ID, c.Run, c.Answer = int64(len(m.commands)+1), run, ""
	if c.At.IsZero() {
		c.At = m.options.Clock()
	}
	c.At = c.At.UTC().Truncate(time.Microsecond)
	m.commands = append(m.commands, c)
	m.writes.Add(1)
	return c.ID, nil
}

// Commands implements [Store].
func (m *Memory) Commands(_ context.Context, run string, after int64) ([]Command, error) {
	if m.closed() {
		return nil, closedStore("commands")
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var list []Command
	for _, c := range m.commands[min(max(after, 0), int64(len(m.commands))):] {
		if run == "" || c.Run == run {
			list = append(list, c)
		}
	}
	return list, nil
}

// Reply implements [Store].
func (m *Memory) Reply(_ context.Context, id int64, answer string) error {
	if m.closed() {
		return closedStore("reply")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 1 || id > int64(len(m.commands)) {
		return commandNotFound(id)
	}
	m.commands[id-1].Answer = answer
	m.writes.Add(1)
	return nil
}

// Rewrite implements [Store].
func (m *Memory) Rewrite(_ context.Context, id int64, payload string) error {
	if m.closed() {
		return closedStore("rewrite")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if id < 1 || id > int64(len(m.commands)) {
		return commandNotFound(id)
	}
	m.commands[id-1].Payload = payload
	m.writes.Add(1)
	return nil
}

func commandNotFound(id int64) error {
	return fault.New("journal.command_not_found", "there is no command %d", id).With("reply", "")
}

func runHeld(run, holder, host string, pid int, since time.Time) error {
	return fault.New("journal.run_held",
		"it is held by %s (host %s, pid %d) since %s: wait until that ends, or take the run over",
		holder, host, pid, since.UTC().Format(time.RFC3339)).With("acquire", run)
}

// newestFirst orders a list of runs.
func newestFirst(a, b Summary) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.Run, a.Run))
}
