package fingerprint

import (
	"bytes"
	"strings"
)

// Results hold what is new each time, though a call fails in the same way: APIs
// name the request in their errors ("request_id": "req_011CQa", Request ID:
// 6a1f93c0), Python tells where in memory an object is (<A object at 0x7f3c2a1b>),
// Jupyter counts what was run (Cell In[7]), and temporary files have names that were
// drawn; with what failed, servers tell the time of day, and curl how fast it was.
// None is a part of a result.

// How long a request's id is, bytes. What is shorter is the number of something
// that is requested.
const (
	shortestRequestID = 8
	longestRequestID  = 128
)

// withoutNonces puts placeholders into the text of a result for what is new with
// each.
func (w *Writer) withoutNonces(t spoken) spoken {
	for i := range nonces {
		t = w.replaced(t, &nonces[i])
	}
	return t
}

// nonce is a kind of what is new with each result.
type nonce struct {
	// next finds from where to where one is, behind from; (-1, -1) if there is no
	// more. Of a text that stands in JSON it has to tell whether there is one. All
	// results pay for it.
	next        func(text []byte, from int) (start, end int)
	placeholder string
	tested      bool   // it counts in what failed or passed alone: see verdicts
	then        *nonce // is looked for where there was one; nil for none
}

var nonces = [...]nonce{
	{next: nextColour}, // first: one may stand in what the others look for
	{next: nextRequestID, placeholder: "<request-id>"},
	{next: nextAddress, placeholder: "<address>"},
	{next: nextCell, placeholder: "<number>"},
	{next: nextDebugLog, placeholder: "<timestamp>"},
	{next: nextDate, placeholder: "<timestamp>", tested: true},
	{next: nextMeter, placeholder: "<progress>", tested: true, then: &nonce{next: nextProgress, placeholder: "<progress>"}},
	{next: nextTemporary, placeholder: "<file>"},
	{next: nextSaved, placeholder: "<file>"},
}

// replaced puts placeholders for all nonces of a kind.
func (w *Writer) replaced(t spoken, kind *nonce) spoken {
	if start, _ := kind.next(t.text, 0); start < 0 || kind.tested && !hasVerdict(t.text) {
		return t
	}
	whole := w.decoded(t)
	n, from := len(w.bare), 0
	for {
		start, end := kind.next(whole, from)
		if start < 0 {
			break
		}
		w.bare = append(append(w.bare, whole[from:start]...), kind.placeholder...)
		from = end
	}
	w.bare = append(w.bare, whole[from:]...)
	t = spoken{text: w.bare[n:]}.trim()
	if kind.then != nil {
		t = w.replaced(t, kind.then)
	}
	return t
}

// nextRequestID finds what stands behind a name for a request's id: request_id,
// requestId, X-Request-Id and the like. It is found by a letter that most texts
// have few of.
func nextRequestID(text []byte, from int) (start, end int) {
	for at := from; ; {
		n := bytes.IndexByte(text[at:], 'q')
		if n < 0 {
			return -1, -1
		}
		at += n + 1
		if rest := at + lenNameBehindQ(text[at:]); rest > at && at >= from+len("req") && bytes.EqualFold(text[at-len("req"):at-1], []byte("re")) {
			between := lenSeparator(text[rest:])
			start = rest + between
			if n := lenRequestID(text[start:]); n > 0 && between > 0 {
				return start, start + n
			}
		}
	}
}

// lenNameBehindQ is how long the rest of such a name is, which text begins with; 0
// if there is none.
func lenNameBehindQ(text []byte) int {
	rest, found := cutFold(text, "uest")
	if !found {
		return 0
	}
	if len(rest) > 0 && (rest[0] == '_' || rest[0] == '-' || rest[0] == ' ') {
		rest = rest[1:]
	}
	if rest, found = cutFold(rest, "id"); !found {
		return 0
	}
	return len(text) - len(rest)
}

// cutFold takes a prefix in small or capital letters from a text.
func cutFold(text []byte, prefix string) (rest []byte, found bool) {
	if len(text) < len(prefix) || !bytes.EqualFold(text[:len(prefix)], []byte(prefix)) {
		return text, false
	}
	return text[len(prefix):], true
}

// lenSeparator is how much stands between a name and its value: quotes, which may
// be escaped, a colon or an equals sign, spaces. It is 0 for quotes alone.
func lenSeparator(text []byte) int {
	const most = 16
	n := 0
	for n < min(most, len(text)) && strings.IndexByte(`"'\:= `, text[n]) >= 0 {
		n++
	}
	if !bytes.ContainsAny(text[:n], ":= ") {
		return 0
	}
	return n
}

// lenRequestID is how long an id is that a text begins with, 0 if it begins with
// none: an id has digits and letters. Numbers count what is worked on: pull
// requests, requests for leave.
func lenRequestID(text []byte) int {
	n, digit, letter := 0, false, false
	for n < len(text) && n <= longestRequestID && (isWord(text[n]) || text[n] == '-') {
		digit = digit || isDigit(text[n])
		letter = letter || isLetter(text[n])
		n++
	}
	if !digit || !letter || n < shortestRequestID || n > longestRequestID {
		return 0
	}
	return n
}

// nextAddress finds where an object of Python's is in memory: " at 0x7f3c2a1b"
// behind the word, or before the end of its description. Debuggers are at others,
// one after the other.
func nextAddress(text []byte, from int) (start, end int) {
	const before = " at 0"
	for at := from; ; {
		n := bytes.IndexByte(text[at:], 'x')
		if n < 0 {
			return -1, -1
		}
		at += n + 1
		if start = at - len("0x"); start < from || !bytes.HasSuffix(text[:at-1], []byte(before)) {
			continue
		}
		n = matchHex(text[start:])
		if end = start + n; n == 0 || end < len(text) && isWord(text[end]) {
			continue
		}
		if bytes.HasSuffix(text[:start], []byte("object at ")) || end < len(text) && text[end] == '>' {
			return start, end
		}
	}
}

// nextCell finds the number of a cell of Jupyter's: "Cell In[7]".
func nextCell(text []byte, from int) (start, end int) {
	const before = "Cell In["
	for at := from; ; at++ {
		n := bytes.IndexByte(text[at:], 'C')
		if n < 0 {
			return -1, -1
		}
		at += n
		if !bytes.HasPrefix(text[at:], []byte(before)) {
			continue
		}
		start = at + len(before)
		if end = start + digits(text[start:], longestRequestID); end > start && bytes.HasPrefix(text[end:], []byte("]")) {
			return start, end
		}
	}
}

// nextDate finds the time of day in a header of HTTP: "Date: Wed, 25 Nov 2026
// 20:39:17 GMT".
func nextDate(text []byte, from int) (start, end int) {
	const date, before = "Wed, 25 Nov 2026 20:39:17 GMT", "date: "
	for at := from; ; at++ {
		n := bytes.IndexByte(text[at:], 'G')
		if n < 0 {
			return -1, -1
		}
		at += n
		end = at + len("GMT")
		start = end - len(date)
		if start-len(before) < from || !bytes.HasPrefix(text[at:], []byte("GMT")) || !bytes.EqualFold(text[start-len(before):start], []byte(before)) {
			continue
		}
		if clock := text[at-len("20:39:17 "):]; matchClockTime(clock) > 0 && bytes.HasPrefix(text[start+3:], []byte(", ")) {
			return start, end
		}
	}
}

// What the progress that curl shows has: a head of two lines, and columns, of which
// those of a time are not known at first.
const (
	meterHead    = "% Total    % Received % Xferd"
	meterColumns = " 0123456789:.-kMGT"
	meterUnknown = "--:--:--"
)

// nextMeter finds the head, and the lines that follow it. Agents trim what a
// command said: the spaces that the head begins with may be gone.
func nextMeter(text []byte, from int) (start, end int) {
	for at := from; ; at++ {
		n := bytes.IndexByte(text[at:], 'X')
		if n < 0 {
			return -1, -1
		}
		at += n
		start = at + len("Xferd") - len(meterHead)
		if start < from || !bytes.HasPrefix(text[start:], []byte(meterHead)) {
			continue
		}
		end = start
		for lines := 0; end < len(text); lines++ {
			line := text[end:]
			if n := bytes.IndexAny(line, "\r\n"); n >= 0 {
				line = line[:n+1]
			}
			if lines >= 2 {
				columns := line[:len(line)-len(bytes.TrimLeft(line, meterColumns+"\r\n"))]
				if len(columns) < len(line) {
					if bytes.Contains(columns, []byte(meterUnknown)) {
						end += len(columns)
					}
					break
				}
				if bytes.IndexByte(columns, ':') < 0 && len(bytes.TrimSpace(columns)) > 0 {
					break
				}
			}
			end += len(line)
		}
		return start, end
	}
}

// nextProgress finds a line of it among what curl says of the connection (curl -v).
func nextProgress(text []byte, from int) (start, end int) {
	for at := from; ; {
		n := bytes.Index(text[at:], []byte(meterUnknown))
		if n < 0 {
			return -1, -1
		}
		start = at + bytes.LastIndexAny(text[at:at+n], "\r\n") + 1
		at += n + len(meterUnknown)
		columns := text[start : at-len(meterUnknown)]
		if len(columns) > 0 && len(bytes.Trim(columns, meterColumns)) == 0 && (start == 0 || text[start-1] == '\r' || text[start-1] == '\n') {
			return start, len(text) - len(bytes.TrimLeft(text[at:], meterColumns))
		}
	}
}
