package main

import (
	"slices"

	"github.com/loopgauge/loopgauge/replay"
)

// hint says how to ask why the costliest loop fired, or the largest where no cost
// is known: what an on-call wants to know next. It is the whole command, to copy.
func (f *replayFlags) hint(u *ui, args []string, s replay.Summary) {
	if f.json || u.quiet || readOnce(append(slices.Clip(args), f.rules.policy)) != "" {
		return
	}
	loops := replay.Loops(s.Episodes)
	if len(loops) == 0 {
		return
	}
	c := f.explain(args)
	l, known := replay.Costliest(loops)
	which := "largest"
	if known {
		which = "costliest"
	}
	u.say("why the %s fired: %s", which, c.of(l.Episode))
}

func (f *runFlags) explain(args []string) explainCommand {
	return explainCommand{*f, args}
}
