package window

import "github.com/loopgauge/loopgauge/window/snapshot"

// EventWriter writes events in few bytes, for readers with the same plan. An
// event is written as what differs from the one before, and a text that came
// before as its number, so a block of events must be read from its start.
type EventWriter struct{}

// NewEventWriter makes an EventWriter for events of the plan.
func (p *Plan) NewEventWriter() *EventWriter { panic("not yet") }

// Reset begins a new block: the next event is written without those before.
func (e *EventWriter) Reset() { panic("not yet") }

// Write writes an event.
func (e *EventWriter) Write(w *snapshot.Writer, ev *Event) { panic("not yet") }

// EventReader reads what an EventWriter wrote.
type EventReader struct{}

// NewEventReader makes an EventReader for events of the plan.
func (p *Plan) NewEventReader() *EventReader { panic("not yet") }

// Reset begins a new block. Events read before keep their memory.
func (e *EventReader) Reset() { panic("not yet") }

// Read reads an event into ev, which shares no memory with the snapshot. What
// is wrong with it r.Err says.
func (e *EventReader) Read(r *snapshot.Reader, ev *Event) { panic("not yet") }

// WriteEpisode writes a closed episode of a rule of the plan.
func (p *Plan) WriteEpisode(w *snapshot.Writer, e *Episode) { panic("not yet") }

// ReadEpisode reads what WriteEpisode wrote.
func (p *Plan) ReadEpisode(r *snapshot.Reader) *Episode { panic("not yet") }
