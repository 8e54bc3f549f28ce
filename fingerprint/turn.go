package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// turn is the last assistant turn with tool calls, with the results that
// follow it.
type turn struct {
	calls   []ToolCall
	results []toolResult
	answers []int // of each call the index of its result, -1 if there is none

	ids  arena  // texts of the calls and results
	text []byte // the calls with their results as JSON, with commas between
	ends []int  // of each call in text

	message *byte // where the message of the calls stands in the line; nil if they are items of their own
	bare    []int // where each call in text would end if it had no result

	at    int    // where among the items the last of the calls stands
	since []byte // see sinceLost

	loose Cause // why the results of calls that are elsewhere cannot be written

	given []int  // the results that name their calls, by those names
	asked []int  // scratch of match and different
	taken []bool // of each result whether it is a call's by its id
}

type toolResult struct {
	of       []byte // id of the call it answers
	content  rawjson.Value
	isError  bool
	from, to int // of its member text in that of the turn, if it is a text alone
}

// lastTurn finds the last tool turn, and writes it as the identity at work
// does. The turn is kept in w, for the next identity that asks for it.
func (w *Writer) lastTurn(r *Request) Cause {
	plain := w.rules.plain()
	if w.turnKept && plain {
		return w.turnCause
	}
	w.turnCause = w.findTurn(r)
	switch {
	case w.turnCause == Computable:
		if w.turnCause = w.writeTurn(); w.turnCause == Computable {
			w.turn.since = w.sinceLost(w.turn.since[:0], r)
		}
	case w.turn.callsElsewhere():
		w.turn.loose = w.writeLoose()
	}
	w.turnKept = plain && !w.broken
	return w.turnCause
}

// findTurn finds the last tool turn: the request carries its own past. It
// walks back from the end over system messages, frames and results to the calls;
// a user message on the way means that the turn is over. Calls that nothing
// follows are the response, which some logs have among the messages: the turn
// is what they come after.
func (w *Writer) findTurn(r *Request) Cause {
	if cause := r.needMessages(); cause != Computable && (cause != HistoryElsewhere || !r.Messages.Logged) {
		w.turn.forget()
		return cause
	}
	return w.walkTurn(r, r.Messages.Items)
}

// walkTurn is findTurn among some of the items.
func (w *Writer) walkTurn(r *Request, items []rawjson.Value) Cause {
	t := &w.turn
	t.forget()
	i := len(items) - 1
	var it *item
	answer := false // the response has been passed
walk:
	for ; i >= 0; i-- {
		it = w.readItem(items[i])
		switch it.class {
		case isSystem, isAside:
		case isResult:
			if it.content.Kind() == rawjson.Array && mayHave(it.content, "tool_result") && w.blockResults(it) {
				break
			}
			t.results = append(t.results, toolResult{of: t.ids.keep(it.resultID), content: it.result()})
		case isUser:
			if !w.blockResults(it) && !w.isFrame(it) {
				if len(items) == 1 && w.placeholderIn(it.content) == RedactedContent {
					return RedactedContent // what LiteLLM leaves of any conversation
				}
				i = -1
				break walk
			}
		case isCall, isAssistant:
			if len(t.results) > 0 || !answer && !w.callsTools(it) {
				break walk
			}
			answer = true
		default:
			break walk
		}
	}
	slices.Reverse(t.results)
	if i < 0 {
		return t.none(r)
	}
	if it.class == isElsewhere {
		return HistoryElsewhere
	}
	t.sortResults()
	w.turnCalls(items, i)
	if len(t.calls) == 0 {
		return t.none(r)
	}
	t.match()
	t.at = i
	return Computable
}

func (t *turn) forget() {
	t.calls, t.results, t.ids, t.message = t.calls[:0], t.results[:0], t.ids[:0], nil
}

// none is why there is no turn: nothing was answered, or what was is not there.
func (t *turn) none(r *Request) Cause {
	switch {
	case r.Lost != Computable:
		return r.Lost
	case len(t.results) > 0:
		return LossyContent
	}
	return NoToolTurn
}

// match finds the result of each call: by its id, those of one id in their
// order. Both sides are sorted, not searched for each other: a line may hold a
// million of them.
func (t *turn) match() {
	t.asked, t.answers, t.taken = t.asked[:0], t.answers[:0], append(t.taken[:0], make([]bool, len(t.results))...)
	for k := range t.calls {
		t.answers = append(t.answers, -1)
		if len(t.calls[k].ID) > 0 {
			t.asked = append(t.asked, k)
		}
	}
	slices.SortStableFunc(t.asked, func(a, b int) int { return bytes.Compare(t.calls[a].ID, t.calls[b].ID) })
	i := 0
	for _, k := range t.asked {
		for i < len(t.given) && bytes.Compare(t.results[t.given[i]].of, t.calls[k].ID) < 0 {
			i++
		}
		if i < len(t.given) && bytes.Equal(t.results[t.given[i]].of, t.calls[k].ID) {
			t.answers[k], t.taken[t.given[i]] = t.given[i], true
			i++
		}
	}
	t.matchRest()
}

// matchRest gives the results that are left to the calls that are, in their
// order. Ids are left out on one side, or written anew: without its result a call
// would be the same each time.
func (t *turn) matchRest() {
	i := 0
	for k := range t.answers {
		if t.answers[k] >= 0 {
			continue
		}
		for i < len(t.taken) && t.taken[i] {
			i++
		}
		if i == len(t.taken) {
			return
		}
		t.answers[k] = i
		i++
	}
}

// sortResults sorts the results that name their calls.
func (t *turn) sortResults() {
	t.given = t.given[:0]
	for i := range t.results {
		if len(t.results[i].of) > 0 {
			t.given = append(t.given, i)
		}
	}
	slices.SortStableFunc(t.given, func(a, b int) int { return bytes.Compare(t.results[a].of, t.results[b].of) })
}

// isFrame tells whether a message is nothing but what an agent puts around others:
// AgentScope has its reminders in messages of their own, behind the results.
func (w *Writer) isFrame(it *item) bool {
	_, frames := w.cleaner.Unframe(w.onlyText(it.content).trim().logged())
	return frames != nil
}

// blockResults takes the tool_result blocks of a message, from the last to the
// first. A message that has some is their carrier, whatever text the client
// added.
func (w *Writer) blockResults(it *item) bool {
	if it.content.Kind() != rawjson.Array {
		return false
	}
	n := len(w.turn.results)
	s := &w.inner
	s.Reset(it.content)
	for s.Array(); s.NextElement(); {
		if b := readBlock(s); b.isToolResult() {
			w.turn.results = append(w.turn.results, toolResult{of: w.turn.ids.keep(b.of), content: b.result, isError: b.isError})
		}
	}
	w.check(s)
	slices.Reverse(w.turn.results[n:])
	return len(w.turn.results) > n
}

// turnCalls takes the calls of the turn that ends with items[i]: the last ones
// and, as long as more were answered than were found, those before them that some
// result names. What the model said beside its calls may stand behind them.
func (w *Writer) turnCalls(items []rawjson.Value, i int) {
	t := &w.turn
	i = w.takeCalls(items, i)
	for i >= 0 && len(t.calls) < len(t.given) {
		n := len(t.calls)
		if i = w.takeCalls(items, i); len(t.calls) > n {
			if !t.answered(n) {
				t.calls = t.calls[:n]
				break
			}
			t.message = nil
		}
	}
	slices.Reverse(t.calls)
}

// takeCalls takes the calls of the message items[i], if it is one, or those up to
// it that are items of their own, the last first. It returns where there may be
// more of the turn before them, -1 if nowhere.
func (w *Writer) takeCalls(items []rawjson.Value, i int) int {
	t := &w.turn
	n := len(t.calls)
	take := func(call ToolCall) {
		t.calls = append(t.calls, ToolCall{t.ids.keep(call.ID), t.ids.keep(call.Name), t.ids.keep(call.Arguments)})
	}
	for ; i >= 0; i-- {
		switch it := w.readItem(items[i]); it.class {
		case isAside:
		case isCall:
			if it.call.Name != nil {
				take(it.call)
			}
		case isAssistant:
			if len(t.calls) > n {
				return i
			}
			w.eachCall(it, take)
			if len(t.calls) == n {
				return i - 1
			}
			slices.Reverse(t.calls[n:])
			if n == 0 {
				t.message = &items[i][0]
			}
			return i - 1
		default:
			return -1
		}
	}
	return -1
}

// answered tells whether any call from one on has a result that names it.
func (t *turn) answered(from int) bool {
	return slices.ContainsFunc(t.calls[from:], func(call ToolCall) bool {
		_, found := slices.BinarySearchFunc(t.given, call.ID, func(i int, id []byte) int { return bytes.Compare(t.results[i].of, id) })
		return found
	})
}

// writeTurn writes the calls of the turn with their results.
func (w *Writer) writeTurn() Cause {
	t := &w.turn
	t.text, t.ends, t.bare = t.text[:0], t.ends[:0], t.bare[:0]
	for k, call := range t.calls {
		if cause := w.lossOfArguments(call.Arguments); cause != Computable {
			return cause
		}
		t.text = append(append(t.text, open(k, "")...), '{')
		t.text = w.appendCallMembers(t.text, call, false)
		t.bare = append(t.bare, len(t.text))
		if i := t.answers[k]; i >= 0 {
			t.text = append(t.text, ',')
			if cause := w.writeResult(&t.results[i]); cause != Computable {
				return cause
			}
		}
		t.text = append(t.text, '}')
		t.ends = append(t.ends, len(t.text))
	}
	return Computable
}

// writeLoose writes the results of a turn whose calls are elsewhere.
func (w *Writer) writeLoose() Cause {
	t := &w.turn
	t.text = t.text[:0]
	for k := range t.results {
		t.text = append(append(t.text, open(k, "")...), '{')
		if cause := w.writeResult(&t.results[k]); cause != Computable {
			return cause
		}
		t.text = append(t.text, '}')
	}
	return Computable
}

// writeResult writes a result of the turn as a member.
func (w *Writer) writeResult(r *toolResult) (cause Cause) {
	t := &w.turn
	t.text = append(t.text, `"result":`...)
	r.from = len(t.text) + len("{")
	if t.text, cause = w.appendResult(t.text, *r); cause == Computable {
		r.to = len(t.text) - len("}")
	}
	return cause
}

// textAt is the k-th call with its result as JSON.
func (t *turn) textAt(k int) []byte { return t.text[startOf(t.ends, k):t.ends[k]] }

// startOf is where the k-th of values begins that end there, with commas between.
func startOf(ends []int, k int) int {
	if k == 0 {
		return 0
	}
	return ends[k-1] + len(",")
}

// different are the calls of the turn but for those that are the same as one
// before, with the same result. They are sorted, as in match.
func (t *turn) different() []int {
	list := t.asked[:0]
	for k := range t.calls {
		list = append(list, k)
	}
	if len(list) > 1 {
		slices.SortStableFunc(list, func(a, b int) int { return bytes.Compare(t.textAt(a), t.textAt(b)) })
		list = slices.CompactFunc(list, func(a, b int) bool { return bytes.Equal(t.textAt(a), t.textAt(b)) })
		slices.Sort(list)
	}
	t.asked = list
	return list
}

// appendBare appends the calls of the turn without their results, with commas
// between.
func (t *turn) appendBare(dst []byte) []byte {
	for k, end := range t.bare {
		dst = append(dst, open(k, "")...)
		dst = append(append(dst, t.text[startOf(t.ends, k):end]...), '}')
	}
	return dst
}

// writtenResult is the member text of a message with a result of the turn, nil if it
// is of none, more than a text, or not written as the identity at work would. Only the
// last results are looked at: so are the last messages.
func (w *Writer) writtenResult(it *item) []byte {
	if !w.turnKept || !w.rules.plain() || it.class != isResult || it.content.Kind() != rawjson.String || it.output != nil {
		return nil
	}
	t := &w.turn
	for _, r := range t.results[max(0, len(t.results)-fewItems):] {
		if len(r.content) > 0 && &r.content[0] == &it.content[0] && r.to > r.from {
			return t.text[r.from:r.to]
		}
	}
	return nil
}

// hasTurn tells whether the last turn is there as the identity at work would
// write it.
func (w *Writer) hasTurn() bool {
	return w.turnKept && w.turnCause == Computable && w.rules.plain()
}

// Answered is the id of the first call of the request's last tool turn, nil if
// it has none or nothing computed since Reset looks at it. It is valid until the
// next request.
func (w *Writer) Answered() []byte {
	if !w.turnKept || w.turnCause != Computable {
		return nil
	}
	call := &w.turn.calls[0]
	if bytes.Equal(call.ID, call.Name) { // of Gemini, whose results name what was called
		return nil
	}
	return call.ID
}

// callsElsewhere tells that the request carries the results of the last turn
// and not its calls.
func (t *turn) callsElsewhere() bool { return len(t.results) > 0 && len(t.calls) == 0 }

// appendTurn appends the whole turn, or what of it is there, as a list.
func (w *Writer) appendTurn(dst []byte) []byte {
	return append(append(append(dst, '['), w.turn.text...), ']')
}
