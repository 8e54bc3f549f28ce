package ingest

// spare are descriptors that are left to looks, checkpoints and sinks.
const spare = 64

// room is how many files may be open, by what the process is allowed now.
func room() int64 {
	n := allowed()
	return n - min(spare, n/2)
}

// full tells that one more is open, or about to be, than may be.
func (f *follower) full() bool { return f.files.Load() > room() }

// crowded tells that files which are at their end are not to stay open in case they
// grow.
func (f *follower) crowded() bool { return f.files.Load() > room()/2 }

// idle tells that nothing of the open file waits for what may follow.
func (s *followed) idle() bool {
	return len(s.queue) == 0 && s.tail.long == nil && len(s.tail.blocks.rest) == 0 && !s.tail.blocks.tooLong
}
