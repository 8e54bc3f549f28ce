package live

import (
	"fmt"
	"os"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Dataset is where events and episodes go, part by part.
type Dataset interface {
	// Part begins a part. Its name tells it from all others of the dataset and
	// sorts behind those before it; first is the number of its first event. A
	// part of the same name takes the place of the one before.
	Part(name string, first int64) (Part, error)
	// Discard removes the parts whose names sort at name or behind it: they
	// are of a future that has been lost.
	Discard(name string) error
}

// Part is a part of a dataset. Nobody sees it before Close has returned.
type Part interface {
	AddEvent(*window.Event) error
	// AddVerdict adds a verdict on the event of a number.
	AddVerdict(v *window.Verdict, event int64) error
	AddEpisode(*window.Episode) error
	// Close puts the part in its place, and writes down what became of all
	// that has been read so far.
	Close(Report) error
	Abort()
}

// Report is what has become of all that was read.
type Report struct {
	replay.Totals
	Rules   []window.RuleAccount
	Streams []replay.StreamResult
	Order   window.OrderStats
}

// spool gathers the events and episodes of the part to come. It is written
// along with every checkpoint, so that a part may span many of them.
type spool struct {
	store   *Store
	plan    *window.Plan
	dataset Dataset

	number int64 // of the part
	needed int64 // the lowest number that the last checkpoint knows of
	first  int64 // number of its first event
	next   int64 // number of the next event
	file   *sinks.AppendFile
	began  time.Time // zero as long as the part is empty

	events  *window.EventWriter
	block   *snapshot.Writer // events since the last frame
	inBlock int

	said       *snapshot.Writer // verdicts on events of the block, or of the last frame if it is empty
	inSaid     int
	lastEvents int // in the last frame of events
}

// A spool file consists of frames: a kind, the number of items and their
// bytes, as package snapshot writes them.
const (
	eventFrame   = 1
	episodeFrame = 2
	verdictFrame = 3 // each with the number of its event in the last frame of events
)

// blockBytes is how much is gathered before a frame is written.
const blockBytes = 1 << 18

const spoolName = "part-%012d.spool"

func newSpool(store *Store, plan *window.Plan, dataset Dataset) *spool {
	return &spool{store: store, plan: plan, dataset: dataset, events: plan.NewEventWriter(), block: snapshot.NewWriter(nil), said: snapshot.NewWriter(nil)}
}

func (s *spool) fileName(number int64) string {
	return s.store.path(fmt.Sprintf(spoolName, number))
}

// PartName is the name of a part. It sorts by number.
func partName(number, first int64) string { return fmt.Sprintf("%09d-%012d", number, first) }

// open begins or goes on with the part's file, which a checkpoint knows to be
// length bytes long.
func (s *spool) open(length int64) (err error) {
	if length == 0 { // what is there no checkpoint knows of
		if err := os.Remove(s.fileName(s.number)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	s.file, err = sinks.OpenAppend(s.fileName(s.number), length)
	return err
}

func (s *spool) addEvent(ev *window.Event) error {
	if len(s.block.Bytes()) >= blockBytes || s.inBlock == 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.events.Write(s.block, ev)
	s.inBlock++
	s.next++
	return nil
}

// addVerdict adds a verdict on the event that was added last.
func (s *spool) addVerdict(v *window.Verdict) error {
	event := s.inBlock
	if event == 0 {
		event = s.lastEvents // written since, along with an episode
	}
	s.said.Uvarint(uint64(event - 1))
	s.plan.WriteVerdict(s.said, v)
	s.inSaid++
	return nil
}

// flush writes the events gathered as a frame, and the verdicts on them as
// another.
func (s *spool) flush() (err error) {
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

func (s *spool) addEpisode(e *window.Episode) error {
	if err := s.flush(); err != nil { // in the order in which they came
		return err
	}
	w := snapshot.NewWriter(nil)
	s.plan.WriteEpisode(w, e)
	return s.frame(episodeFrame, 1, w.Bytes())
}

func (s *spool) frame(kind, items int, body []byte) error {
	if s.began.IsZero() {
		s.began = time.Now()
	}
	head := snapshot.NewWriter(make([]byte, 0, 16))
	head.Uvarint(uint64(kind))
	head.Uvarint(uint64(items))
	head.Uvarint(uint64(len(body)))
	if _, err := s.file.Write(head.Bytes()); err != nil {
		return err
	}
	_, err := s.file.Write(body)
	return err
}

// sync makes last what the part has, and returns the length of its file.
func (s *spool) sync() (int64, error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	return s.file.Sync()
}

// turn begins the next part. What has been gathered stays in its file.
func (s *spool) turn() error {
	if err := s.file.Close(); err != nil {
		return err
	}
	s.number++
	s.first, s.began = s.next, time.Time{}
	return s.open(0)
}

// publish makes a part of what the spool file of a number holds. Done twice it
// does the same.
func (s *spool) publish(number, first int64, report Report) error {
	name := s.fileName(number)
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	part, err := s.dataset.Part(partName(number, first), first)
	if err != nil {
		return err
	}
	defer part.Abort()
	if err := s.replay(data, part, first); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return part.Close(report)
}

// replay hands what a spool file holds to a part, whose first event has the
// number first.
func (s *spool) replay(data []byte, part Part, first int64) error {
	r := snapshot.NewReader(data)
	events := s.plan.NewEventReader()
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
					return body.Err()
				}
				if v := s.plan.ReadVerdict(body, last[i]); body.Err() == nil {
					if err := part.AddVerdict(v, next-int64(len(last)-i)); err != nil {
						return err
					}
				}
			case episodeFrame:
				if e := s.plan.ReadEpisode(body); body.Err() == nil {
					if err := part.AddEpisode(e); err != nil {
						return err
					}
				}
			default:
				return fmt.Errorf("unknown frame %d", kind)
			}
			if err := body.Err(); err != nil {
				return err
			}
		}
	}
	return r.Err()
}

// discard removes the spool files of numbers that gone says nobody needs.
func (s *spool) discard(gone func(number int64) bool) error {
	entries, err := os.ReadDir(s.store.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		var number int64
		if _, err := fmt.Sscanf(e.Name(), spoolName, &number); err != nil || !gone(number) {
			continue
		}
		if err := os.Remove(s.store.path(e.Name())); err != nil {
			return err
		}
	}
	return nil
}
