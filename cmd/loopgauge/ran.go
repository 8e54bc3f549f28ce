package main

import (
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

// ranOver describes a run over logs.
func ranOver(p *policy.Policy, r *replay.Result, lateness replay.Lateness, hashIDs, keyed bool) parquet.Run {
	run := runOf(p, &r.Report)
	run.Lateness, run.HashIDs, run.Keyed = lateness.Value.Seconds(), hashIDs, keyed
	if lateness.Measured {
		run.Disorder = new(lateness.Disorder.Seconds())
	}
	return run
}

// runOf describes a run, all but how it was asked for.
func runOf(p *policy.Policy, r *replay.Report) parquet.Run {
	a := &r.Account
	run := parquet.Run{
		Version: version(), Created: time.Now().UnixMicro(), Policy: string(p.Source), PolicyHash: p.Hash,
		WorstLate: r.Order.WorstLate.Seconds(), Tied: r.Order.Tied, Answers: r.Links.Answers, Unlogged: r.Links.Unlogged, Accounts: r.Rules,
		Lines: a.Lines, Judged: a.Judged, Blank: a.Blank, Malformed: a.Malformed, Duplicate: a.Duplicate, Late: a.Late, AllExcluded: a.Excluded,
	}
	for i, n := range r.Excluded {
		x := parquet.Exclusion{Requests: n}
		if i < len(p.Exclude) {
			x.Name, x.Match = p.Exclude[i].Name, p.Exclude[i].Text
		}
		run.Excluded = append(run.Excluded, x)
	}
	for _, st := range r.Streams {
		log := parquet.Log{Name: st.Name, Format: st.Format, Lines: st.Lines, Bytes: st.Bytes}
		if st.Err != nil {
			log.Error = st.Err.Error()
		}
		run.Logs = append(run.Logs, log)
	}
	return run
}
