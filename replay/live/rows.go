package live

import (
	"fmt"
	"io"
	"time"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Rows writes the rows of a part that is still being gathered, as frames: a
// kind, the number of items and their bytes, as package snapshot writes them.
type Rows struct {
	To    io.Writer
	Began time.Time // when the first row of the part came; zero as long as it is empty
	Next  int64     // number of the next event

	plan    *window.Plan
	all     bool // verdicts, not only those on repeats
	events  *window.EventWriter
	block   *snapshot.Writer // events since the last frame
	inBlock int

	said       *snapshot.Writer // verdicts on events of the block, or of the last frame if it is empty
	inSaid     int
	lastEvents int // in the last frame of events
}

const (
	eventFrame   = 1
	episodeFrame = 2
	verdictFrame = 3 // each with the number of its event in the last frame of events
	policyFrame  = 4 // the policy of the rows, and no item
)

// blockBytes is how much is gathered before a frame is written.
const blockBytes = 1 << 18

// NewRows makes a Rows of a job, which writes nowhere yet.
func NewRows(o *Job) *Rows {
	return &Rows{plan: o.Plan, all: o.AllVerdicts, events: o.Plan.NewEventWriter(), block: snapshot.NewWriter(nil), said: snapshot.NewWriter(nil)}
}

func (s *Rows) begin() {
	if s.Began.IsZero() {
		s.Began = time.Now()
	}
}

// AddEvent adds an event. It has a number of its own unless another process stands
// for it.
func (s *Rows) AddEvent(ev *window.Event) error {
	if !ev.Copy() {
		s.Next++
	}
	s.begin()
	if len(s.block.Bytes()) >= blockBytes || s.inBlock == 0 {
		if err := s.Flush(); err != nil {
			return err
		}
	}
	s.events.Write(s.block, ev)
	s.inBlock++
	return nil
}

// AddVerdict adds a verdict on the event that was added last, if it is one of those
// that are wanted.
func (s *Rows) AddVerdict(v *window.Verdict) {
	if !s.all && !v.Repeats() {
		return
	}
	event := s.inBlock
	if event == 0 {
		event = s.lastEvents // written since, along with an episode
	}
	s.said.Uvarint(uint64(event - 1))
	s.plan.WriteVerdict(s.said, v)
	s.inSaid++
}

// Flush writes the events gathered as a frame, and the verdicts on them as
// another.
func (s *Rows) Flush() (err error) {
	if s.inBlock > 0 {
		err = s.frame(eventFrame, s.inBlock, s.block.Bytes())
		s.lastEvents = s.inBlock
		s.block.Reset()
		s.events.Reset()
		s.inBlock = 0
	}
	if s.inSaid > 0 && err == nil {
		err = s.frame(verdictFrame, s.inSaid, s.said.Bytes())
		s.said.Reset()
		s.inSaid = 0
	}
	return err
}

// AddEpisode adds an episode.
func (s *Rows) AddEpisode(e *window.Episode) error {
	s.begin()
	if err := s.Flush(); err != nil { // in the order in which they came
		return err
	}
	w := snapshot.NewWriter(nil)
	s.plan.WriteEpisode(w, e)
	return s.frame(episodeFrame, 1, w.Bytes())
}

func (s *Rows) frame(kind, items int, body []byte) error {
	head := snapshot.NewWriter(make([]byte, 0, 16))
	head.Uvarint(uint64(kind))
	head.Uvarint(uint64(items))
	head.Uvarint(uint64(len(body)))
	if _, err := s.To.Write(head.Bytes()); err != nil {
		return err
	}
	_, err := s.To.Write(body)
	return err
}

// policyBytes are room for the frame of a policy.
const policyBytes = 1 << 10

// policyOf is the policy of the rows; empty if there is no row.
func policyOf(rows io.Reader) (string, error) {
	head, err := io.ReadAll(io.LimitReader(rows, policyBytes))
	r := snapshot.NewReader(head)
	if err != nil || r.Uvarint() != policyFrame {
		return "", err
	}
	r.Uvarint()
	return r.String(), nil
}

// badRows is that rows are not as Rows writes them for the plan.
type badRows struct{ err error }

func (e *badRows) Error() string { return "its rows cannot be read: " + e.err.Error() }
func (e *badRows) Unwrap() error { return e.err }

// ReadRows hands what Rows wrote to a part, whose first event has the number
// first.
func ReadRows(plan *window.Plan, data []byte, part Part, first int64) error {
	r := snapshot.NewReader(data)
	events := plan.NewEventReader()
	next := first
	var last []*window.Event // of the last frame of events
	for r.Left() > 0 && r.Err() == nil {
		kind, items := r.Uvarint(), r.Int(1<<30)
		body := snapshot.NewReader(r.Blob())
		if kind == eventFrame {
			events.Reset()
			last, next = last[:0], next+int64(items)
		}
		for range items {
			switch kind {
			case eventFrame:
				ev := new(window.Event)
				if events.Read(body, ev); body.Err() == nil {
					last = append(last, ev)
					if err := part.AddEvent(ev); err != nil {
						return err
					}
				}
			case verdictFrame:
				i := body.Int(len(last) - 1)
				if body.Err() != nil {
					return &badRows{body.Err()}
				}
				if v := plan.ReadVerdict(body, last[i]); body.Err() == nil {
					if err := part.AddVerdict(v, next-int64(len(last)-i)); err != nil {
						return err
					}
				}
			case episodeFrame:
				if e := plan.ReadEpisode(body); body.Err() == nil {
					if err := part.AddEpisode(e); err != nil {
						return err
					}
				}
			default:
				return &badRows{fmt.Errorf("unknown frame %d", kind)}
			}
			if err := body.Err(); err != nil {
				return &badRows{err}
			}
		}
	}
	if err := r.Err(); err != nil {
		return &badRows{err}
	}
	return nil
}
