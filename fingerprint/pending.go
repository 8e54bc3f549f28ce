package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/sha256lanes"

// pending are fingerprints that are still to be hashed. Messages hashed beside
// each other take little longer than one, and a request has often no more than
// one: so they wait for those of other requests.
type pending struct {
	jobs   []sha256lanes.Job
	places []place // where the sum of each goes
	arena  []byte  // the canonical bytes of the jobs, padded, one behind the other
}

// place is where a fingerprint stands.
type place struct {
	taken *Fingerprint // nil if nobody took it from the Writer: see Take
	print int          // then its index there
}

// pendingBytes is how many canonical bytes are hashed together: so many that
// few lanes are empty, and so few that the processor still has them near.
const pendingBytes = 128 << 10

// wait has the last print hashed later. Its canonical bytes were written to
// w.canonical, which becomes the memory behind them.
func (w *Writer) wait(canonical []byte) {
	p := &w.pending
	canonical = sha256lanes.Pad(canonical)
	p.jobs = append(p.jobs, sha256lanes.Job{Padded: canonical})
	p.places = append(p.places, place{print: len(w.prints) - 1})
	if cap(canonical) > cap(p.arena)-len(p.arena) { // they have outgrown what was free
		w.Flush()
		p.arena = make([]byte, 0, cap(canonical)+pendingBytes)
	} else if p.arena = p.arena[:len(p.arena)+len(canonical)]; len(p.arena) >= pendingBytes {
		w.Flush()
	}
	w.canonical = p.arena[len(p.arena):]
}

// Take takes the fingerprints out of what Prints would give, to put each where
// to says, which has room for Len of them: at the latest when Flush is called.
// It returns the prints without their fingerprints, good until the next
// Compute.
func (w *Writer) Take(to []Fingerprint) []Print {
	for i := range w.prints {
		to[i] = w.prints[i].Fingerprint
	}
	p := &w.pending
	for i := len(p.places) - 1; i >= 0 && p.places[i].taken == nil; i-- {
		p.places[i].taken = &to[p.places[i].print]
	}
	all := w.prints
	w.prints = w.prints[:0]
	return all
}

// Flush hashes all fingerprints that wait for it.
func (w *Writer) Flush() {
	p := &w.pending
	sha256lanes.Sum(p.jobs)
	for i, place := range p.places {
		f := place.taken
		if f == nil {
			f = &w.prints[place.print].Fingerprint
		}
		copy(f.sum[:f.size], p.jobs[i].Sum[:])
	}
	clear(p.jobs)
	clear(p.places)
	p.jobs, p.places, p.arena = p.jobs[:0], p.places[:0], p.arena[:0]
	if cap(w.canonical) <= cap(p.arena) {
		w.canonical = p.arena
	}
}

// drop forgets the prints from the n-th on.
func (w *Writer) drop(n int) {
	p := &w.pending
	w.prints = w.prints[:n]
	for i := len(p.places) - 1; i >= 0 && p.places[i].taken == nil && p.places[i].print >= n; i-- {
		p.jobs, p.places = p.jobs[:i], p.places[:i]
	}
}

func (p *pending) memory() int {
	const job, place = 3*8 + 32 + 8, 2 * 8
	return cap(p.arena) + job*cap(p.jobs) + place*cap(p.places)
}
