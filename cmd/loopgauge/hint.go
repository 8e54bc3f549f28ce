package main

import "github.com/loopgauge/loopgauge/replay"

// hint says how to ask why the costliest loop fired, or the largest where no cost
// is known: what an on-call wants to know next. It is the whole command, to copy.
func (f *replayFlags) hint(u *ui, args []string, s replay.Summary) {
	c := f.explain(args)
	if f.json || u.quiet || !c.runs() {
		return
	}
	loops := replay.Loops(s.Episodes)
	if len(loops) == 0 {
		return
	}
	l, known := replay.Costliest(loops)
	which := "largest"
	if known {
		which = "costliest"
	}
	u.say("why the %s fired: %s", which, c.of(l.Episode))
}
