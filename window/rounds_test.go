package window

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestRoundsKey: who is counted apart has the same key in every process, for a
// checkpoint holds it.
func TestRoundsKey(t *testing.T) {
	x := newRounds(senders{conversation: -1, sessions: true}, CounterSpec{Kind: "cycle", Window: time.Minute, Period: DefaultPeriod}, 0)
	own := x.own(&Event{Session: "s1"}, fingerprint.ScopeKey{})
	if got, want := hex.EncodeToString(own[:]), "49d178b507ffd8080000000000000000"; got != want {
		t.Errorf("the key is %s, want %s", got, want)
	}
}
