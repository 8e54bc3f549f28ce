package window

// numbers are the whole numbers of f, in the order in which a checkpoint holds
// them.
func (f *Facts) numbers() []*int64 {
	r := &f.wasHeard().results
	return []*int64{&f.Requests, &f.First, &f.since, &f.Probes, &f.OneToken, &f.Gets, &f.failed, &f.unavailable, &f.answered, &f.issued, &f.instants, &f.together, &f.cycle, &f.period, &f.last, &f.start, &f.pauses, &r.turns, &r.changes, &r.run, &r.longest, &r.blank, &r.loose}
}

func (f *Facts) varieties() []*variety {
	h := f.wasHeard()
	return []*variety{&f.sessions, &h.answers, &h.messages}
}

func (f *Facts) save(s *saver) {
	hashes := func(list []uint64) {
		s.Uvarint(uint64(len(list)))
		for _, hash := range list {
			s.Uint64(hash)
		}
	}
	for _, n := range f.numbers() {
		s.Varint(*n)
	}
	s.Float64(f.pauseSum)
	s.Float64(f.pauseSquares)
	for _, v := range f.varieties() {
		s.Varint(v.n)
		hashes(v.seen)
	}
	hashes(f.wasHeard().results.held)
	s.Uvarint(uint64(len(f.errors)))
	for _, e := range f.errors {
		s.Varint(e.at.minute)
		s.Uvarint(uint64(e.at.class))
		s.Varint(e.n)
	}
	s.Uint64(f.said)
	s.Bool(f.mixed)
}

func (f *Facts) load(l *loader) {
	hashes := func() (list []uint64) {
		for range l.Count(8) {
			list = append(list, l.Uint64())
		}
		return list
	}
	f.heard = &heard{}
	for _, n := range f.numbers() {
		*n = l.Varint()
	}
	f.pauseSum, f.pauseSquares = l.Float64(), l.Float64()
	for _, v := range f.varieties() {
		v.n = l.Varint()
		v.seen = hashes()
	}
	f.heard.results.held = hashes()
	for range l.Count(3) {
		at := errorTime{l.Varint(), l.Int(errorClasses - 1)}
		f.errors = append(f.errors, errorsAt{at, l.Varint()})
	}
	f.said = l.Uint64()
	f.mixed = l.Bool()
}

// saveStretch writes the facts of a stretch, if there is one, with those that
// belong to it, which have none of their own.
func saveStretch(s *saver, f *Facts) {
	one := func(f *Facts) bool {
		s.Bool(f != nil)
		if f != nil {
			f.save(s)
		}
		return f != nil
	}
	if one(f) {
		one(f.run)
		one(f.loop)
		one(f.before)
	}
}

func loadStretch(l *loader) *Facts {
	one := func() (f *Facts) {
		if l.Bool() {
			f = &Facts{}
			f.load(l)
		}
		return f
	}
	f := one()
	if f != nil {
		f.run, f.loop, f.before = one(), one(), one()
	}
	return f
}
