package parquet

import (
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Run describes a run: what ran over what, and where every line went.
type Run struct {
	Version    string // of loopgauge
	Created    int64  // microseconds
	Policy     string // YAML of the policy in force
	PolicyHash string
	Lateness   float64 // seconds
	Disorder   float64 // what was measured, seconds; NaN if it was not
	WorstLate  float64 // the lateness that would have saved the late ones, seconds
	Tied       int64   // requests that share their time with the one before
	Answers    int64   // calls whose result a request carries, of those looked at
	Unlogged   int64   // of them, those that no response in the log makes
	HashIDs    bool    // sessions, users and callers are hashes
	Keyed      bool    // fingerprints are hashes with a secret key
	Logs       []Log
	Rules      []window.RuleAccount
	Excluded   []Exclusion

	Lines, Judged, Blank, Malformed, Duplicate, Late int64
}

// Log is one stream of the run; its index is events' column stream.
type Log struct {
	Name   string `parquet:"name"`
	Format string `parquet:"format"`
	Lines  int64  `parquet:"lines"`
	Bytes  int64  `parquet:"bytes"`
	Error  string `parquet:"error,optional"`
}

// Exclusion is how many requests were taken out, and by what: the name in the
// policy, or, last, --since and --until, which have none.
type Exclusion struct {
	Name     string `parquet:"name,optional"`
	Match    string `parquet:"match,optional"`
	Requests int64  `parquet:"requests"`
}

// AllExcluded is how many requests were taken out.
func (r *Run) AllExcluded() (n int64) {
	for _, x := range r.Excluded {
		n += x.Requests
	}
	return n
}

// runRow is the one row of run/.
type runRow struct {
	Version    string      `parquet:"version"`
	Created    int64       `parquet:"created,timestamp(microsecond)"`
	Policy     string      `parquet:"policy"`
	PolicyHash string      `parquet:"policy_hash"`
	Lateness   float64     `parquet:"lateness_s"`
	Disorder   *float64    `parquet:"disorder_s,optional"`
	WorstLate  float64     `parquet:"worst_late_s"`
	Tied       int64       `parquet:"tied"`
	Answers    int64       `parquet:"answers"`
	Unlogged   int64       `parquet:"answers_unlogged"`
	HashIDs    bool        `parquet:"hash_ids"`
	Keyed      bool        `parquet:"keyed"`
	Logs       []Log       `parquet:"logs,list"`
	Lines      int64       `parquet:"lines"`
	Judged     int64       `parquet:"judged"`
	Blank      int64       `parquet:"blank"`
	Malformed  int64       `parquet:"malformed"`
	Duplicate  int64       `parquet:"duplicate"`
	Late       int64       `parquet:"late"`
	Excluded   int64       `parquet:"excluded"`
	ExcludedBy []Exclusion `parquet:"excluded_by,list"`
	Rules      []ruleRow   `parquet:"rules,list"`
}

// ruleRow is the account of one rule.
type ruleRow struct {
	Rule          string     `parquet:"rule"`
	Identity      int32      `parquet:"identity_index"`
	Scope         int32      `parquet:"scope_index"`
	Judged        int64      `parquet:"judged"`
	Counted       int64      `parquet:"counted"`
	NotMatched    int64      `parquet:"not_matched"`
	NotComputable []causeRow `parquet:"not_computable,list"`
	FellBack      int64      `parquet:"fell_back"`
	Fired         int64      `parquet:"fired"`
	Episodes      int64      `parquet:"episodes"`
	DroppedKeys   int64      `parquet:"dropped_keys"`
}

type causeRow struct {
	Cause    string `parquet:"cause"`
	Requests int64  `parquet:"requests"`
}

func (d *Dataset) writeRun(run Run) error {
	row := runRow{
		Version: run.Version, Created: run.Created, Policy: run.Policy, PolicyHash: run.PolicyHash,
		Lateness: run.Lateness, WorstLate: run.WorstLate, Tied: run.Tied, Answers: run.Answers, Unlogged: run.Unlogged, HashIDs: run.HashIDs, Keyed: run.Keyed,
		Lines: run.Lines, Judged: run.Judged, Blank: run.Blank, Malformed: run.Malformed, Duplicate: run.Duplicate, Late: run.Late, Excluded: run.AllExcluded(), ExcludedBy: run.Excluded,
	}
	if !math.IsNaN(run.Disorder) {
		row.Disorder = &run.Disorder
	}
	for _, log := range run.Logs {
		// A file's name is bytes, a column text.
		log.Name, log.Error = strings.ToValidUTF8(log.Name, "\ufffd"), strings.ToValidUTF8(log.Error, "\ufffd")
		row.Logs = append(row.Logs, log)
	}
	for i := range run.Rules {
		a := &run.Rules[i]
		r := ruleRow{
			Rule: a.Rule.Name, Identity: int32(d.plan.IdentityOf(i)), Scope: int32(d.plan.ScopeOf(i)),
			Judged: a.Judged, Counted: a.Counted, NotMatched: a.NotMatched,
			FellBack: a.FellBack, Fired: a.Fired, Episodes: a.Episodes, DroppedKeys: a.DroppedKeys,
		}
		for c, n := range a.NotComputable {
			if n > 0 {
				r.NotComputable = append(r.NotComputable, causeRow{fingerprint.Cause(c).String(), n})
			}
		}
		row.Rules = append(row.Rules, r)
	}
	if d.shared != nil {
		if err := d.writeReport(&row); err != nil {
			return err
		}
	}
	return writeFile(d, []runRow{row}, "run", "run.parquet")
}

func (r *Reader) readRun() error {
	path := runFile(r.Dir)
	row, err := readRow(path)
	if err != nil {
		return err
	}
	r.rules = row.Rules
	r.Run = Run{
		Version: row.Version, Created: row.Created, Policy: row.Policy, PolicyHash: row.PolicyHash,
		Lateness: row.Lateness, Disorder: math.NaN(), WorstLate: row.WorstLate, Tied: row.Tied, Answers: row.Answers, Unlogged: row.Unlogged,
		HashIDs: row.HashIDs, Keyed: row.Keyed, Logs: row.Logs, Excluded: row.ExcludedBy,
		Lines: row.Lines, Judged: row.Judged, Blank: row.Blank, Malformed: row.Malformed, Duplicate: row.Duplicate, Late: row.Late,
	}
	if row.Disorder != nil {
		r.Run.Disorder = *row.Disorder
	}
	if row.Excluded != r.Run.AllExcluded() || row.Lines != row.Judged+row.Blank+row.Malformed+row.Duplicate+row.Late+row.Excluded {
		return damaged(path, "its account does not add up")
	}
	return nil
}

// add adds up two runs of partitions.
func (r *runRow) add(o *runRow) {
	r.Created, r.WorstLate = max(r.Created, o.Created), max(r.WorstLate, o.WorstLate)
	for _, n := range [][2]*int64{
		{&r.Tied, &o.Tied},
		{&r.Answers, &o.Answers},
		{&r.Unlogged, &o.Unlogged},
		{&r.Lines, &o.Lines},
		{&r.Judged, &o.Judged},
		{&r.Blank, &o.Blank},
		{&r.Malformed, &o.Malformed},
		{&r.Duplicate, &o.Duplicate},
		{&r.Late, &o.Late},
		{&r.Excluded, &o.Excluded},
	} {
		*n[0] += *n[1]
	}
	for i, log := range o.Logs {
		if i >= len(r.Logs) {
			r.Logs = append(r.Logs, log)
			continue
		}
		r.Logs[i].Lines += log.Lines
		r.Logs[i].Bytes += log.Bytes
	}
	for i := range min(len(r.ExcludedBy), len(o.ExcludedBy)) {
		r.ExcludedBy[i].Requests += o.ExcludedBy[i].Requests
	}
	for i := range min(len(r.Rules), len(o.Rules)) {
		r.Rules[i].add(&o.Rules[i])
	}
}

func (r *ruleRow) add(o *ruleRow) {
	for _, n := range [][2]*int64{
		{&r.Judged, &o.Judged},
		{&r.Counted, &o.Counted},
		{&r.NotMatched, &o.NotMatched},
		{&r.FellBack, &o.FellBack},
		{&r.Fired, &o.Fired},
		{&r.Episodes, &o.Episodes},
		{&r.DroppedKeys, &o.DroppedKeys},
	} {
		*n[0] += *n[1]
	}
	for _, c := range o.NotComputable {
		k := slices.IndexFunc(r.NotComputable, func(have causeRow) bool { return have.Cause == c.Cause })
		if k < 0 {
			r.NotComputable = append(r.NotComputable, c)
			continue
		}
		r.NotComputable[k].Requests += c.Requests
	}
}
