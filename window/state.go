package window

import (
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// StateVersion is the version of what State.Save writes. Each number says what
// changed with it. A snapshot of an older version is read as that version
// wrote it; testdata/snapshot holds one of each. The number goes up, too, when
// a counter comes to mean something else by its state, or an identity gives
// another fingerprint to the same request.
//
//	1  the first
const StateVersion = 1

// State is all that judging remembers of its streams. Saved, and loaded into a
// fresh one in another process, it goes on as if there had been no break.
type State struct {
	Plan       *Plan
	Extract    ExtractOptions // that the events were made with
	Order      *Order
	Duplicates *Duplicates
	Engine     *Engine
}

// Save writes the state. It changes nothing, and equal states give equal
// bytes.
func (s *State) Save(w *snapshot.Writer) { panic("not yet") }

// Load reads what Save wrote into a fresh state: nothing may have been pushed
// or judged. The numbers of streams must mean the same streams. After an error
// the state is of no use; make a new one.
//
// The plan may be another. A rule whose name, identity, scope and counter are
// what they were goes on with what it has counted; threshold, action, match,
// overrides, cooldown and quiet time may be others, and a cooldown of another
// length begins with no key cooling down. Every other rule begins anew. Other
// fingerprint keys, hashed ids or event times make all rules begin anew.
//
// Events that wait in the Order were made for the plan of then. Rules that go
// on and select requests as they did see them as they would have; others see
// them as not matched. What an exclusion took out stays out; if there is no
// such exclusion any more, the event is judged and no rule matches it.
func (s *State) Load(r *snapshot.Reader) (*Restored, error) { panic("not yet") }

// Restored says what became of a saved state.
type Restored struct {
	Kept  []string // rules that go on, in the order of the plan
	Reset []Reset  // rules that begin anew, likewise
	New   []string // rules that the saved state knows nothing of, likewise
	Gone  []string // rules that the plan does not have any more, in the order of then

	// Ended are the open episodes of the rules that were reset or are gone,
	// by rule and then by their last firing. They are not passed to
	// EngineOptions.Episode. The rule of one that is gone has a name only.
	Ended []*Episode
}

// Reset is a rule that begins anew.
type Reset struct {
	Rule string
	Why  string // as in "counter was streak 10m, is streak 5m"
}
