package shared

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// rows is what a partition puts into a dataset, and what became of all that it
// brought. Added up over the partitions it is the account of one process.
type rows struct {
	*spool
	id      string // of the dataset
	known   bool   // a checkpoint says what has come of it
	origins []originRows
}

// originRows are of a partition of the raw topic.
type originRows struct {
	name  string // empty until a mark has said it
	lines int64
}

func newRows(o *WatchOptions, partition, turn int) *rows {
	return &rows{spool: newSpool(o, partition, turn), id: o.Dataset.ID()}
}

// took notes a record that has come.
func (w *rows) took(r *record) {
	for len(w.origins) < r.origins {
		w.origins = append(w.origins, originRows{})
	}
	switch {
	case r.event == nil:
		w.origins[r.origin].name = r.name
	case !r.event.Copy():
		w.origins[r.origin].lines++
	}
}

// report is the part that the partition has in what one process would report.
func (w *rows) report(p *replay.Pipeline) replay.Report {
	r := p.Report()
	for i, n := range p.Copies.Fields() {
		*r.Account.Fields()[i] -= *n
	}
	for i, n := range p.Elsewhere {
		r.Rules[i].Judged -= n
		r.Rules[i].NotMatched -= n
	}
	for i, o := range w.origins {
		if o.name == "" {
			o.name = fmt.Sprintf("partition %d", i)
		}
		r.Streams = append(r.Streams, replay.StreamResult{Name: o.name, Format: "events", Lines: o.lines})
	}
	return r
}

// codeRows codes the section of the rows, empty without a dataset.
func (j *judge) codeRows(c *snapshot.Codec) {
	w, id := j.rows, ""
	if w != nil {
		id = w.id
	}
	if snapshot.Text(c, &id); c.Reads() {
		c.From.Fail(j.goesOn(id))
	}
	if w == nil || id != w.id {
		return
	}
	if c.Reads() {
		w.known = true
	}
	w.code(c)
	for i := range j.Pipeline.Elsewhere {
		c.Varint(&j.Pipeline.Elsewhere[i])
	}
	for _, n := range j.Pipeline.Copies.Fields() {
		c.Varint(n)
	}
	snapshot.List(c, &w.origins, 2, func(o *originRows) {
		snapshot.Text(c, &o.name)
		c.Varint(&o.lines)
	})
}

// goesOn says why the rows of a dataset cannot go on: it must be the one that they
// have gone to.
func (j *judge) goesOn(id string) error {
	const same = "give every watch of the group the same --out and the same policy; for others a group of its own: group: under kafka:"
	switch {
	case j.rows == nil && id != "":
		return &problem{fmt.Sprintf("%s: what it holds goes into a dataset, and this watch has no --out", j.p.Name()), same}
	case j.rows != nil && id == "" && j.Pipeline.Account.Lines > 0:
		return &problem{fmt.Sprintf("%s: what was judged before is in no dataset", j.p.Name()), same}
	case j.rows != nil && id != "" && id != j.rows.id:
		return &problem{fmt.Sprintf("%s: what it holds goes into another dataset than that of --out, or was judged by another policy", j.p.Name()), same}
	}
	return nil
}

// open begins with the rows, or goes on from what a checkpoint knows of them.
func (w *rows) open(p *replay.Pipeline) error {
	if !w.known {
		there, err := w.dataset.Holds(w.partition)
		if err == nil && there {
			err = &problem{fmt.Sprintf("--out holds rows of partition %d already, and its group has no checkpoint", w.partition), "name another directory"}
		}
		if err != nil {
			return err
		}
	}
	if err := w.publish(func() replay.Report { return w.report(p) }); err != nil {
		return err
	}
	return w.clean()
}
