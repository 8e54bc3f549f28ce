package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// TestNoRoom: why no checkpoint can be written is said once, though the last one
// is tried as well.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	state, file := filepath.Join(dir, "state"), filepath.Join(dir, "app.log")
	write(t, file, `{"time":1800000000,"id":"a"}`+"\n")
	synctest.Test(t, func(t *testing.T) {
		_, err := tryFor(t, state, time.Minute, "loopgauge", Options{
			Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
				if err := os.RemoveAll(state); err != nil {
					t.Error(err)
				}
				return ingest.Follow([]string{file}, ingest.Options{Format: formats.ByName("loopgauge")}, marks)
			},
		})
		if err == nil || strings.Count(err.Error(), "no such file") != 1 {
			t.Errorf("said %v", err)
		}
	})
}

// full is a dataset that has no room for a part, until it has.
type full struct {
	*published
	room bool
}

func (f *full) Part(name string, first int64) (Part, error) {
	if !f.room {
		return nil, errors.New("no space left on device")
	}
	return f.published.Part(name, first)
}

// TestNoRoomForPart: a part that could not be put in its place is put there at the
// next start. The bug was that the last checkpoint knew of it no more.
func TestNoRoomForPart(t *testing.T) {
	for _, interval := range []time.Duration{time.Minute, 2 * time.Hour} { // it is the last alone
		dir := filepath.Join(t.TempDir(), "state")
		synctest.Test(t, func(t *testing.T) {
			data := &full{published: &published{memory: memory{parts: map[string]*part{}}}}
			o := Options{Dataset: data, Job: Job{PartInterval: interval, Interval: time.Second}}
			o.Feed = (&script{steps: [][]step{{{second: 100}, {second: 200}, {second: 300}}}}).open
			if _, err := tryFor(t, dir, time.Hour, "loopgauge", o); err == nil || strings.Count(err.Error(), "no space left") != 1 {
				t.Errorf("said %v", err)
			}
			without := o
			without.Dataset = nil
			if _, err := tryFor(t, dir, time.Hour, "loopgauge", without); !isMismatch(err, "holds rows for --out that are not in their place yet") {
				t.Errorf("without a dataset: %v", err)
			}
			data.room = true
			o.Feed = (&script{steps: [][]step{nil}}).open
			runFor(t, dir, time.Hour, "loopgauge", o)
			if len(data.rows) != 1 || data.rows[0] != 3 {
				t.Errorf("parts of %v rows, want one of 3", data.rows)
			}
		})
	}
}
