package parquet

import (
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
	Logs       []Log
	Rules      []window.RuleAccount

	Lines, Judged, Blank, Malformed, Duplicate, Late, Excluded int64
}

// Log is one stream of the run; its index is events' column stream.
type Log struct {
	Name   string `parquet:"name"`
	Format string `parquet:"format"`
	Lines  int64  `parquet:"lines"`
	Bytes  int64  `parquet:"bytes"`
	Error  string `parquet:"error,optional"`
}

// runRow is the one row of run/.
type runRow struct {
	Version    string    `parquet:"version"`
	Created    int64     `parquet:"created,timestamp(microsecond)"`
	Policy     string    `parquet:"policy"`
	PolicyHash string    `parquet:"policy_hash"`
	Lateness   float64   `parquet:"lateness_s"`
	Logs       []Log     `parquet:"logs,list"`
	Lines      int64     `parquet:"lines"`
	Judged     int64     `parquet:"judged"`
	Blank      int64     `parquet:"blank"`
	Malformed  int64     `parquet:"malformed"`
	Duplicate  int64     `parquet:"duplicate"`
	Late       int64     `parquet:"late"`
	Excluded   int64     `parquet:"excluded"`
	Rules      []ruleRow `parquet:"rules,list"`
}

// ruleRow is the account of one rule.
type ruleRow struct {
	Rule          string     `parquet:"rule"`
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
		Version: run.Version, Created: run.Created, Policy: run.Policy, PolicyHash: run.PolicyHash, Lateness: run.Lateness,
		Lines: run.Lines, Judged: run.Judged, Blank: run.Blank, Malformed: run.Malformed, Duplicate: run.Duplicate, Late: run.Late, Excluded: run.Excluded,
	}
	for _, log := range run.Logs {
		// A file's name is bytes, a column text.
		log.Name, log.Error = strings.ToValidUTF8(log.Name, "\ufffd"), strings.ToValidUTF8(log.Error, "\ufffd")
		row.Logs = append(row.Logs, log)
	}
	for i := range run.Rules {
		a := &run.Rules[i]
		r := ruleRow{
			Rule: a.Rule.Name, Judged: a.Judged, Counted: a.Counted, NotMatched: a.NotMatched,
			FellBack: a.FellBack, Fired: a.Fired, Episodes: a.Episodes, DroppedKeys: a.DroppedKeys,
		}
		for c, n := range a.NotComputable {
			if n > 0 {
				r.NotComputable = append(r.NotComputable, causeRow{fingerprint.Cause(c).String(), n})
			}
		}
		row.Rules = append(row.Rules, r)
	}
	w, err := newWriter[runRow](d, "run", "run.parquet")
	if err != nil {
		return err
	}
	if _, err := w.out.Write([]runRow{row}); err != nil {
		return err
	}
	return w.close()
}
