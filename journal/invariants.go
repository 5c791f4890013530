package journal

import "fmt"

// Fault is a broken invariant of a run (journal spec §4).
type Fault struct {
	Seq    int64 // of the record that breaks it; 0: the run as a whole
	Rule   int   // number of the invariant
	Detail string
}

// String gives the fault as a line of a report.
func (f Fault) String() string {
	if f.Seq == 0 {
		return fmt.Sprintf("rule %d: %s", f.Rule, f.Detail)
	}
	return fmt.Sprintf("record %d: rule %d: %s", f.Seq, f.Rule, f.Detail)
}

// Verify checks the invariants 1 to 6 over all records of one run, in the order of their
// seqs. What must have ended is asked of an ended run only. It is a pure function.
func Verify(records []Record) []Fault {
	v := verifier{
		calls: make(map[string]*callFacts), places: make(map[callPlace]string), answered: make(map[turnPlace]bool),
		tasks: make(map[string]*lifeFacts), taskKeys: make(map[string]string), invocations: make(map[string]*lifeFacts),
		guidance: make(map[string]*guidanceFacts),
	}
	for i := range records {
		v.seq = records[i].Seq
		v.order(records, i)
		v.record(&records[i])
	}
	if v.endedAt > 0 {
		v.seq = 0
		v.open()
	}
	return v.faults
}

type verifier struct {
	faults  []Fault
	seq     int64 // of the record at hand
	endedAt int64

	calls     map[string]*callFacts // by key
	callOrder []string
	places    map[callPlace]string // key of the call
	answered  map[turnPlace]bool

	tasks       map[string]*lifeFacts
	taskOrder   []string
	taskKeys    map[string]string // task of a key
	invocations map[string]*lifeFacts
	invOrder    []string

	owner      string                    // path of the invocation that owns the run
	guidance   map[string]*guidanceFacts // by id
	guideOrder []string
}

type callFacts struct {
	allowed, dispatched bool
	settled             int
}

type callPlace struct {
	invocation  string
	turn, index int
}

type turnPlace struct {
	invocation string
	turn       int
}

type lifeFacts struct{ ended, delivered int }

type guidanceFacts struct {
	text    Content
	settled bool // applied or discarded
}

func (v *verifier) fault(rule int, format string, args ...any) {
	v.faults = append(v.faults, Fault{Seq: v.seq, Rule: rule, Detail: fmt.Sprintf(format, args...)})
}

// order checks seq, epoch, prev and what stands behind the end.
func (v *verifier) order(records []Record, i int) {
	r := &records[i]
	want, epoch := int64(1), int64(0)
	if i > 0 {
		want, epoch = records[i-1].Seq+1, records[i-1].Epoch
		if r.Run != records[0].Run {
			v.fault(1, "it is of run %q, the run is %q", r.Run, records[0].Run)
		}
	}
	if r.Seq != want {
		v.fault(1, "its seq should be %d", want)
	}
	if r.Epoch < epoch {
		v.fault(1, "its epoch is %d after %d", r.Epoch, epoch)
	}
	if r.Prev < 0 || r.Prev >= r.Seq || (r.Prev == 0) != (r.Seq == 1) {
		v.fault(1, "prev is %d, which is no earlier record", r.Prev)
	}
	if r.Cause < 0 || r.Cause >= r.Seq {
		v.fault(1, "cause is %d, which is no earlier record", r.Cause)
	}
	if v.endedAt > 0 && r.Type() != TLateEvent && r.Type() != TRunEnded && !r.Optional {
		v.fault(3, "%s stands behind the end of the run, record %d", r.Type(), v.endedAt)
	}
}

func (v *verifier) record(r *Record) {
	switch p := r.Payload.(type) {
	case *RunCreated:
		if r.Seq != 1 {
			v.fault(3, "the run is created a second time")
		}
	case *RunEnded:
		if v.endedAt > 0 {
			v.fault(3, "the run ended at record %d already", v.endedAt)
			return
		}
		v.endedAt = r.Seq
	case *CallRequested, *CallChecked, *CallDispatched, *CallSettled:
		v.call(r)
	case *ModelRequested:
		if v.answered[turnPlace{r.Scope.Invocation, r.Scope.Turn}] {
			v.fault(5, "turn %d of %s is requested again after its answer", r.Scope.Turn, r.Scope.Invocation)
		}
	case *ModelAnswered:
		at := turnPlace{r.Scope.Invocation, r.Scope.Turn}
		if v.answered[at] {
			v.fault(5, "turn %d of %s is answered twice", at.turn, at.invocation)
		}
		v.answered[at] = true
	case *InvocationCreated:
		v.invocationCreated(p)
	case *InvocationEnded:
		v.end(v.invocations, "invocation", r.Scope.Invocation)
	case *TaskCreated:
		v.taskCreated(p)
	case *TaskEnded:
		v.end(v.tasks, "task", r.Scope.Task)
	case *TaskDelivered:
		v.delivered(r.Scope.Task)
	case *GuidanceSubmitted:
		v.guided(p)
	case *GuidanceApplied:
		v.guidanceSettled(p.ID, "applied")
		if g := v.guidance[p.ID]; g != nil && !sameContent(&g.text, &p.Text) {
			v.fault(6, "guidance %s is applied with another text than was submitted", p.ID)
		}
		if r.Scope.Invocation != v.owner {
			v.fault(6, "guidance %s is applied by %q, the owner is %q", p.ID, r.Scope.Invocation, v.owner)
		}
	case *GuidanceDiscarded:
		v.guidanceSettled(p.ID, "discarded")
	}
}

// call checks rules 2, 4 and 5 of one call.
func (v *verifier) call(r *Record) {
	key := r.Scope.Call
	c := v.calls[key]
	if p, ok := r.Payload.(*CallRequested); ok {
		if c != nil {
			v.fault(4, "call %s is requested twice", key)
			return
		}
		v.calls[key] = new(callFacts)
		v.callOrder = append(v.callOrder, key)
		at := callPlace{r.Scope.Invocation, r.Scope.Turn, p.Index}
		if other, taken := v.places[at]; taken {
			v.fault(5, "call %d of turn %d of %s is %s already, not %s", at.index, at.turn, at.invocation, other, key)
		}
		v.places[at] = key
		return
	}
	if c == nil {
		v.fault(2, "%s of call %s, which was never requested", r.Type(), key)
		return
	}
	switch p := r.Payload.(type) {
	case *CallChecked:
		c.allowed = p.Decision == "allow"
	case *CallDispatched:
		switch {
		case c.settled > 0:
			v.fault(2, "call %s is dispatched after it was settled", key)
		case c.dispatched:
			v.fault(2, "call %s is dispatched twice", key)
		case !c.allowed:
			v.fault(2, "call %s is dispatched without a check that allowed it", key)
		}
		c.dispatched = true
	case *CallSettled:
		c.settled++
		if c.settled > 1 {
			v.fault(2, "call %s is settled twice", key)
		}
		if p.Dispatched != c.dispatched {
			v.fault(2, "call %s is settled as dispatched: %t, which it is not", key, p.Dispatched)
		}
	}
}

func (v *verifier) invocationCreated(p *InvocationCreated) {
	path := p.Path
	if p.Kind != "child" {
		v.owner = path
	}
	if v.invocations[path] != nil {
		v.fault(3, "invocation %s is created twice", path)
		return
	}
	v.invocations[path] = new(lifeFacts)
	v.invOrder = append(v.invOrder, path)
}

func (v *verifier) taskCreated(p *TaskCreated) {
	if v.tasks[p.ID] != nil {
		v.fault(3, "task %s is created twice", p.ID)
		return
	}
	v.tasks[p.ID] = new(lifeFacts)
	v.taskOrder = append(v.taskOrder, p.ID)
	if other, taken := v.taskKeys[p.Key]; taken && p.Key != "" {
		v.fault(4, "task %s has the key of task %s", p.ID, other)
	}
	v.taskKeys[p.Key] = p.ID
}

func (v *verifier) end(lives map[string]*lifeFacts, what, id string) {
	l := lives[id]
	if l == nil {
		v.fault(3, "%s %q ends, which was never created", what, id)
		return
	}
	l.ended++
	if l.ended > 1 {
		v.fault(3, "%s %s ends twice", what, id)
	}
}

func (v *verifier) delivered(id string) {
	l := v.tasks[id]
	if l == nil {
		v.fault(6, "task %q is delivered, which was never created", id)
		return
	}
	l.delivered++
	if l.delivered > 1 {
		v.fault(6, "task %s is delivered twice", id)
	}
}

func (v *verifier) guided(p *GuidanceSubmitted) {
	if v.guidance[p.ID] != nil {
		v.fault(4, "guidance %s is submitted twice", p.ID)
		return
	}
	v.guidance[p.ID] = &guidanceFacts{text: p.Text}
	v.guideOrder = append(v.guideOrder, p.ID)
}

// sameContent compares contents that may have been read without their blobs.
func sameContent(a, b *Content) bool {
	if a.Text != "" && b.Text != "" {
		return a.Text == b.Text
	}
	return a.Hash == b.Hash
}

func (v *verifier) guidanceSettled(id, how string) {
	g := v.guidance[id]
	switch {
	case g == nil:
		v.fault(6, "guidance %q is %s, which was never submitted", id, how)
	case g.settled:
		v.fault(6, "guidance %s is %s, and had been applied or discarded already", id, how)
	default:
		g.settled = true
	}
}

// open checks that nothing is open in a run that has ended.
func (v *verifier) open() {
	for _, key := range v.callOrder {
		if v.calls[key].settled == 0 {
			v.fault(2, "call %s is not settled in an ended run", key)
		}
	}
	for _, id := range v.taskOrder {
		if v.tasks[id].ended == 0 {
			v.fault(3, "task %s has not ended in an ended run", id)
		}
	}
	for _, path := range v.invOrder {
		if v.invocations[path].ended == 0 {
			v.fault(3, "invocation %s has not ended in an ended run", path)
		}
	}
	for _, id := range v.guideOrder {
		if !v.guidance[id].settled {
			v.fault(6, "guidance %s is neither applied nor discarded in an ended run", id)
		}
	}
}
