package window

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Chat is what a user's message says to the gateway, all its commands taken
// together: !/set(tool-loop-max-repeats=3), !/unset(tool-loop-ttl), as the
// tool-call proxy has them.
type Chat struct {
	Changed ChatBits     // the settings that it sets or unsets
	To      ChatSettings // what they are then
	Invalid int          // commands about loops that make no sense, and were passed over
}

// ChatBits are settings of a session.
type ChatBits uint8

const (
	ChatEnabled ChatBits = 1 << iota // tool-loop-detection
	ChatRepeats                      // tool-loop-max-repeats
	ChatTTL                          // tool-loop-ttl
	ChatMode                         // tool-loop-mode

	chatAll = ChatEnabled | ChatRepeats | ChatTTL | ChatMode
)

// ChatSettings are what a session has set for itself. What is not in Has is zero,
// and as the rule says.
type ChatSettings struct {
	Has     ChatBits
	Enabled bool
	Repeats int           // threshold
	TTL     time.Duration // window, in whole seconds
	Mode    Action        // Break or ChanceThenBreak
}

// Bounds of what a session may set: a policy's own.
const (
	mostRepeats = 1_000_000
	mostTTL     = 10 * 365 * 24 * time.Hour
)

// chatNames are the settings by their name in a command.
var chatNames = map[string]ChatBits{
	"tool-loop-detection":   ChatEnabled,
	"tool-loop-max-repeats": ChatRepeats,
	"tool-loop-ttl":         ChatTTL,
	"tool-loop-mode":        ChatMode,
}

// chatFamily begins the names of all settings of loops. Commands about other
// things are none of ours, and none of them is invalid.
const chatFamily = "tool-loop-"

// chatPrefix begins a command.
const chatPrefix = "!/"

// parseChat reads the commands in a text in their order: the last one about a
// setting counts. It returns nil if there are none about loops.
func parseChat(text []byte) *Chat {
	var c Chat
	for {
		i := bytes.Index(text, []byte(chatPrefix))
		if i < 0 {
			break
		}
		text = text[i+len(chatPrefix):]
		name, rest := chatName(text)
		take := c.set
		switch name {
		case "set":
		case "unset":
			take = func(key, _ string) { c.unset(key) }
		default:
			continue
		}
		args, rest, closed := chatArguments(rest)
		if !closed {
			continue // a command within the rest may be whole
		}
		text = rest
		eachArgument(args, take)
	}
	if c == (Chat{}) {
		return nil
	}
	return &c
}

const mostArguments = 1 << 10

// chatName is the name that a command begins with.
func chatName(text []byte) (name string, rest []byte) {
	n := 0
	for n < len(text) && (text[n] == '-' || text[n] == '_' || text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z' || text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return string(text[:n]), text[n:]
}

// chatArguments is what stands in the parentheses behind a command's name. It
// is not closed if there are none, or they are left open. Quotes hold
// parentheses together, and a backslash the character behind it.
//
// Arguments that are longer than mostArguments are none: whoever writes a
// megabyte of open parentheses must not make each of them look for its end.
func chatArguments(text []byte) (args string, rest []byte, closed bool) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != '(' {
		return "", text, false
	}
	depth, quote := 0, byte(0)
	for i := 0; i < min(len(text), mostArguments); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return string(text[1:i]), text[i+1:], true
			}
		}
	}
	return "", text, false
}

// eachArgument splits arguments at commas and at their first equals sign.
func eachArgument(args string, f func(key, value string)) {
	for arg := range strings.SplitSeq(args, ",") {
		key, value, _ := strings.Cut(arg, "=")
		key = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "_", "-")
		if strings.HasPrefix(key, chatFamily) {
			f(key, strings.ToLower(strings.TrimSpace(value)))
		}
	}
}

// ParseMode is the action that the proxy takes a mode for, in any case: chance is
// short for chance_then_break.
func ParseMode(text string) (mode Action, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "break":
		return Break, true
	case "chance", "chance_then_break":
		return ChanceThenBreak, true
	}
	return "", false
}

// set takes one setting in. The proxy takes 1, yes and on for true, and 0, no,
// off and none for false.
func (c *Chat) set(key, value string) {
	to := c.To
	bit, ok := chatNames[key]
	switch bit {
	case ChatEnabled:
		switch value {
		case "true", "1", "yes", "on":
			to.Enabled = true
		case "false", "0", "no", "off", "none":
			to.Enabled = false
		default:
			ok = false
		}
	case ChatRepeats:
		to.Repeats, ok = wholeNumber(value, 2, mostRepeats)
	case ChatTTL:
		var seconds int
		seconds, ok = wholeNumber(value, 1, int(mostTTL/time.Second))
		to.TTL = time.Duration(seconds) * time.Second
	case ChatMode:
		to.Mode, ok = ParseMode(value)
	}
	if !ok {
		c.Invalid++
		return
	}
	c.To, c.Changed = to, c.Changed|bit
	c.To.Has |= bit
}

// wholeNumber reads a number of least or more; one above most is as good as
// that.
func wholeNumber(text string, least, most int) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < int64(least) {
		return 0, false
	}
	return int(min(n, int64(most))), true
}

func (c *Chat) unset(key string) {
	bit, ok := chatNames[key]
	if !ok {
		c.Invalid++
		return
	}
	c.Changed |= bit
	c.To.without(bit)
}

// without takes settings away.
func (s *ChatSettings) without(bits ChatBits) {
	s.Has &^= bits
	if bits&ChatEnabled != 0 {
		s.Enabled = false
	}
	if bits&ChatRepeats != 0 {
		s.Repeats = 0
	}
	if bits&ChatTTL != 0 {
		s.TTL = 0
	}
	if bits&ChatMode != 0 {
		s.Mode = ""
	}
}

// after is what a session has set once it has said c.
func (s ChatSettings) after(c *Chat) ChatSettings {
	s.without(c.Changed)
	s.Has |= c.To.Has
	s.Enabled = s.Enabled || c.To.Enabled
	s.Repeats, s.TTL, s.Mode = cmp.Or(c.To.Repeats, s.Repeats), cmp.Or(c.To.TTL, s.TTL), cmp.Or(c.To.Mode, s.Mode)
	return s
}

// over is what is in force for a request: what the session has set, else what
// the rule says.
func (s ChatSettings) over(in Settings) Settings {
	if s.Has&ChatEnabled != 0 {
		in.Off = !s.Enabled
	}
	in.Threshold, in.Window, in.Action = cmp.Or(s.Repeats, in.Threshold), cmp.Or(s.TTL, in.Window), cmp.Or(s.Mode, in.Action)
	return in
}
