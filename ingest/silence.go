package ingest

import "time"

// lookEvery is how often Next of a Live looks at its source at least.
const lookEvery = time.Second

// Silence is how long a live stream has been silent: at its end each time that
// it was looked at. A look stands for what Next promises and no more, so that a
// reader that was stopped for a while, or waited for something, does not take
// the time for silence in which it did not look.
type Silence struct {
	lasted time.Duration
	looked time.Time // when the stream was last seen to be at its end; zero if it is not
}

// Look takes in what Next returned at a time.
func (s *Silence) Look(at time.Time, c *Chunk) {
	switch {
	case !c.AtEnd: // or nobody can tell
		*s = Silence{}
	case c.Block != nil || s.looked.IsZero():
		*s = Silence{looked: at}
	default:
		s.lasted += min(at.Sub(s.looked), lookEvery)
		s.looked = at
	}
}

// Lasts tells whether the stream is at its end and has been for that long, as
// far as is known.
func (s *Silence) Lasts(long time.Duration) bool { return !s.looked.IsZero() && s.lasted >= long }
