package tune

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/replay"
)

// An exclusion that hides a loop is left out, and takes no other's heading
// with it.
func TestPolicyFrame(t *testing.T) {
	f := func(lateness time.Duration, exclusions []Exclusion, wantHead, wantTail string) {
		t.Helper()
		r := &Report{Lateness: replay.Lateness{Value: lateness}, Exclusions: exclusions}
		if head, tail := r.PolicyFrame(); head != wantHead || tail != wantTail {
			t.Errorf("the frame is %q and %q, want %q and %q", head, tail, wantHead, wantTail)
		}
	}
	hiding, plain := Exclusion{Name: "a", Match: `path == "/a"`, Hides: 1}, Exclusion{Name: "b", Match: `path == "/b"`}
	const tail = "exclude:\n  - {name: b, match: 'path == \"/b\"'}\n"
	f(0, nil, "version: 1\nrules:\n", "")
	f(time.Minute, []Exclusion{hiding}, "version: 1\nlateness: 1m\nrules:\n", "")
	f(0, []Exclusion{hiding, plain}, "version: 1\nrules:\n", tail)
	f(0, []Exclusion{plain, hiding}, "version: 1\nrules:\n", tail)
}
