package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

const (
	checkRuns    = "runs"
	checkJournal = "journal"

	mostRows  = 20 // of one kind
	storePage = 5000
)

// runs looks at the runs of a data directory: who has them, which are in doubt, and with
// verify whether their records and blobs are whole. Nothing is acquired.
func (d *doctor) runs(ctx context.Context, dir string, verify bool) {
	st, err := journal.OpenSQLite(ctx, dir, journal.SQLiteOptions{})
	if err != nil {
		d.add(checkRuns, broken, mends[fault.Code(err)], "%v", err)
		return
	}
	defer func() {
		if err := st.Close(); err != nil {
			d.add(checkRuns, warns, "", "%v", err)
		}
	}()
	list, err := st.Runs(ctx)
	if err != nil {
		d.add(checkRuns, broken, "put a copy of the data directory in its place", "%v", err)
		return
	}
	d.states(dir, list)
	if verify {
		d.verify(ctx, st, list)
		return
	}
	d.sample(ctx, st, list)
}

// A sample is the newest records of the newest runs: it costs little and finds what the end
// of a process or of a disk did.
const (
	sampleRuns    = 100
	sampleRecords = 20
)

// sample reads a sample of the records and says how much it was.
func (d *doctor) sample(ctx context.Context, st journal.Store, list []journal.Summary) {
	if len(list) == 0 {
		return
	}
	some, damaged := list[:min(len(list), sampleRuns)], 0
	for _, s := range some {
		_, err := st.Read(ctx, s.Run, journal.Query{From: max(1, s.LastSeq-sampleRecords+1), NoBlobs: true})
		var dmg *journal.Damage
		if ctx.Err() != nil {
			d.add(checkJournal, warns, "let it end", "interrupted before a sample was read")
			return
		}
		if errors.As(err, &dmg) {
			damaged++
			d.found = append(d.found, finding{Check: checkJournal, State: broken, Text: dmg.Reason, Mend: mendDamage, Run: s.Run, Seq: dmg.Seq})
		} else if err != nil {
			damaged++
			d.found = append(d.found, finding{Check: checkJournal, State: broken, Text: err.Error(), Mend: mends[fault.Code(err)], Run: s.Run})
		}
	}
	if damaged == 0 {
		d.add(checkJournal, fine, "", "the last records of %s can be read; not checked: all others, which --store reads", count(len(some), "run"))
	}
}

// mendDamage is the way out of a damaged record.
const mendDamage = mendUnread + "; swarm events RUN shows what can be read"

// states tells the runs that wait for somebody, and who works on others.
func (d *doctor) states(dir string, list []journal.Summary) {
	number := map[string]int{}
	var holders []string
	for _, s := range list {
		number[s.State]++
		if s.Holder != "" && !slices.Contains(holders, s.Holder) {
			holders = append(holders, s.Holder)
		}
	}
	var parts []string
	for _, state := range []string{"running", "interrupted", "paused", "parked", "completed", "failed", "cancelled", "partial", "unknown"} {
		if n := number[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	text := count(len(list), "run")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if len(holders) > 0 {
		text += "; held by " + strings.Join(holders, ", ")
	}
	d.add(checkRuns, fine, "", "%s", text)
	rows := 0
	for _, s := range list {
		what := map[string]string{"interrupted": "was interrupted: nobody works on it", "paused": "is paused", "parked": "is parked: it needs a decision"}[s.State]
		if what == "" {
			continue
		}
		if rows++; rows > mostRows {
			continue
		}
		d.found = append(d.found, finding{Check: checkRuns, State: warns, Text: what, Mend: "swarm resume " + s.Run + d.a.dataHint(dir), Run: s.Run})
	}
	if rows > mostRows {
		d.add(checkRuns, warns, "swarm runs lists them", "%d more runs wait for somebody", rows-mostRows)
	}
}

// verify reads every record and every blob.
func (d *doctor) verify(ctx context.Context, st journal.Store, list []journal.Summary) {
	v := verification{d: d, st: st, blobs: map[string]error{}}
	for _, s := range list {
		if ctx.Err() != nil {
			d.add(checkJournal, warns, "let it end", "interrupted before everything was verified")
			return
		}
		v.run(ctx, s.Run)
	}
	d.add(checkJournal, fine, "", "%s with %s records and %s blobs verified, damage in %d", count(len(list), "run"), grouped(v.records), grouped(int64(len(v.blobs))), v.damaged)
}

// verification counts what was read. A blob that several records name is read once.
type verification struct {
	d       *doctor
	st      journal.Store
	blobs   map[string]error // by hash
	records int64
	damaged int // runs
}

// run verifies one run and tells the first faults of it.
func (v *verification) run(ctx context.Context, id string) {
	var all []journal.Record
	var found []finding
	bad := func(seq int64, mend, text string) {
		found = append(found, finding{Check: checkJournal, State: broken, Text: text, Mend: mend, Run: id, Seq: seq})
	}
	for from := int64(1); ; {
		recs, err := v.st.Read(ctx, id, journal.Query{From: from, Limit: storePage, NoBlobs: true})
		all = append(all, recs...)
		for i := range recs {
			for _, hash := range blobsOf(&recs[i]) {
				if err := v.blob(ctx, hash); err != nil {
					bad(recs[i].Seq, "put a copy of this blob in its place, or start the run anew", fmt.Sprintf("blob %s: %v", hash, err))
				}
			}
		}
		var dmg *journal.Damage
		switch {
		case errors.As(err, &dmg):
			bad(dmg.Seq, mendDamage, dmg.Reason)
		case err != nil && ctx.Err() == nil:
			bad(0, mends[fault.Code(err)], err.Error())
		}
		if err != nil || len(recs) < storePage {
			break
		}
		from = recs[len(recs)-1].Seq + 1
	}
	v.records += int64(len(all))
	for _, f := range journal.Verify(all) {
		bad(f.Seq, "do not resume it; start the run anew", fmt.Sprintf("rule %d of journals: %s", f.Rule, f.Detail))
	}
	if len(found) > 0 {
		v.damaged++
	}
	if n := len(found); n > mostRows {
		found = append(found[:mostRows], finding{Check: checkJournal, State: broken, Text: fmt.Sprintf("%d faults more", n-mostRows), Run: id})
	}
	v.d.found = append(v.d.found, found...)
}

// blob reads a blob, which compares its bytes with its name.
func (v *verification) blob(ctx context.Context, hash string) error {
	err, known := v.blobs[hash]
	if !known && ctx.Err() == nil {
		if _, err = v.st.GetBlob(ctx, hash); err == nil || ctx.Err() == nil {
			v.blobs[hash] = err
		}
	}
	return err
}

// blobsOf lists the blobs that a record names.
func blobsOf(r *journal.Record) []string {
	if u, ok := r.Payload.(*journal.UnknownPayload); ok {
		return u.Blobs
	}
	c, ok := r.Payload.(journal.Carrier)
	if !ok {
		return nil
	}
	var hashes []string
	for _, one := range c.Contents() {
		if one.Hash != "" {
			hashes = append(hashes, one.Hash)
		}
	}
	return hashes
}
