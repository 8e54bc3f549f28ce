package main

import (
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
)

// hint says how to ask why the costliest loop fired: what an on-call wants to
// know next. It is the whole command, to copy.
func (f *replayFlags) hint(u *ui, args []string, s replay.Summary) {
	if f.json || u.quiet || slices.Contains(args, ingest.StdinName) {
		return
	}
	loops := replay.Loops(s.Episodes)
	if len(loops) == 0 {
		return
	}
	words := []string{"loopgauge", "explain", loops[len(loops)-1].Episode}
	add := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, term.Quoted(value))
		}
	}
	add("policy", f.rules.policy)
	for _, p := range f.rules.profiles {
		if len(f.rules.profiles) > 1 || p != "loopgauge" {
			add("profile", p)
		}
	}
	add("format", f.logs.format)
	if f.logs.timezone.Location != nil {
		add("timezone", f.logs.timezone.String())
	}
	if f.logs.maxLine != ingest.DefaultMaxLine {
		add("max-line", strings.ReplaceAll(f.logs.maxLine.String(), " ", ""))
	}
	add("since", f.since.exact())
	add("until", f.until.exact())
	if f.lateness != 0 {
		add("lateness", s.Lateness.Value.String())
	}
	add("fingerprint-key", f.key)
	if f.hashIDs {
		words = append(words, "--hash-ids")
	}
	for _, arg := range args {
		words = append(words, term.Quoted(arg))
	}
	u.say("why the last one fired: %s", strings.Join(words, " "))
}

// exact is the time to the microsecond, empty if there is none.
func (w *when) exact() string {
	if *w == newWhen() {
		return ""
	}
	return time.UnixMicro(int64(*w)).UTC().Format(time.RFC3339Nano)
}
