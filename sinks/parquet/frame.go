package parquet

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// frame is one event in the memory of a Reader.
type frame struct {
	event  window.Event
	values []string // of its scopes
}

// frames are made for the events of a plan.
type frames struct {
	plan   *window.Plan
	unused []frame
}

// framesAtOnce are given their memory together: what one needs lies beside what the
// next needs, and is fetched with it.
const framesAtOnce = 64

func (f *frames) next() *frame {
	if len(f.unused) == 0 {
		f.unused = f.more()
	}
	return &cut(&f.unused, 1)[0]
}

// more are frames with room for what most events have.
func (f *frames) more() []frame {
	list := make([]frame, framesAtOnce)
	values := 0
	for _, s := range f.plan.Scopes {
		values += len(s.Fields)
	}
	allPrints := make([]window.Prints, framesAtOnce*len(f.plan.Identities))
	allFingerprints := make([]fingerprint.Fingerprint, len(allPrints))
	allScopes := make([]window.Scope, framesAtOnce*len(f.plan.Scopes))
	allRules := make([]window.Choice, framesAtOnce*len(f.plan.Rules))
	allValues := make([]string, framesAtOnce*values)
	for i := range list {
		ev := &list[i].event
		ev.Prints, ev.Scopes, ev.Rules = cut(&allPrints, len(f.plan.Identities)), cut(&allScopes, len(f.plan.Scopes)), cut(&allRules, len(f.plan.Rules))
		for j := range ev.Prints {
			ev.Prints[j].Fingerprints = cut(&allFingerprints, 1)[:0]
		}
		list[i].values = cut(&allValues, values)
	}
	return list
}

// cut takes the first n of a list, with no room behind them.
func cut[T any](list *[]T, n int) []T {
	first := (*list)[:n:n]
	*list = (*list)[n:]
	return first
}
