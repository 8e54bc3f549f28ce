package parquet

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// verdictRow is a row of verdicts/: what one rule said of one request and
// fingerprint.
type verdictRow struct {
	Time        int64        `parquet:"time,timestamp(microsecond)"`
	Seq         int64        `parquet:"seq"`
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

// verdicts writes verdicts/, day after day like events. Its columns are those of
// verdictRow.
type verdicts struct {
	days
	time, seq                                                           *numberWriter[int64]
	id, rule, identity, session, caller, model, action, reason, episode *textWriter
	scope                                                               *lists
	scopeField, scopeValue                                              *textWriter
	fingerprint                                                         *textWriter
	count                                                               *numberWriter[int32]
	fired                                                               *numberWriter[bool]
	retryAfter, delay                                                   *numberWriter[int64]
}

func newVerdicts(d *Dataset) *verdicts {
	w := newColumnar[verdictRow](layouts["verdicts"])
	v := &verdicts{
		days: days{d: d, table: "verdicts", out: w},
		time: newNumberWriter[int64](w, "time"), seq: newNumberWriter[int64](w, "seq"),
		id: newTextWriter(w, "id"), rule: newTextWriter(w, "rule"), identity: newTextWriter(w, "identity"),
		scopeField: newTextWriter(w, "scope.list.element.field"), scopeValue: newTextWriter(w, "scope.list.element.value"),
		session: newTextWriter(w, "session"), caller: newTextWriter(w, "caller"), model: newTextWriter(w, "model"),
		fingerprint: newHashWriter(w, "fingerprint"),
		count:       newNumberWriter[int32](w, "count"), fired: newNumberWriter[bool](w, "fired"),
		action: newTextWriter(w, "action"), reason: newTextWriter(w, "reason"),
		retryAfter: newNumberWriter[int64](w, "retry_after_s"), delay: newNumberWriter[int64](w, "delay_ms"),
		episode: newTextWriter(w, "episode"),
	}
	v.scope = w.lists["scope"]
	return v
}

func (w *verdicts) add(v *window.Verdict, seq int64) error {
	ev := v.Event
	if err := w.turn(ev.Time); err != nil {
		return err
	}
	w.time.add(ev.Time)
	w.seq.add(seq)
	w.id.add(ev.ID)
	w.rule.add(v.Rule.Name)
	w.identity.add(v.Rule.Identity.Name)
	for i, field := range v.Rule.Scope.Fields {
		w.scopeField.add(field)
		w.scopeValue.add(v.Scope.Values[i])
	}
	w.scope.row(len(v.Rule.Scope.Fields))
	w.session.add(ev.Session)
	w.caller.add(ev.Caller)
	w.model.add(ev.Model)
	w.fingerprint.addFingerprint(&v.Fingerprint)
	w.count.addIf(v.Count >= 0, int32(v.Count))
	w.fired.add(v.Fired)
	w.action.add(string(v.Action))
	w.reason.add(string(v.Reason))
	w.retryAfter.addIf(v.RetryAfter != fingerprint.Unknown, v.RetryAfter)
	w.delay.addIf(v.DelayMS != fingerprint.Unknown, v.DelayMS)
	w.episode.add(v.Episode)
	return w.out.ended(1)
}
