package window

import (
	"maps"
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// The classes of statuses that need not be of the caller's making. A provider
// that is down and a limit that is reached have nothing to do with each other.
const (
	limited     = iota // 429
	unavailable        // 5xx, and no answer in time: 408, and 499 of nginx
	errorClasses
)

// errorClass is the class of a status, -1 if it is of none.
func errorClass(status int) int {
	switch {
	case status == 429:
		return limited
	case status >= 500, status == 408, status == 499:
		return unavailable
	}
	return -1
}

// errorTime is a minute in which there were errors of a class.
type errorTime struct {
	minute int64
	class  int
}

// errorMinutes know who had errors when: that others had the same is the
// difference between an outage and one's own trouble.
type errorMinutes struct {
	keep    int    // minutes; 0 is all, of those that are over what they say
	caller  string // the first that the log names
	callers bool   // and it names others
	kept    map[int64]*errorMinute
	now     int64        // the latest, which is kept with errors or without
	at      *errorMinute // of now; nil before the first
	over    map[int64]othersBits
}

// othersBits are what a minute says of each class of errors, by callers and by
// conversations: two bits each, whether others had some, and whether it is an
// outage.
type othersBits uint8

func bitsAt(who, class int) int { return 2 * (who*errorClasses + class) }

func (m *errorMinute) bits() (b othersBits) {
	for who, of := range m.byWho() {
		for class := range of {
			others := of[class].others()
			if others > 0 {
				b |= 1 << bitsAt(who, class)
			}
			if m.outage(others) {
				b |= 2 << bitsAt(who, class)
			}
		}
	}
	return b
}

// errorMinute counts the requests of a minute. Who sent them is the caller, or
// the conversation, where all callers are one: many a service has one key.
type errorMinute struct {
	fine                   int64
	callers, conversations [errorClasses]failing
}

// byWho are its errors by callers and by conversations.
func (m *errorMinute) byWho() [2]*[errorClasses]failing {
	return [...]*[errorClasses]failing{&m.callers, &m.conversations}
}

// failing counts the errors of those who have most, exactly if they are few.
// Beyond that who comes takes the place of the one with the fewest, and their
// number, so that nobody seems to have fewer than they have.
type failing [mostFailing]failed

type failed struct {
	who uint64 // as a hash; never 0
	n   int64
}

const mostFailing = 4

func (f *failing) add(who uint64) {
	least := &f[0]
	for i := range f {
		if f[i].who == who {
			least = &f[i]
			break
		}
		if f[i].n < least.n {
			least = &f[i]
		}
	}
	least.who = who
	least.n++
}

// others is how many errors others had than the one who had most.
func (f *failing) others() (n int64) {
	most := int64(0)
	for i := range f {
		n += f[i].n
		most = max(most, f[i].n)
	}
	return n - most
}

// An outage is it if others have had errors as well, more than one, and a
// twentieth of all requests but one's own: with some providers a few always fail.
const (
	leastOthers = 2
	othersShare = 20
)

func (m *errorMinute) outage(others int64) bool {
	return others >= leastOthers && othersShare*others >= others+m.fine
}

// failing are those whom it knows, for a checkpoint.
func (m *errorMinute) failing() (list []*failed) {
	for _, of := range m.byWho() {
		for class := range of {
			for i := range of[class] {
				list = append(list, &of[class][i])
			}
		}
	}
	return list
}

func newErrorMinutes() errorMinutes {
	return errorMinutes{kept: map[int64]*errorMinute{}, over: map[int64]othersBits{}}
}

// seen takes a request in; conversation asks for that of one that failed.
func (x *errorMinutes) seen(ev *Event, conversation func(*Event) string) {
	if m := ev.Time / minute; x.at == nil || m != x.now {
		x.turn(m)
	}
	if x.caller == "" {
		x.caller = ev.Caller
	}
	x.callers = x.callers || ev.Caller != "" && ev.Caller != x.caller
	class := errorClass(ev.Status)
	if class < 0 {
		x.at.fine++
		return
	}
	x.at.callers[class].add(textHash(ev.Caller) | 1)
	x.at.conversations[class].add(textHash(conversation(ev)) | 1)
}

// turn goes to another minute. One in which nobody had errors is forgotten.
func (x *errorMinutes) turn(m int64) {
	if x.at != nil {
		some := x.at.callers != [errorClasses]failing{}
		if some && x.keep == 0 {
			x.over[x.now] |= x.at.bits()
		}
		if !some || x.keep == 0 {
			delete(x.kept, x.now)
		}
	}
	x.now, x.at = m, x.kept[m]
	if x.at != nil { // time that went back
		return
	}
	x.at = &errorMinute{}
	for x.keep > 0 && len(x.kept) >= x.keep {
		delete(x.kept, slices.Min(slices.Collect(maps.Keys(x.kept)))) // any order: sorted
	}
	x.kept[m] = x.at
}

// shared tells how many of some errors others had as well then, in that minute
// or one next to it, and whether others had some.
func (x *errorMinutes) shared(errors []errorsAt) (n int64, some bool) {
	who := 0
	if !x.callers {
		who = 1
	}
	for _, e := range errors {
		outage := false
		for at := e.at.minute - 1; at <= e.at.minute+1; at++ {
			bits := x.over[at]
			if m := x.kept[at]; m != nil {
				bits = m.bits()
			}
			bits >>= bitsAt(who, e.at.class)
			outage = outage || bits&2 != 0
			some = some || bits&1 != 0
		}
		if outage {
			n += e.n
		}
	}
	return n, some
}

// apart names those who are told apart.
func (x *errorMinutes) apart() string {
	if x.callers {
		return "callers"
	}
	return "conversations"
}

func (x *errorMinutes) code(c *snapshot.Codec) {
	snapshot.Text(c, &x.caller)
	c.Bool(&x.callers)
	c.Varint(&x.now)
	minutes := slices.Sorted(maps.Keys(x.kept)) // any order: sorted
	snapshot.List(c, &minutes, 2+4*errorClasses*mostFailing, func(at *int64) {
		if c.Varint(at); c.Reads() {
			x.kept[*at] = &errorMinute{}
		}
		m := x.kept[*at]
		c.Varint(&m.fine)
		for _, f := range m.failing() {
			c.Uvarint(&f.who)
			c.Varint(&f.n)
		}
	})
	if c.Reads() {
		x.at = x.kept[x.now]
	}
}
