package live

import (
	"log/slog"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// fewRequests is below what it cannot be told from that a rule is blind: what
// came is looked at together with what comes.
const fewRequests = 100

// manyRequests is how many a rule may leave out until it is said that it leaves
// out all: it may be one for a few.
const manyRequests = 1000

// blind tells of rules that cannot look at more than half of the requests, for
// what the log lacks, until it was otherwise, of those that match none, and of
// those that drop keys. It is said once.
type blind struct {
	since []window.RuleAccount
	said  []bool
	drops []bool // it was said that the rule drops keys
	none  []bool // it was said that the rule matches none; nil where others judge a part
}

func (b *blind) begin(now []window.RuleAccount, part bool) {
	b.since, b.said, b.drops = now, make([]bool, len(now)), make([]bool, len(now))
	if !part {
		b.none = make([]bool, len(now))
	}
}

func (b *blind) say(log *slog.Logger, now []window.RuleAccount) {
	for i := range now {
		came := now[i]
		if none := came.NotMatched == came.Judged && !came.Rule.Off; none && came.Judged >= manyRequests && b.none != nil && !b.none[i] {
			b.none[i] = true
			log.Warn("rule looks at no request: its match, or an override, leaves out all", "rule", came.Rule.Name, "requests", came.Judged)
		}
		if dropped := came.DroppedKeys - b.since[i].DroppedKeys; dropped > 0 && !b.drops[i] {
			b.drops[i] = true
			log.Warn("rule drops keys to stay within --max-keys: loops among them that repeat slowly may be missed", "rule", came.Rule.Name, "dropped", dropped)
		}
		came.Judged -= b.since[i].Judged + came.NotMatched - b.since[i].NotMatched
		for c, n := range b.since[i].NotComputable {
			came.NotComputable[c] -= n
		}
		if came.Judged < fewRequests {
			continue
		}
		missing, cause := came.Unlogged()
		blind := 2*missing > came.Judged
		if blind && !b.said[i] {
			log.Warn("rule is blind: loops cannot be seen", "rule", came.Rule.Name, "requests", missing, "of", came.Judged, "why", cause.String(), "hint", replay.Remedy(cause))
		}
		b.since[i], b.said[i] = now[i], blind
	}
}
