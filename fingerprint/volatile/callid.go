package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// callIDs are what ids of calls begin with: those of OpenAI and of who speaks
// its language, of items of Responses, Anthropic's, those of its own tools,
// those of Bedrock's Converse, and vLLM's. Two of them are words besides.
var callIDs = [...]struct {
	prefix string
	word   bool
}{
	{"call_", true}, {"fc_", true}, {"toolu_", false}, {"srvtoolu_", false}, {"tooluse_", false}, {"chatcmpl-tool-", false},
}

// CallID stands for such an id.
const CallID = "<call-id>"

// longestCallID is more than twice what OpenAI takes.
const longestCallID = 128

// MatchCallID takes for an id what has a digit. Where it begins with a word,
// the digit must be among the first letters and digits or beside a letter:
// call_log and call_log_24 are content, call_3 and call_Xa-9z are ids.
func MatchCallID(t []byte) int {
	for i := range callIDs {
		if k := &callIDs[i]; len(t) > len(k.prefix) && string(t[:len(k.prefix)]) == k.prefix {
			return endOfCallID(t, len(k.prefix), k.word)
		}
	}
	return 0
}

// longestCount is how many digits stand for an id behind a word: there are
// agents that count their calls, and telephones that count theirs.
const longestCount = 3

func endOfCallID(t []byte, from int, word bool) int {
	end, is := from, false
	first, digit, letter, letters := true, false, false, false
	for n := from; n < len(t); n++ {
		switch c := t[n]; {
		case chars.IsDigit(c):
			digit = true
		case chars.IsLetter(c):
			letter, letters = true, true
		case c == '_' || c == '-':
			first = first && !digit && !letter
			digit, letter = false, false
		default:
			n = len(t)
			continue
		}
		if n == longestCallID {
			return 0
		}
		is = is || digit && (first || letter || !word)
		if t[n] != '-' { // which at the end is the sentence's
			end = n + 1
		}
	}
	if !is || word && !letters && end-from > longestCount {
		return 0
	}
	return end
}

// withoutCallID puts placeholders into the text of a result for the id of the call that
// it answers, where it is named as that: there are clients that name it in each error
// (VoltAgent). An id that is named otherwise may be that of what the call made: an
// order, a job, a file.
func (c *Cleaner) withoutCallID(t Text, id []byte) Text {
	n := lenRequestID(id)
	if n == 0 || n < len(id) || !bytes.Contains(t.Bytes, id[n/2:]) { // its end, for many begin with the same letters
		return t
	}
	return Text{Bytes: c.without(c.Decoded(t), &nonce{mark: id, span: func(text []byte, at int) (start, end int) {
		if !endsInCallName(text[:at]) || lenRequestID(text[at:]) != n {
			return 0, 0
		}
		return at, at + n
	}, placeholder: CallID})}
}

// callNames are what the name of such an id ends with, in small or capital letters:
// toolCallId, tool_call_id, toolUseId.
var callNames = [...]string{"callid", "call_id", "call id", "use_id", "useid"}

// endsInCallName tells whether a text ends with such a name, and what stands between it
// and a value.
func endsInCallName(text []byte) bool {
	name := bytes.TrimRight(text, `"'\:= `)
	if lenSeparator(text[len(name):]) == 0 {
		return false
	}
	for _, end := range callNames {
		if from := len(name) - len(end); from >= 0 && bytes.EqualFold(name[from:], []byte(end)) {
			return true
		}
	}
	return false
}

// MayHaveCallID tells whether an id may be in text or, as nothing in an id is
// escaped, in JSON. Most texts have none, and are gone through at the speed of
// looking for a byte.
func MayHaveCallID(text []byte) bool {
	return idBehind(text, '_') || idBehind(text, '-')
}

// idBehind looks for an id whose prefix ends with a byte.
func idBehind(text []byte, last byte) bool {
	for from := 2; from < len(text); from++ {
		n := bytes.IndexByte(text[from:], last)
		if n < 0 {
			return false
		}
		from += n
		switch string(text[from-2 : from]) {
		case "ll", "fc", "lu", "se", "ol": // which the prefixes have there
			if idFrom(text, from+1) {
				return true
			}
		}
	}
	return false
}

// idFrom tells whether a prefix ends at from, and the rest of an id follows.
func idFrom(text []byte, from int) bool {
	for i := range callIDs {
		if k := &callIDs[i]; bytes.HasSuffix(text[:from], []byte(k.prefix)) {
			return endOfCallID(text[from-len(k.prefix):], len(k.prefix), k.word) > 0
		}
	}
	return false
}
