package main

import (
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window/policy"
)

// outputs are the files that a run writes. They appear when it has gone well,
// and not at all otherwise.
type outputs struct {
	verdicts *sinks.VerdictWriter
}

// open makes the outputs that the flags ask for, and hooks them into the run.
func (f *replayFlags) open(u *ui, o *replay.Options, p *policy.Policy) (*outputs, error) {
	out := &outputs{}
	switch f.verdicts {
	case "":
	case "-":
		out.verdicts = sinks.NewVerdictWriter(u.stdout, "standard output")
	default:
		w, err := sinks.CreateVerdicts(f.verdicts)
		if err != nil {
			return nil, err
		}
		out.verdicts = w
	}
	if out.verdicts != nil {
		o.Verdict = out.verdicts.Write
	}
	return out, nil
}

// close puts the outputs in their places.
func (out *outputs) close(*replay.Result) error {
	if out.verdicts != nil {
		return out.verdicts.Close()
	}
	return nil
}

// abort removes what was not closed.
func (out *outputs) abort() {
	if out.verdicts != nil {
		out.verdicts.Abort()
	}
}
