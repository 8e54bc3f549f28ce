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
