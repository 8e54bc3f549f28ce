package volatile

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Results hold what is new each time, though a call fails in the same way: APIs
// name the request in their errors ("request_id": "req_011CQa", Request ID:
// 6a1f93c0, "traceId": "00-4bf92f35"), Python tells where in memory an object is
// (<A object at 0x7f3c2a1b>), Jupyter counts what was run (Cell In[7]), and temporary
// files have names that were drawn; with what failed, servers tell the time, and curl
// how fast it was. None is a part of a result.

// How long a request's id is, bytes. What is shorter is the number of something
// that is requested.
const (
	shortestRequestID = 8
	longestRequestID  = 128
)

// mostRefusal is how long a text is in which what a server refused is looked for
// that texts have the bigram of more often, bytes: longer ones pay no more for it.
const mostRefusal = 1 << 10

// nonce is a kind of what is new with each result.
type nonce struct {
	// bigram is in each. Results that have it pay for looking for mark, which is in each, too.
	bigram bigram
	mark   []byte
	// span is from where to where one is new whose mark stands at text[at:]; empty
	// if that is none. Of a text that stands in JSON it has to tell whether there
	// is one.
	span        func(text []byte, at int) (start, end int)
	placeholder string
	least, most int               // bytes of a text that has one; 0 for any
	only        func([]byte) bool // tells of a text whether one counts in it; nil for in all
	then        *nonce            // is looked for where there was one; nil for none
}

var nonces = [...]nonce{
	{bigram: bigram{"\x1bb", "["}, mark: []byte("["), span: spanColour}, // first: one may stand in what the others look for
	{bigram: bigram{"eE", "q"}, mark: []byte("q"), span: spanRequestID, placeholder: "<request-id>"},
	{bigram: bigram{"I", "dD"}, mark: []byte("I"), span: spanTraceID, placeholder: "<request-id>", most: mostRefusal},
	{bigram: bigram{"_", "i"}, mark: []byte("_id"), span: spanTraceID, placeholder: "<request-id>", most: mostRefusal},
	{bigram: bigram{"-", "i"}, mark: []byte("-id"), span: spanTraceID, placeholder: "<request-id>", most: mostRefusal},
	{bigram: bigram{"<", "H"}, mark: []byte("<HostId>"), span: spanHostID, placeholder: "<request-id>"},
	{bigram: bigram{"0", "x"}, mark: []byte("x"), span: spanAddress, placeholder: "<address>"},
	{bigram: bigram{"n", "["}, mark: beforeCell, span: spanCell, placeholder: "<number>"},
	{bigram: bigram{"Z", "-"}, mark: []byte("Z-debug"), span: spanDebugLog, placeholder: "<timestamp>"},
	{bigram: bigram{decimals, "T"}, mark: []byte("T"), span: spanWhen(len("2026-11-21")), placeholder: "<timestamp>", most: mostRefusal, only: isRefusal}, // behind the ids of requests
	{bigram: bigram{decimals, "Z"}, mark: []byte("Z"), span: spanWhen(len("2026-11-21 10:00:00")), placeholder: "<timestamp>", most: mostRefusal, only: isRefusal},
	{bigram: bigram{"-", "2"}, mark: []byte("--20"), span: spanWget, placeholder: "<timestamp>", most: mostRefusal, then: &nonce{mark: []byte(" ERROR "), span: spanWgetError, placeholder: "<timestamp>"}},
	{bigram: bigram{"G", "M"}, mark: []byte("GMT"), span: spanDate, placeholder: "<timestamp>", only: hasVerdict},
	{bigram: bigram{"X", "f"}, mark: []byte("Xferd"), span: spanMeter, placeholder: "<progress>", only: hasVerdict, then: &nonce{mark: meterUnknown, span: spanProgress, placeholder: "<progress>"}},
	{bigram: bigram{"q", "u"}, mark: []byte("questions"), span: spanResponseTime, placeholder: "<duration>"},
	{bigram: bigram{"o", "k"}, mark: []byte("k"), span: spanTook, placeholder: "<duration>"},
	{bigram: bigram{"/", "t"}, mark: []byte("/tmp"), span: spanTemporary, placeholder: "<file>"},
	{bigram: bigram{"u", "l"}, mark: beforeSaved, span: spanSaved, placeholder: "<file>", least: leastShortened},
}

// withoutNonces puts placeholders into the text of a result for what is new with
// each. It tells what the rest may have.
func (c *Cleaner) withoutNonces(t Text) (_ Text, may bigrams) {
	may = bigramsIn(t.Bytes)
	for i := range nonces {
		if may&(1<<i) == 0 {
			continue
		}
		if less, found := c.withoutKind(t, &nonces[i]); found {
			t, may = less, bigramsIn(less.Bytes)
		}
	}
	return t, may
}

func (c *Cleaner) withoutKind(t Text, kind *nonce) (less Text, found bool) {
	most := kind.most
	if t.Verbatim {
		most *= len(`\n`) // as it is if all of it is escaped
	}
	if most > 0 && len(t.Bytes) > most {
		return t, false
	}
	if start, _ := kind.next(t.Bytes, 0); start < 0 || kind.only != nil && !kind.only(t.Bytes) {
		return t, false
	}
	whole := c.Decoded(t)
	if kind.most > 0 && len(whole) > kind.most {
		return t, false
	}
	t = Text{Bytes: c.without(whole, kind)}
	if kind.then != nil {
		t, _ = c.withoutKind(t, kind.then)
	}
	return t, true
}

// without puts the placeholder for each one in a text.
func (c *Cleaner) without(whole []byte, kind *nonce) []byte {
	return c.replaced(whole, func(text []byte, from int) (start, end int, placeholder string) {
		start, end = kind.next(text, from)
		return start, end, kind.placeholder
	})
}

// next finds the first one behind from; it is (-1, -1) if there is none.
func (k *nonce) next(text []byte, from int) (start, end int) {
	if len(text) < k.least {
		return -1, -1
	}
	for at := from; ; at++ {
		n := bytes.Index(text[at:], k.mark)
		if n < 0 {
			return -1, -1
		}
		at += n
		if start, end = k.span(text, at); start >= from && end > start {
			return start, end
		}
	}
}

// replaced puts placeholders for all that next finds: from where to where, behind
// from; start is -1 if there is no more.
func (c *Cleaner) replaced(whole []byte, next func(text []byte, from int) (start, end int, placeholder string)) []byte {
	n, from := len(c.made), 0
	for {
		start, end, placeholder := next(whole, from)
		if start < 0 {
			break
		}
		c.made = append(append(c.made, whole[from:start]...), placeholder...)
		from = end
	}
	c.made = append(c.made, whole[from:]...)
	return bytes.TrimSpace(c.made[n:])
}

// spanRequestID is what stands behind a name for a request's id: request_id,
// requestId, X-Request-Id and the like.
func spanRequestID(text []byte, at int) (start, end int) {
	const before = "re"
	rest, found := cutFold(text[at+1:], "uest")
	if !found || at < len(before) || !bytes.EqualFold(text[at-len(before):at], []byte(before)) {
		return 0, 0
	}
	return spanBehindID(text, len(text)-len(rest))
}

// traceNames are what the id of a request's trace is the id of.
var traceNames = [...]string{"trace", "correlation", "ray"} // ray: Cloudflare

// spanTraceID is what stands behind a name for that: traceId, trace_id, Correlation
// ID and the like, of which the id stands at text[at:].
func spanTraceID(text []byte, at int) (start, end int) {
	last := at - 1 // of the name
	if last >= 0 && (text[last] == '_' || text[last] == '-' || text[last] == ' ') {
		last--
	}
	for _, name := range traceNames {
		from := last + 1 - len(name)
		if from >= 0 && text[last]|' ' == name[len(name)-1] && bytes.EqualFold(text[from:last+1], []byte(name)) && (from == 0 || !chars.IsLetter(text[from-1])) {
			return spanBehindID(text, at)
		}
	}
	return 0, 0
}

// spanBehindID is what stands behind the rest of such a name, which stands at
// text[at:]: an id, in small or capital letters.
func spanBehindID(text []byte, at int) (start, end int) {
	rest := text[at:]
	if len(rest) > 0 && (rest[0] == '_' || rest[0] == '-' || rest[0] == ' ') {
		rest = rest[1:]
	}
	rest, found := cutFold(rest, "id")
	between := lenSeparator(rest)
	if !found || between == 0 {
		return 0, 0
	}
	rest = rest[between:]
	start = len(text) - len(rest)
	return start, start + lenRequestID(rest)
}

// spanHostID is what S3 writes beside the id of a request, in Base64:
// <HostId>Txa2cbhz/Kk=</HostId>.
func spanHostID(text []byte, at int) (start, end int) {
	start = at + len("<HostId>")
	id := text[start:min(len(text), start+longestRequestID)]
	return start, start + max(0, bytes.Index(id, []byte("</")))
}

// cutFold takes a prefix in small or capital letters from a text.
func cutFold(text []byte, prefix string) (rest []byte, found bool) {
	if len(text) < len(prefix) || !bytes.EqualFold(text[:len(prefix)], []byte(prefix)) {
		return text, false
	}
	return text[len(prefix):], true
}

// lenSeparator is how much stands between a name and its value: quotes, which may
// be escaped, a colon or an equals sign, spaces, the end of a tag, the asterisks of
// Markdown. It is 0 for quotes or asterisks alone.
func lenSeparator(text []byte) int {
	const most = 16
	n := 0
	for n < min(most, len(text)) && strings.IndexByte(`"'\:= >*`, text[n]) >= 0 {
		n++
	}
	if !bytes.ContainsAny(text[:n], ":= >") {
		return 0
	}
	return n
}

// lenRequestID is how long an id is that a text begins with, 0 if it begins with
// none: an id has digits and letters. Numbers count what is worked on: pull
// requests, requests for leave.
func lenRequestID(text []byte) int {
	n, digit, letter := 0, false, false
	for n < len(text) && n <= longestRequestID && (chars.IsWord(text[n]) || text[n] == '-') {
		digit = digit || chars.IsDigit(text[n])
		letter = letter || chars.IsLetter(text[n])
		n++
	}
	if !digit || !letter || n < shortestRequestID || n > longestRequestID {
		return 0
	}
	return n
}

// spanAddress is where an object of Python's is in memory: " at 0x7f3c2a1b" behind
// the word, or before the end of its description. Debuggers are at others, one
// after the other.
func spanAddress(text []byte, at int) (start, end int) {
	if !bytes.HasSuffix(text[:at], []byte(" at 0")) {
		return 0, 0
	}
	start = at - 1
	end = start + MatchHex(text[start:])
	if end < len(text) && chars.IsWord(text[end]) || !bytes.HasSuffix(text[:start], []byte("object at ")) && (end == len(text) || text[end] != '>') {
		return 0, 0
	}
	return start, end
}

var beforeCell = []byte("Cell In[")

// spanCell is the number of a cell of Jupyter's: "Cell In[7]".
func spanCell(text []byte, at int) (start, end int) {
	start = at + len(beforeCell)
	if end = start + chars.Digits(text[start:], longestRequestID); !bytes.HasPrefix(text[end:], []byte("]")) {
		return 0, 0
	}
	return start, end
}

// spanDate is the time of day in a header of HTTP: "Date: Wed, 25 Nov 2026
// 20:39:17 GMT".
func spanDate(text []byte, at int) (start, end int) {
	const date, before = "Wed, 25 Nov 2026 20:39:17 GMT", "date: "
	end = at + len("GMT")
	start = end - len(date)
	if start < len(before) || !bytes.EqualFold(text[start-len(before):start], []byte(before)) ||
		matchClockTime(text[at-len("20:39:17 "):]) == 0 || !bytes.HasPrefix(text[start+len("Wed"):], []byte(", ")) {
		return 0, 0
	}
	return start, end
}

// What the progress that curl shows has: a head of two lines, and columns, of which
// those of a time are not known at first.
const (
	meterHead      = "% Total    % Received % Xferd"
	meterColumns   = " 0123456789:.-kMGT"
	longestColumns = 128
)

var meterUnknown = []byte("--:--:--")

// spanMeter is the head, and the lines that follow it. Agents trim what a command
// said: the spaces that the head begins with may be gone.
func spanMeter(text []byte, at int) (start, end int) {
	if start = at + len("Xferd") - len(meterHead); start < 0 || !bytes.HasPrefix(text[start:], []byte(meterHead)) {
		return 0, 0
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
				if bytes.Contains(columns, meterUnknown) {
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

// spanProgress is a line of it among what curl says of the connection (curl -v),
// by the first time in it that is not known.
func spanProgress(text []byte, at int) (start, end int) {
	least := max(0, at-longestColumns)
	start = least + bytes.LastIndexAny(text[least:at], "\r\n") + 1
	columns := text[start:at]
	if start == least && least > 0 || len(columns) == 0 || len(bytes.Trim(columns, meterColumns)) > 0 || bytes.Contains(columns, meterUnknown) {
		return 0, 0
	}
	return start, len(text) - len(bytes.TrimLeft(text[at:], meterColumns))
}
