package tune

// Hit is one request of a repeat, from the second one on.
type Hit struct {
	Time   int64   // microseconds
	Tokens int64   // -1 unknown
	Cost   float64 // USD; NaN unknown
	Status int32   // -1 unknown
	row    uint32  // of its counts, among those of all hits
}

// Hits are the first requests of the repeat after the one it began with; of a
// very long repeat not all were kept.
func (k *Repeat) Hits() []Hit { return k.hits }

// Counts is what a cell of Report.Cells counted at each of the hits, at most
// 255.
func (k *Repeat) Counts(cell int) []uint8 {
	list := make([]uint8, len(k.hits))
	for i := range list {
		list[i] = k.rows.At(k.hits[i].row)[cell]
	}
	return list
}

// Highest is the highest of the counts of a cell.
func (k *Repeat) Highest(cell int) int {
	if highest := k.highest(); len(highest) > 0 {
		return int(highest[cell])
	}
	return 0
}

// highest are the highest counts by cell; none without hits.
func (k *Repeat) highest() []uint8 {
	if len(k.hits) == 1 {
		return k.rows.At(k.hits[0].row)
	}
	return k.most
}

// findable tells whether some sane setting fires on the repeat.
func (k *Repeat) findable() bool { return int(k.top) >= k.Rule.LeastCount() }

// Class is what a repeat counts as when a setting fires on it.
type Class int

// The classes.
const (
	Neither  Class = iota // an outage, or what came too seldom for a loop
	Excluded              // what would be wrong, but that the policy's exclusions take out
	Wrong
	Loop
	HiddenLoop // a loop that no sane setting finds, and none misses
)

func (c Class) isLoop() bool { return c >= Loop }

// Class says what the repeat counts as: by the labels where there are any, and
// by its kind elsewhere.
func (r *Report) Class(k *Repeat) Class {
	class, labelled := r.Options.Labels.class(k)
	if class == Wrong && !labelled && k.excluded {
		return Excluded
	}
	return class
}
