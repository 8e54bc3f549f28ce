package parquet

import (
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Run describes a run: what ran over what, and where every line went. It is all of
// the row of run/ but for its rules.
type Run struct {
	Version     string      `parquet:"version"` // of loopgauge
	Created     int64       `parquet:"created,timestamp(microsecond)"`
	Policy      string      `parquet:"policy"` // YAML of the policy in force
	PolicyHash  string      `parquet:"policy_hash"`
	Lateness    float64     `parquet:"lateness_s"`
	Disorder    *float64    `parquet:"disorder_s,optional"` // what was measured; nil if it was not
	WorstLate   float64     `parquet:"worst_late_s"`        // the lateness that would have saved the late ones
	Tied        int64       `parquet:"tied"`                // requests that share their time with the one before
	Answers     int64       `parquet:"answers"`             // calls whose result a request carries, of those looked at
	Unlogged    int64       `parquet:"answers_unlogged"`    // of them, those that no response in the log makes
	HashIDs     bool        `parquet:"hash_ids"`            // sessions, users and callers are hashes
	Keyed       bool        `parquet:"keyed"`               // fingerprints are hashes with a secret key
	Logs        []Log       `parquet:"logs,list"`
	Lines       int64       `parquet:"lines"`
	Judged      int64       `parquet:"judged"`
	Blank       int64       `parquet:"blank"`
	Malformed   int64       `parquet:"malformed"`
	Duplicate   int64       `parquet:"duplicate"`
	Late        int64       `parquet:"late"`
	AllExcluded int64       `parquet:"excluded"`
	Excluded    []Exclusion `parquet:"excluded_by,list"`

	Accounts []window.RuleAccount `parquet:"-"` // of the rules
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

// runRow is the one row of run/.
type runRow struct {
	Run
	Rules []ruleRow `parquet:"rules,list"`
}

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
	row := runRow{Run: run}
	row.Logs = slices.Clone(run.Logs)
	for i := range row.Logs {
		log := &row.Logs[i] // whose file's name is bytes, and a column text
		log.Name, log.Error = strings.ToValidUTF8(log.Name, "\ufffd"), strings.ToValidUTF8(log.Error, "\ufffd")
	}
	for i := range run.Accounts {
		a := &run.Accounts[i]
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

// readRun reads the run of a dataset.
func readRun(dir string) (*runRow, error) {
	path := runFile(dir)
	row, err := readRunFile(path)
	if err != nil {
		return nil, err
	}
	var excluded int64
	for _, x := range row.Excluded {
		excluded += x.Requests
	}
	if row.AllExcluded != excluded || row.Lines != row.Judged+row.Blank+row.Malformed+row.Duplicate+row.Late+excluded {
		return nil, damaged(path, "its account does not add up")
	}
	return row, nil
}

// add adds up two runs of partitions.
func (r *runRow) add(o *runRow) {
	r.Created, r.WorstLate = max(r.Created, o.Created), max(r.WorstLate, o.WorstLate)
	addAll(r.numbers(), o.numbers())
	for i, log := range o.Logs {
		if i >= len(r.Logs) {
			r.Logs = append(r.Logs, log)
			continue
		}
		r.Logs[i].Lines += log.Lines
		r.Logs[i].Bytes += log.Bytes
	}
	for i := range min(len(r.Excluded), len(o.Excluded)) {
		r.Excluded[i].Requests += o.Excluded[i].Requests
	}
	for i := range min(len(r.Rules), len(o.Rules)) {
		r.Rules[i].add(&o.Rules[i])
	}
}

// numbers are those that add up.
func (r *runRow) numbers() []*int64 {
	return []*int64{&r.Tied, &r.Answers, &r.Unlogged, &r.Lines, &r.Judged, &r.Blank, &r.Malformed, &r.Duplicate, &r.Late, &r.AllExcluded}
}

func (r *ruleRow) numbers() []*int64 {
	return []*int64{&r.Judged, &r.Counted, &r.NotMatched, &r.FellBack, &r.Fired, &r.Episodes, &r.DroppedKeys}
}

func addAll(to, from []*int64) {
	for i, n := range from {
		*to[i] += *n
	}
}

func (r *ruleRow) add(o *ruleRow) {
	addAll(r.numbers(), o.numbers())
	for _, c := range o.NotComputable {
		k := slices.IndexFunc(r.NotComputable, func(have causeRow) bool { return have.Cause == c.Cause })
		if k < 0 {
			r.NotComputable = append(r.NotComputable, c)
			continue
		}
		r.NotComputable[k].Requests += c.Requests
	}
}
