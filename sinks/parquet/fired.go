package parquet

import (
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// firing is what tells where to look for an episode.
type firing struct {
	ID    string `parquet:"id"`
	Fired int64  `parquet:"fired,timestamp(microsecond)"`
}

// Fired is when an episode of the run first fired; fingerprint.NoTime if it is not
// there, or cannot be read: who asks can judge the events instead.
func (r *Reader) Fired(episode string) int64 {
	for _, file := range filesOf(r.Dir, "episodes", "*.parquet") {
		if fired, err := firedIn(file, episode); err == nil {
			return fired
		}
	}
	return fingerprint.NoTime
}

// firedIn is when an episode in a file first fired; io.EOF if it is not there.
func firedIn(path, episode string) (fired int64, err error) {
	file, f, err := begin(path, leaves(parquet.SchemaOf(firing{}).Fields(), ""))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	defer guard(path, &err)
	rows := parquet.NewGenericReader[firing](file)
	defer rows.Close() //nolint:errcheck // nothing is written
	list := make([]firing, batch)
	for err == nil {
		var n int
		n, err = rows.Read(list)
		if i := slices.IndexFunc(list[:n], func(one firing) bool { return one.ID == episode }); i >= 0 {
			return list[i].Fired, nil
		}
	}
	return 0, err
}
