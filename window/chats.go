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
	account  *RuleAccount // of the rule
}

func newChats(account *RuleAccount, keys int) *chats {
	return &chats{account: account, sessions: newTable[fingerprint.ScopeKey, ChatSettings](sessionLife.Microseconds(), keys, nil)}
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
		c.account.ChatSet++
	}
	c.account.ChatInvalid += int64(said.Invalid)
}

func (c *chats) code(s *coder) {
	s.count(&c.account.ChatSet)
	s.count(&c.account.ChatInvalid)
	c.sessions.code(s, 18, s.scope, func(is *ChatSettings, _ int64) { is.code(s.Codec) })
}

// code codes what a message said.
func (c *Chat) code(to *snapshot.Codec) {
	snapshot.Size(to, &c.Changed, int(chatAll))
	c.To.code(to)
	snapshot.Size(to, &c.Invalid, most)
	to.Check(c.To.Has&^c.Changed == 0, "a message has settings that it did not change")
}

// code codes those that are there.
func (s *ChatSettings) code(c *snapshot.Codec) {
	snapshot.Size(c, &s.Has, int(chatAll))
	if s.Has&ChatEnabled != 0 {
		c.Bool(&s.Enabled)
	}
	if s.Has&ChatRepeats != 0 {
		snapshot.Size(c, &s.Repeats, mostRepeats)
	}
	if s.Has&ChatTTL != 0 {
		seconds := int64(s.TTL / time.Second)
		if snapshot.Size(c, &seconds, int(mostTTL/time.Second)); c.Reads() {
			s.TTL = time.Duration(seconds) * time.Second
		}
	}
	if s.Has&ChatMode != 0 {
		chance := s.Mode == ChanceThenBreak
		switch c.Bool(&chance); {
		case !c.Reads():
		case chance:
			s.Mode = ChanceThenBreak
		default:
			s.Mode = Break
		}
	}
}
