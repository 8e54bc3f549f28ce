package shared

import (
	"encoding/base64"
	"testing"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// TestExtractState: what is committed for an origin is gone on from, also where it
// does not say yet which leader took the last record.
func TestExtractState(t *testing.T) {
	want := ingest.Mark{Topic: "0123", Format: "loopgauge", Leader: 7}
	before := &origin{mark: want, epoch: 5, count: 9, front: window.NewFront(0)}
	state := textOf(before.code)
	load := func(state string) *origin {
		s := &origin{front: window.NewFront(0)}
		if err := fromText(state, s.code); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := load(state); s.mark != want || s.epoch != 5 || s.count != 9 {
		t.Errorf("%+v, epoch %d, count %d", s.mark, s.epoch, s.count)
	}
	data, err := base64.StdEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	want.Leader = 0
	if s := load(base64.StdEncoding.EncodeToString(data[:len(data)-1])); s.mark != want {
		t.Errorf("without the leader: %+v", s.mark)
	}
}
