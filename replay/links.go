package replay

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Links say whether a log holds every request: one that carries the result of
// a call follows one whose response made it. They are counted in some
// conversations, in each behind the first that is there: a log may have other
// ids in responses than in requests, and begins in the midst of conversations.
type Links struct {
	Answers  int64 // calls whose result a request carries
	Unlogged int64 // of them, those that no response in the log makes
}

// String says that the log lacks requests, if one in twenty is not there; else
// it is empty.
func (l Links) String() string {
	if l.Answers < fewRequests || 20*l.Unlogged < l.Answers {
		return ""
	}
	return fmt.Sprintf("requests or responses are missing from the log: %s of the results of calls (%s of %s) come without the response that made the call; loops look shorter than they are: log every request (docs/formats.md)",
		term.Percent(l.Unlogged, l.Answers), term.Count(l.Unlogged), term.Count(l.Answers))
}

// note counts a request of the conversation with that key, 0 where no rule looks
// at it. Where a response was not logged, what the next request answers is not known.
func (l *Links) note(link window.Link, key uint64, t *talk, c *conversations) {
	if answer := link.Answers ^ key; link.Answers != 0 && !t.untold && !c.answered.has(answer) {
		c.answered.add(answer) // what is tried again says nothing new
		logged := c.issued.has(answer) || c.issued.has(link.Answers)
		switch {
		case !t.linked && logged:
			t.linked, t.link = true, link.Issues
		case t.linked && link.Answers != t.link: // that one is there for sure
			l.Answers++
			if !logged {
				l.Unlogged++
				c.missing.add(answer)
			}
		}
	}
	t.untold = t.untold || !link.Told
	if link.Issues != 0 {
		call := link.Issues ^ key // some models number their calls
		if c.missing.has(call) {  // by a clock that is ahead
			l.Unlogged--
			c.missing.remove(call)
		}
		c.issued.add(call)
	}
}

// calls is a set of calls: of the latest, and of as many before at most.
type calls struct{ latest, before map[uint64]struct{} }

// mostCalls is how many calls are the latest.
const mostCalls = 1 << 15

func (c *calls) add(call uint64) {
	if len(c.latest) >= mostCalls || c.latest == nil {
		c.latest, c.before = map[uint64]struct{}{}, c.latest
	}
	c.latest[call] = struct{}{}
}

func (c *calls) remove(call uint64) {
	delete(c.latest, call)
	delete(c.before, call)
}

func (c *calls) has(call uint64) bool {
	if _, ok := c.latest[call]; ok {
		return true
	}
	_, ok := c.before[call]
	return ok
}
