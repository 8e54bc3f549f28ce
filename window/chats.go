package window

import (
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// sessionLife is how long a session that does nothing keeps what it has set,
// and at least how long a counter whose window sessions may set keeps a key.
// Without a bound every session that ever said something would be kept.
const sessionLife = 24 * time.Hour

// chats is what sessions have set for one rule.
type chats struct {
	sessions *table[fingerprint.ScopeKey, ChatSettings]
	set      int64 // messages that set or unset something
	invalid  int64 // commands that were passed over
}

func newChats(keys int) *chats {
	return &chats{sessions: newTable[fingerprint.ScopeKey, ChatSettings](sessionLife.Microseconds(), keys, nil)}
}

// hear takes in what a request of a session says, if anything, and returns
// what the session has set.
func (c *chats) hear(scope fingerprint.ScopeKey, said *Chat, now int64) ChatSettings {
	c.sessions.expire(now)
	found := c.sessions.find(scope)
	if found == nil && (said == nil || said.Changed == 0) {
		c.count(said)
		return ChatSettings{}
	}
	var is ChatSettings
	if found != nil {
		is = *found
	}
	if said != nil {
		c.count(said)
		is = is.after(said)
	}
	if is.Has == 0 {
		c.sessions.remove(scope)
		return is
	}
	*c.sessions.touch(scope, now) = is
	return is
}

func (c *chats) count(said *Chat) {
	if said == nil {
		return
	}
	if said.Changed != 0 {
		c.set++
	}
	c.invalid += int64(said.Invalid)
}

func (c *chats) save(s *saver) {
	s.Uvarint(uint64(c.set))
	s.Uvarint(uint64(c.invalid))
	c.sessions.save(s, func(e *tableEntry[fingerprint.ScopeKey, ChatSettings]) {
		s.scope(&e.key)
		saveChatSettings(s.Writer, &e.state)
	})
}

func (c *chats) load(l *loader) {
	c.set, c.invalid = l.int64(), l.int64()
	c.sessions.load(l, 18, l.scope, func(s *ChatSettings, _ int64) { *s = loadChatSettings(l.Reader) })
}

// save writes what a message said.
func (c *Chat) save(w *snapshot.Writer) {
	w.Uvarint(uint64(c.Changed))
	saveChatSettings(w, &c.To)
	w.Uvarint(uint64(c.Invalid))
}

func loadChat(r *snapshot.Reader) *Chat {
	c := &Chat{Changed: ChatBits(r.Int(int(chatAll)))}
	c.To = loadChatSettings(r)
	c.Invalid = r.Int(most)
	if c.To.Has&^c.Changed != 0 {
		r.Failf("a message has settings that it did not change")
	}
	return c
}

// saveChatSettings writes those that are there.
func saveChatSettings(w *snapshot.Writer, s *ChatSettings) {
	w.Uvarint(uint64(s.Has))
	if s.Has&ChatEnabled != 0 {
		w.Bool(s.Enabled)
	}
	if s.Has&ChatRepeats != 0 {
		w.Uvarint(uint64(s.Repeats))
	}
	if s.Has&ChatTTL != 0 {
		w.Uvarint(uint64(s.TTL / time.Second))
	}
	if s.Has&ChatMode != 0 {
		w.Bool(s.Mode == ChanceThenBreak)
	}
}

func loadChatSettings(r *snapshot.Reader) (s ChatSettings) {
	s.Has = ChatBits(r.Int(int(chatAll)))
	if s.Has&ChatEnabled != 0 {
		s.Enabled = r.Bool()
	}
	if s.Has&ChatRepeats != 0 {
		s.Repeats = r.Int(mostRepeats)
	}
	if s.Has&ChatTTL != 0 {
		s.TTL = time.Duration(r.Int(int(mostTTL/time.Second))) * time.Second
	}
	if s.Has&ChatMode != 0 {
		s.Mode = Break
		if r.Bool() {
			s.Mode = ChanceThenBreak
		}
	}
	return s
}
