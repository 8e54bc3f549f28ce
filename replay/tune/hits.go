package tune

// Hit is one request of a repeat, from the second one on.
type Hit struct {
	Time   int64   // microseconds
	Tokens int64   // -1 unknown
	Cost   float64 // USD; NaN unknown
	Status int     // 0 unknown
}

// Hits are the first requests of the repeat after the one it began with; of a
// very long repeat not all were kept.
func (k *Repeat) Hits() []Hit {
	list := make([]Hit, len(k.hits))
	for i, h := range k.hits {
		list[i] = Hit{h.time, h.tokens, h.cost, int(h.status)}
	}
	return list
}

// Counts is what a cell of Report.Cells counted at each of the hits, at most
// 255.
func (k *Repeat) Counts(cell int) []uint8 {
	if len(k.hits) == 0 {
		return nil
	}
	cells := len(k.counts) / len(k.hits)
	list := make([]uint8, len(k.hits))
	for i := range list {
		list[i] = k.counts[i*cells+cell]
	}
	return list
}

// Highest is the highest of the counts of a cell.
func (k *Repeat) Highest(cell int) (highest int) {
	if len(k.hits) == 0 {
		return 0
	}
	cells := len(k.counts) / len(k.hits)
	for i := range k.hits {
		highest = max(highest, k.count(i, cell, cells))
	}
	return highest
}

// Class is what a repeat counts as when a setting fires on it.
type Class int

// The classes. A loop that only an insane threshold would find is no loop that
// a setting can miss.
const (
	Neither Class = iota // an outage, or of a kind that an exclusion takes out
	Wrong
	Loop
	HiddenLoop // a loop that no sane setting finds
)

// Class says what the repeat counts as: by the labels where there are any, and
// by its kind elsewhere.
func (r *Report) Class(k *Repeat) Class {
	switch {
	case r.isLoop(k) && r.sensitive([]*Repeat{k}) == 0:
		return HiddenLoop
	case r.isLoop(k):
		return Loop
	case r.isWrong(k):
		return Wrong
	}
	return Neither
}
