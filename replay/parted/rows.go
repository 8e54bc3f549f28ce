package parted

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Columns of a row, with tabs between them: one per rule, request and
// fingerprint. They hold digits, hex and nothing else, since what carries them
// may take other text apart. Texts are the hex of their UTF-8; what is not
// logged is empty.
const (
	colRule = iota // text
	colScope
	colFingerprint
	colTime     // microseconds
	colLog      // number of the log, in the order of their names
	colSeq      // of the request in its log
	colOrdinal  // of the fingerprint in its request
	colOverride // number of the override in force
	colStatus
	colTokensIn
	colTokensOut
	colCost
	colSession // text, as those below
	colCaller
	colUser
	colModel
	colBackend
	colMethod
	colPath
	colTool
	colValues // of the scope: field:value,field:value
	columns
)

// maxRow bounds a row: beyond it something is wrong. The longest line of a log has
// 64 MiB; its texts may stand there twice, and hex has two digits a byte.
const maxRow = 4 * 64 << 20

// rows reads the rows of a part.
type rows struct {
	in     *bufio.Reader
	long   []byte // a row that in has no room for
	line   int64
	plan   *window.Plan
	rules  map[string]int // by the hex of their names
	keying window.Keying

	cells [columns][]byte
	last  [colOrdinal + 1][]byte // of the row before
	names map[string]string      // texts that come again and again, by their hex
	event window.Event
	one   [1]fingerprint.Fingerprint
	tool  [1]string
	err   error // the first of a row
}

func newRows(in io.Reader, plan *window.Plan, keying window.Keying) *rows {
	r := &rows{in: bufio.NewReaderSize(in, 1<<20), plan: plan, keying: keying, rules: map[string]int{}, names: map[string]string{}}
	for i, rule := range plan.Rules {
		r.rules[strings.ToUpper(hex.EncodeToString([]byte(rule.Name)))] = i
	}
	r.event = window.Event{
		Prints: make([]window.Prints, len(plan.Identities)), Scopes: make([]window.Scope, len(plan.Scopes)),
		Rules: slices.Repeat([]window.Choice{window.NotMatched}, len(plan.Rules)),
	}
	return r
}

// next is the next row, as an event that its rule alone looks at; io.EOF after
// the last. It is valid until the next call.
func (r *rows) next() (rule int, ev *window.Event, err error) {
	line, err := r.in.ReadSlice('\n')
	r.line++
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.goOn(line)
	}
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return 0, nil, io.EOF
	case errors.Is(err, bufio.ErrBufferFull):
		return 0, nil, r.wrong("longer than %d bytes", maxRow)
	case errors.Is(err, io.EOF):
		return 0, nil, r.wrong("ends within the row: some is missing")
	case err != nil:
		return 0, nil, err
	}
	if n := bytes.Count(line, []byte{'\t'}) + 1; n != columns {
		return 0, nil, r.wrong("%d columns, not %d", n, columns)
	}
	rest := line[:len(line)-1]
	for i := range columns {
		r.cells[i], rest, _ = bytes.Cut(rest, []byte{'\t'})
	}
	rule, ok := r.rules[string(r.cells[colRule])]
	if !ok {
		name := r.text(colRule)
		return 0, nil, cmp.Or(r.err, r.wrong("rule %q is not in the policy: give the policy that the events were written with", name))
	}
	if err := r.build(rule); err != nil {
		return 0, nil, err
	}
	if err := r.sorted(); err != nil {
		return 0, nil, err
	}
	return rule, &r.event, nil
}

// goOn reads the rest of a row that begins like this.
func (r *rows) goOn(begin []byte) (line []byte, err error) {
	r.long = append(r.long[:0], begin...)
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull) && len(r.long) <= maxRow; {
		var more []byte
		more, err = r.in.ReadSlice('\n')
		r.long = append(r.long, more...)
	}
	return r.long, err
}

// wrong says what is wrong with the row.
func (r *rows) wrong(format string, args ...any) error {
	return fmt.Errorf("row %d: "+format, append([]any{r.line}, args...)...)
}

func (r *rows) show(col int) string { return strconv.Quote(string(r.cells[col])) }

// sorted checks that the row stands behind the one before.
func (r *rows) sorted() error {
	order := cmp.Or(bytes.Compare(r.last[colRule], r.cells[colRule]), bytes.Compare(r.last[colScope], r.cells[colScope]))
	by := "rule, scope"
	if r.keying == window.ByScopeAndFingerprint {
		order = cmp.Or(order, bytes.Compare(r.last[colFingerprint], r.cells[colFingerprint]))
		by += ", fingerprint"
	}
	for col := colTime; order == 0 && col <= colOrdinal; col++ {
		order = cmp.Compare(number(r.last[col]), number(r.cells[col]))
	}
	switch {
	case order < 0: // as the first does, before which is none
	case order == 0:
		return r.wrong("stands there twice")
	default:
		return r.wrong("stands before the row above it: sort by %s, time, log, seq, ordinal", by)
	}
	for i := range r.last {
		r.last[i] = append(r.last[i][:0], r.cells[i]...)
	}
	return nil
}

// number reads what build has found to be one.
func number(digits []byte) int64 {
	n, _ := strconv.ParseInt(string(digits), 10, 64)
	return n
}

func (r *rows) build(rule int) error {
	ev := &r.event
	for i := range ev.Rules {
		ev.Rules[i] = window.NotMatched
	}
	ev.Rules[rule] = window.Choice(r.integer(colOverride, int64(window.Plain), 0, int64(len(r.plan.Rules[rule].Overrides))-1))
	ev.Time, ev.Start = r.integer(colTime, 0, math.MinInt64, math.MaxInt64), fingerprint.NoTime
	ev.Position = fingerprint.Position{Stream: int32(r.integer(colLog, 0, 0, math.MaxInt32)), Offset: r.integer(colSeq, 0, 0, math.MaxInt64)}
	for _, col := range []int{colTime, colLog, colSeq, colOrdinal} {
		if len(r.cells[col]) == 0 {
			return r.wrong("column %d is empty", col+1)
		}
	}
	r.integer(colOrdinal, 0, 0, math.MaxInt32)
	ev.Status = int(r.integer(colStatus, fingerprint.Unknown, 0, math.MaxInt32))
	ev.TokensIn = r.integer(colTokensIn, fingerprint.Unknown, 0, math.MaxInt64)
	ev.TokensOut = r.integer(colTokensOut, fingerprint.Unknown, 0, math.MaxInt64)
	ev.Cost = math.NaN()
	if cell := r.cells[colCost]; len(cell) > 0 {
		var err error
		if ev.Cost, err = strconv.ParseFloat(string(cell), 64); err != nil {
			return r.wrong("cost %s is no number", r.show(colCost))
		}
	}
	ev.Session, ev.Caller, ev.User, ev.Model, ev.Backend = r.text(colSession), r.text(colCaller), r.text(colUser), r.text(colModel), r.text(colBackend)
	ev.Method, ev.Path = r.text(colMethod), r.text(colPath)
	var ok bool
	if r.one[0], ok = fingerprint.Parse(string(r.cells[colFingerprint])); !ok {
		return r.wrong("%s is no fingerprint", r.show(colFingerprint))
	}
	r.tool[0] = r.text(colTool)
	ev.Prints[r.plan.IdentityOf(rule)] = window.Prints{Fingerprints: r.one[:], Tools: r.tool[:]}
	return cmp.Or(r.scope(&ev.Scopes[r.plan.ScopeOf(rule)], r.plan.Rules[rule].Scope.Fields), r.err)
}

func (r *rows) scope(s *window.Scope, fields []string) error {
	if cell := r.cells[colScope]; len(cell) != 2*len(s.Key) {
		return r.wrong("%s is no key of a scope", r.show(colScope))
	} else if _, err := hex.Decode(s.Key[:], cell); err != nil {
		return r.wrong("%s is no key of a scope", r.show(colScope))
	}
	s.Values = s.Values[:0]
	for _, field := range fields {
		value, ok := "", false
		for pair := range bytes.SplitSeq(r.cells[colValues], []byte{','}) {
			if name, text, _ := bytes.Cut(pair, []byte{':'}); r.decode(name) == field {
				value, ok = r.decode(text), true
			}
		}
		if !ok {
			return r.wrong("there is no value for scope field %s", field)
		}
		s.Values = append(s.Values, value)
	}
	return nil
}

// integer is a column's number from least to most, or none if it is empty.
func (r *rows) integer(col int, none, least, most int64) int64 {
	cell := r.cells[col]
	if len(cell) == 0 {
		return none
	}
	n, err := strconv.ParseInt(string(cell), 10, 64)
	if err != nil || n < least || n > most {
		r.err = cmp.Or(r.err, r.wrong("column %d: %s is no number from %d to %d", col+1, r.show(col), least, most))
	}
	return n
}

func (r *rows) text(col int) string { return r.decode(r.cells[col]) }

// maxNames and maxName bound the table of texts: a session may have a name of a
// megabyte, and each another.
const (
	maxNames = 1 << 15
	maxName  = 256 // bytes of its hex
)

func (r *rows) decode(digits []byte) string {
	if len(digits) == 0 {
		return ""
	}
	if s, ok := r.names[string(digits)]; ok {
		return s
	}
	if len(r.names) >= maxNames {
		clear(r.names)
	}
	b, err := hex.AppendDecode(nil, digits)
	if err != nil {
		r.err = cmp.Or(r.err, r.wrong("%q is not hex", digits))
	}
	s := string(b)
	if len(digits) <= maxName {
		r.names[string(digits)] = s
	}
	return s
}
