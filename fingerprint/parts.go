package fingerprint

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// Part is one thing that a composed identity is made of. Its value is written
// as JSON.
type Part struct {
	Name   string // last_messages and attr take an argument behind a colon
	Reads  Field
	sees   Sight
	append partFunc
}

// partFunc appends the value of a part for r, or says why there is none. n and
// name are the part's argument.
type partFunc func(w *Writer, r *Request, dst []byte, n int, name string) ([]byte, Cause)

// Parts are the parts, in the order in which they stand in the canonical form.
// tool_call is the odd one: an identity with it gives a fingerprint per call.
var Parts = []Part{
	{"method", 0, 0, textPart(NoMethod, func(r *Request) []byte { return r.Method })},
	{"path", 0, 0, writtenPart(NoPath, func(r *Request) []byte { return r.Path }, (*Writer).appendMasked)}, // its case is kept, but masks apply: ids of jobs and threads stand in it
	{"query", ReadsQuery, 0, queryPart},                                               // query, names in order
	{"body", ReadsBody | ReadsMessages, SeesText | SeesAll, bodyPart},                 // request body as logged, or the hash that the log has of it; what was redacted in it stands in the messages
	{"caller", 0, 0, textPart(NoCaller, func(r *Request) []byte { return r.Caller })}, // API key, its hash or the consumer
	{"user", 0, 0, textPart(NoUser, func(r *Request) []byte { return r.User })},
	{"model", 0, 0, textPart(NoModel, func(r *Request) []byte { return r.Model })},       // model asked for
	{"backend", 0, 0, textPart(NoBackend, func(r *Request) []byte { return r.Backend })}, // provider
	{"session", 0, 0, textPart(NoSession, func(r *Request) []byte { return r.Session })},
	{"has_tools", ReadsTools, 0, toolsPart}, // whether tools were offered
	{"messages", ReadsMessages, SeesText | SeesAll, unlessCallIDs(messagesPart)},
	{"last_messages", ReadsMessages, SeesText, unlessCallIDs(messagesPart)},                  // the last N messages: last_messages:3
	{toolCallPart, ReadsMessages | ReadsResponse, SeesCalls, nil},                            // name and arguments of a call the model issued
	{"last_turn", ReadsMessages, SeesResults, unlessCallIDs(turnPart)},                       // the last tool calls with their results
	{lastExchangePart, ReadsMessages | ReadsResponse, SeesText, unlessCallIDs(exchangePart)}, // an answer that the model has given before, with what was said behind it, where that is no tool turn
	{"attr", ReadsAttributes, 0, attributePart},                                              // any other field of the log: attr:NAME
}

// PartNames are those of the parts, without their arguments.
func PartNames() []string { return namesOf(Parts, func(p *Part) string { return p.Name }) }

const toolCallPart = "tool_call"

// callerOrNone is the part caller for identities that can do without where a
// session is named: proxies log messages and not always who sent them, and a
// session is one caller's anyway. With neither, strangers would be taken for
// one. No policy can name it.
const callerOrNone = "caller or none"

var callerOrNonePart = Part{Name: "caller", append: func(w *Writer, r *Request, dst []byte, n int, name string) ([]byte, Cause) {
	if r.Caller == nil && r.hasSession() {
		return append(dst, "null"...), Computable
	}
	return Parts[callerOrder].append(w, r, dst, n, name)
}}

var callerOrder = slices.IndexFunc(Parts, func(p Part) bool { return p.Name == "caller" })

// textPart is a field of a request as it is.
func textPart(missing Cause, get func(*Request) []byte) partFunc {
	return writtenPart(missing, get, func(_ *Writer, dst, text []byte) []byte { return rawjson.AppendString(dst, text) })
}

// writtenPart is a field of a request as write appends it.
func writtenPart(missing Cause, get func(*Request) []byte, write func(w *Writer, dst, text []byte) []byte) partFunc {
	return func(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
		text := get(r)
		switch {
		case text == nil:
			return dst, missing
		case placeholder(text) != Computable:
			return dst, RedactedContent
		}
		return write(w, dst, text), Computable
	}
}

// unlessCallIDs is a part of messages, which mostly have no ids of calls. Where
// these alone are masked, it is written without the mask, as other identities
// have done or will, and only if it may have ids again with it.
func unlessCallIDs(part partFunc) partFunc {
	return func(w *Writer, r *Request, dst []byte, n int, name string) ([]byte, Cause) {
		mask := w.rules.mask
		if !mask.onlyCallIDs() {
			return part(w, r, dst, n, name)
		}
		w.rules.mask = nil
		out, cause := part(w, r, dst, n, name)
		w.rules.mask = mask
		if w.mayHaveCallIDs(out[len(dst):], n) {
			return part(w, r, dst, n, name)
		}
		return out, cause
	}
}

// mayHaveCallIDs is volatile.MayHaveCallID of what was written without a mask. Of the last
// n messages the answer is kept as they are.
func (w *Writer) mayHaveCallIDs(written []byte, n int) bool {
	if n == 0 || n != w.lastN || w.rules.lower {
		return volatile.MayHaveCallID(written)
	}
	if !w.sought {
		w.sought, w.found = true, volatile.MayHaveCallID(written)
	}
	return w.found
}

func queryPart(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	if r.Query.Raw == nil && r.Query.Object == nil && r.Path == nil {
		return dst, NoQuery // with a path and no query, the query is empty
	}
	return w.appendQuery(dst, &r.Query), Computable
}

func bodyPart(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	if r.BodyHash != nil {
		dst = append(dst, `{"hash":`...)
		return append(rawjson.AppendString(dst, r.BodyHash), '}'), Computable
	}
	cause := w.lossOfBody(r)
	switch {
	case cause != Computable:
		return dst, cause
	case r.Body == nil:
		return dst, cmp.Or(r.Lost, NoBody)
	}
	return w.appendText(dst, r.Body), Computable
}

func toolsPart(_ *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	switch r.HasTools {
	case Yes:
		return append(dst, "true"...), Computable
	case No:
		return append(dst, "false"...), Computable
	}
	return dst, NoTools
}

// messagesPart appends the last n messages, or all with n = 0. The last ones are
// kept, where they are plain, for the next identity that asks for them.
func messagesPart(w *Writer, r *Request, dst []byte, n int, _ string) ([]byte, Cause) {
	if n == 0 || !w.rules.plain() {
		return w.appendMessages(dst, r, n)
	}
	if w.lastN == n {
		return append(dst, w.last...), Computable
	}
	from := len(dst)
	dst, cause := w.appendMessages(dst, r, n)
	if cause == Computable && !w.broken {
		w.lastN, w.last, w.sought = n, append(w.last[:0], dst[from:]...), false
	}
	return dst, cause
}

// appendMessages appends the last n messages, or all with n = 0. The last ones
// begin with the calls that they have results of. Of a log that has only a digest
// of the prompt, that stands for the messages, all or some: nothing else is known
// of them.
func (w *Writer) appendMessages(dst []byte, r *Request, n int) ([]byte, Cause) {
	if r.Messages.Digest != nil {
		dst = append(dst, `{"digest":`...)
		return append(rawjson.AppendString(dst, r.Messages.Digest), '}'), Computable
	}
	if cause := r.needMessages(); cause != Computable {
		return dst, cause
	}
	items := r.Messages.Items
	if len(items) == 0 && (n > 0 || r.Messages.System == nil) {
		return dst, NoMessages
	}
	from, missing := w.lastOf(items, n)
	if r.Messages.Tail && (n == 0 || missing > 0) {
		return dst, LossyContent
	}
	if n > 0 {
		from, cause := w.withCalls(items, from, r.Messages.Tail)
		if cause != Computable {
			return dst, cause
		}
		items = items[from:]
	}
	dst = append(dst, '[')
	first := len(dst)
	w.said = r.Messages.System != nil && n == 0
	if n == 0 && r.Messages.System != nil {
		// Anthropic's system prompt stands outside the list.
		var cause Cause
		dst = append(dst, `{"system":{`...)
		if dst, cause = w.appendContent(dst, r.Messages.System, false); cause != Computable {
			return dst, cause
		}
		dst = append(closeObject(dst), '}')
	}
	return w.appendItems(dst, first, items)
}

// appendItems appends messages to a list whose first entry stands at first, and closes it.
func (w *Writer) appendItems(dst []byte, first int, items []rawjson.Value) ([]byte, Cause) {
	for _, item := range items {
		if w.readItem(item).class == isAside {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		var cause Cause
		if dst, cause = w.appendMessage(dst, item); cause != Computable {
			return dst, cause
		}
	}
	if !w.said {
		return dst, LossyContent // roles alone: a logger left the rest out
	}
	return append(dst, ']'), Computable
}

// lastOf is where the last n messages begin, and how many of them are missing.
// Reasoning that is an item of its own is none.
func (w *Writer) lastOf(items []rawjson.Value, n int) (from, missing int) {
	for from = len(items); from > 0 && n > 0; {
		from--
		if w.readItem(items[from]).class != isAside {
			n--
		}
	}
	return from, n
}

func turnPart(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	if cause := w.lastTurn(r); cause != Computable {
		return dst, cause
	}
	return w.appendSince(w.appendTurn(dst)), Computable
}

func attributePart(w *Writer, r *Request, dst []byte, _ int, name string) ([]byte, Cause) {
	value := r.Attribute(name)
	switch {
	case value == nil:
		return dst, NoAttribute
	case placeholder(value) != Computable:
		return dst, RedactedContent
	}
	return w.appendText(dst, value), Computable
}
