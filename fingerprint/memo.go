package fingerprint

// memo is what was read and written of a request for one identity, kept for the
// next that has the same: it is most of their work.
type memo struct {
	items    [fewItems]keptItem
	nextItem int // the one that makes room for another
	texts    [fewItems]keptText
	nextText int

	// The last lastN messages as written; 0 is none.
	lastN int
	last  []byte
	// Whether ids of calls were looked for in last, and may be there.
	sought, found bool
	// Whether issued holds the calls of this request.
	issuedKept bool
	issued     issued
	// Whether the Writer's turn is that of this request, written plainly, or else
	// the cause is why it has none.
	turnKept  bool
	turnCause Cause
	// Whether pad is that of the request's messages.
	padKept bool
	pad     scratchpad
}

// forget is for another request. Memory is kept.
func (m *memo) forget() {
	m.lastN, m.issuedKept, m.turnKept, m.padKept = 0, false, false, false
	for i := range m.items {
		m.items[i].of, m.texts[i].of = nil, nil
	}
}

func (m *memo) memory() int {
	n := cap(m.last) + cap(m.issued.text)
	for i := range m.items {
		n += m.items[i].scan.Memory()
	}
	return n
}
