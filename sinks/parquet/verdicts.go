package parquet

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// verdictRow is a row of verdicts/: what one rule said of one request and
// fingerprint.
type verdictRow struct {
	Time        int64        `parquet:"time,timestamp(microsecond)"`
	Seq         int64        `parquet:"seq,delta"`
	ID          string       `parquet:"id,optional,dict"`
	Rule        string       `parquet:"rule,dict"`
	Identity    string       `parquet:"identity,dict"`
	Scope       []scopeValue `parquet:"scope,list"`
	Session     string       `parquet:"session,optional,dict"`
	Caller      string       `parquet:"caller,optional,dict"`
	Model       string       `parquet:"model,optional,dict"`
	Fingerprint string       `parquet:"fingerprint,dict"`
	Count       *int32       `parquet:"count,optional"`
	Fired       bool         `parquet:"fired"`
	Action      string       `parquet:"action,dict"`
	Reason      string       `parquet:"reason,optional,dict"`
	RetryAfter  *int64       `parquet:"retry_after_s,optional"`
	DelayMS     *int64       `parquet:"delay_ms,optional"`
	Episode     string       `parquet:"episode,optional,dict"`
}

// verdicts writes verdicts/, day after day like events.
type verdicts struct{ days[*writer[verdictRow]] }

func newVerdicts(d *Dataset) *verdicts {
	return &verdicts{days[*writer[verdictRow]]{d: d, table: "verdicts", open: newWriter[verdictRow]}}
}

func (w *verdicts) add(v *window.Verdict, seq int64) error {
	ev := v.Event
	if err := w.turn(ev.Time); err != nil {
		return err
	}
	row := verdictRow{
		Time: ev.Time, Seq: seq, ID: ev.ID, Rule: v.Rule.Name, Identity: v.Rule.Identity.Name,
		Session: ev.Session, Caller: ev.Caller, Model: ev.Model,
		Fingerprint: v.Fingerprint.String(), Fired: v.Fired, Action: string(v.Action), Reason: string(v.Reason),
		RetryAfter: known(v.RetryAfter), DelayMS: known(v.DelayMS), Episode: v.Episode,
	}
	for i, field := range v.Rule.Scope.Fields {
		row.Scope = append(row.Scope, scopeValue{field, v.Scope.Values[i]})
	}
	if v.Count >= 0 {
		row.Count = new(int32(v.Count))
	}
	return w.out.add(&row)
}

// known is null for -1, which stands for not logged.
func known(n int64) *int64 {
	if n == fingerprint.Unknown {
		return nil
	}
	return &n
}
