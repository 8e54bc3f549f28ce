package live

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// Dataset is where events and episodes go, part by part.
type Dataset interface {
	// Policy tells the policy of the rows, and how names are written in them,
	// from others.
	Policy() string
	// Part begins a part. Its name tells it from all others of the dataset and
	// sorts behind those before it; first is the number of its first event. A
	// part of the same name takes the place of the one before.
	Part(name string, first int64) (Part, error)
	// Empty is an error if there is something in it. It is asked where no
	// checkpoint knows of the dataset.
	Empty() error
	// Follows is an error if what is in it does not end where a part begins. A
	// checkpoint knows of a dataset, and this may be another, or another state
	// has gone on with it.
	Follows(name string, first int64) error
	// Discard removes the parts whose names sort at name or behind it: they
	// are of a future that has been lost.
	Discard(name string) error
}

// Part is a part of a dataset. Nobody sees it before Close has returned.
type Part interface {
	AddEvent(*window.Event) error
	// AddVerdict adds a verdict on the event of a number.
	AddVerdict(v *window.Verdict, event int64) error
	AddEpisode(*window.Episode) error
	// Close puts the part in its place, and writes down what became of all
	// that has been read so far.
	Close(replay.Report) error
	Abort()
}

// PartName is the name of a part. It sorts by number.
func PartName(number, first int64) string { return fmt.Sprintf("%09d-%012d", number, first) }
