package fingerprint

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendSince appends to a part of an identity, as another, which step it is of which a
// logger cut or hid something, if nothing but equals of the last turn came since.
// That step is compared with none, and so ends no run: who tests again after each edit,
// and gets the same, was stuck where the edits were cut.
func (w *Writer) appendSince(dst []byte) []byte {
	if len(w.turn.since) == 0 {
		return dst
	}
	return append(append(dst, `],["since_lost",`...), w.turn.since...)
}

// sinceLost appends what tells that step from others, as JSON, if there is one.
func (w *Writer) sinceLost(dst []byte, r *Request) []byte {
	if !w.mayFollowLost(r.Messages.Items, w.turn.at) {
		return dst
	}
	broken := w.broken
	w.turn, w.earlier = w.earlier, w.turn
	defer func() { w.turn, w.earlier, w.broken = w.earlier, w.turn, broken }()
	last := &w.earlier
	for end := last.at; ; end = w.turn.at {
		items := r.Messages.Items[:w.lastAnswer(r.Messages.Items[:end])]
		switch {
		case w.walkTurn(r, items) != Computable:
			return dst
		case w.turn.names(last) && w.writeTurn() == Computable && bytes.Equal(w.turn.text, last.text):
			// What is hidden in each step of a run ends it no more than in others.
		case w.turnLost():
			return w.turn.appendPlace(dst, items)
		default:
			return dst
		}
	}
}

// appendPlace appends as JSON the id of a turn's last call, which stays the same where a
// client sends the last messages alone, or others at the beginning; or how many items there
// are up to it, where it has none or an earlier one has it, too.
func (t *turn) appendPlace(dst []byte, items []rawjson.Value) []byte {
	id := t.calls[len(t.calls)-1].ID
	if len(id) == 0 || slices.ContainsFunc(items[:t.at], func(item rawjson.Value) bool { return bytes.Contains(item, id) }) {
		return strconv.AppendInt(dst, int64(t.at+1), 10)
	}
	return rawjson.AppendString(dst, id)
}

// mayFollowLost tells at a glance whether the steps before the turn that begins at one of
// the items, up to the first that is another, may have a mark of what was lost: few have,
// and to read a step costs as much as the turn.
func (w *Writer) mayFollowLost(items []rawjson.Value, at int) bool {
	size, found := 0, 0
	for _, item := range items[at+1:] {
		if w.partOfStep(item) == resultPart {
			size += len(item)
		}
	}
	another := false // a call of another step, whose calls may be items of their own
	for i := at - 1; i >= 0; i-- {
		item := items[i]
		part := w.partOfStep(item)
		switch {
		case another && part != callPart:
			return false
		case part == noPart:
		case w.mayBeLost(item):
			return true
		case part == resultPart:
			found += len(item)
		case !w.turn.namedIn(item), found > 2*size+someIDs, found > 0 && size > 2*found+someIDs:
			if beginsWithRole(item) {
				return false
			}
			another = true
		default:
			found = 0
		}
	}
	return false
}

// stepPart is what a message is of a step.
type stepPart uint8

const (
	noPart     stepPart = iota // what people and models said
	resultPart                 // results
	callPart                   // calls
)

// partOfStep tells it at a glance of a message that begins with its role, as most clients
// write it: a long one is not read again.
func (w *Writer) partOfStep(item rawjson.Value) stepPart {
	if beginsWithRole(item) {
		switch behind := bytes.TrimPrefix(item[len(role):], []byte(" ")); {
		case chars.BeginsWithAny(behind, prompts):
			return noPart
		case bytes.HasPrefix(behind, []byte(`"tool"`)):
			return resultPart
		case callsIn(behind) >= 0:
			return callPart
		}
	}
	switch it := w.readItem(item); {
	case w.answers(it):
		return resultPart
	case w.callsTools(it):
		return callPart
	}
	return noPart
}

// beginsWithRole tells a message, which has all its calls in it, as most clients write it.
func beginsWithRole(item rawjson.Value) bool { return bytes.HasPrefix(item, role) }

// callsIn is where the calls of a message begin at a glance, as most clients write them,
// -1 if it has none. Their brackets are rare.
func callsIn(message []byte) int {
	at := bytes.Index(message, []byte("[{"))
	if at >= 0 && chars.EndsWithAny(message[:at], callsNames) {
		return at
	}
	return -1
}

var (
	role           = []byte(`{"role":`)
	prompts        = [][]byte{[]byte(`"system"`), []byte(`"user","content":"`), []byte(`"user", "content": "`)}
	textResults    = [][]byte{[]byte(`{"role":"tool","content":"`), []byte(`{"role": "tool", "content": "`)}
	betweenMembers = [][]byte{[]byte(`","`), []byte(`", "`)} // quotes in a text are escaped
	callsNames     = [][]byte{[]byte(`_calls":`), []byte(`_calls": `)}
)

// mayBeLost tells at a glance whether something was cut out of a message, or hidden: a
// text in it ends in what says so, or has a mark of that. Of a result that is a text only
// its own end is looked at, whatever stands beside it, and nothing before the calls of another.
func (w *Writer) mayBeLost(item rawjson.Value) bool {
	if chars.HasAny(item, marks) {
		return true
	}
	if end := endOfText(item); end >= 0 {
		return w.endsLost(item[:end])
	}
	at := max(0, callsIn(item))
	if at == 0 {
		if it := &w.keptItem(item).item; it.class == isResult && it.result().Kind() == rawjson.String {
			item = it.result()
			at = len(item) - 1
		}
	}
	for ; ; at++ {
		n := bytes.IndexByte(item[at:], '"')
		if n < 0 {
			return false
		}
		at += n
		if at+1 < len(item) && item[at+1] == ':' {
			continue // a name
		}
		if w.endsLost(item[:at]) {
			return true
		}
	}
}

// endOfText is the end of a result that is a text, as most clients write it, with the id
// of its call behind; -1 if that is not seen at a glance.
func endOfText(item rawjson.Value) int {
	if !chars.BeginsWithAny(item, textResults) {
		return -1
	}
	const members = 128 // that stand behind the text
	from := max(len(textResults[0]), len(item)-members)
	id := bytes.Index(item[from:], []byte(`_call_id":`))
	if id < 0 {
		return -1
	}
	before, _ := bytes.CutSuffix(item[:from+id], []byte(`"tool`))
	text, found := bytes.CutSuffix(bytes.TrimSuffix(before, []byte(" ")), []byte(`",`))
	if !found || chars.HasAny(text[min(from, len(text)):], betweenMembers) {
		return -1
	}
	return len(text)
}

// mayEndLost tells at a glance whether a text, in JSON or in JSON that is a text itself, may
// end before a quote in what says that it was hidden or cut.
func mayEndLost(before []byte) bool {
	n := len(before)
	if n > 1 && before[n-1] == '\\' {
		n--
	}
	if n < 2 {
		return false
	}
	switch before[n-1] {
	case ']', '>', '}', ')', '*', '_', 'D', 'd', 'E', 'e', 'm', '9': // brackets may be escaped
		return true
	case ' ':
		return before[n-2] != ':' && before[n-2] != ','
	case 'n', 'r', 't', 'f':
		return before[n-2] == '\\'
	}
	return false
}

// endsLost tells whether a text ends in what says that something was hidden or cut. It
// stands in JSON, or in JSON that is a text itself. In a body as it was sent a cut is the
// agent's own, unless that is all of the text.
func (w *Writer) endsLost(text []byte) bool {
	if !mayEndLost(text) {
		return false
	}
	text = trimEscaped(text)
	for hasEscaped(text) {
		// From the second time on it is in w.leaf, and gets shorter.
		w.leaf, _ = rawjson.AppendText(w.leaf[:0], text[max(0, len(text)-longestEscaped):])
		text = trimEscaped(w.leaf)
	}
	if len(text) == 0 {
		return false
	}
	if opening(text[len(text)-1]) == 0 {
		return chars.EndsWithAny(text, barePlaceholders)
	}
	_, label, _ := endLabel(text)
	cause := hidden(label)
	if cause == TruncatedContent && w.asSent {
		whole := text[bytes.LastIndexByte(text, '"')+1:]
		for range 2 { // JSON in JSON
			w.leaf, _ = rawjson.AppendText(w.leaf[:0], whole)
			whole = bytes.TrimSpace(w.leaf)
		}
		return lossOf(whole, true) != Computable
	}
	return cause != Computable
}

// hasEscaped tells whether characters at the end of a text in JSON may be escaped by their
// numbers.
func hasEscaped(text []byte) bool {
	return bytes.Contains(text[max(0, len(text)-longestPlaceholder):], []byte(`\u`))
}

// trimEscaped takes white space off the end of a text, also as it stands in JSON or in JSON
// that is a text itself, with what escapes the quote behind it.
func trimEscaped(text []byte) []byte {
	for n := len(text); n > 0; n = len(text) {
		switch c := text[n-1]; {
		case c == ' ' || c == '\\':
			text = text[:n-1]
		case n > 1 && text[n-2] == '\\' && chars.IsSpaceEscape(c):
			text = text[:n-2]
		default:
			return text
		}
	}
	return text
}

// someIDs is how much longer the results of a step may be for ids and times that are new
// in each; longer ones, which have more of these, may be twice as long.
const someIDs = 256

// namedIn tells whether the name of a tool that the turn calls is in a message: the
// arguments of the same call may be written otherwise, with other remarks.
func (t *turn) namedIn(item rawjson.Value) bool {
	return slices.ContainsFunc(t.calls, func(call ToolCall) bool { return bytes.Contains(item, call.Name) })
}

// lastAnswer is where the last of the items that carry results ends.
func (w *Writer) lastAnswer(items []rawjson.Value) int {
	end := len(items)
	for end > 0 && w.partOfStep(items[end-1]) != resultPart {
		end--
	}
	return end
}

// turnLost tells whether something was cut out of the turn, or hidden: it need not be all
// of its arguments. Cuts in a body as it was sent are the agent's own.
func (w *Writer) turnLost() bool {
	lost := func(v []byte) bool {
		w.leaves.Reset(v)
		cause, _ := w.lossOfLeaves(&w.leaves, w.asSent)
		return cause != Computable
	}
	return slices.ContainsFunc(w.turn.calls, func(call ToolCall) bool {
		return lossOf(bytes.TrimSpace(call.Arguments), w.asSent) != Computable || lost(call.Arguments)
	}) || slices.ContainsFunc(w.turn.results, func(result toolResult) bool { return lost(result.content) })
}

// names tells whether a turn calls the same tools as another.
func (t *turn) names(other *turn) bool {
	return slices.EqualFunc(t.calls, other.calls, func(a, b ToolCall) bool { return bytes.Equal(a.Name, b.Name) })
}
