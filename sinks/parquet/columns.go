package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// eventColumns reads the rows of an events file column by column. Rows of one
// request repeat what they say of it: those columns are looked at in the first
// alone, and not at all if nobody asks.
type eventColumns struct {
	groups  *group // the next one
	rows    int64  // of the group
	row     int64  // the one of the group that comes next
	done    int64  // rows of the groups before
	fetched int64  // the row up to which fetch has done its work
	first   byte   // so that it is work
	total   int64
	passed  []span // of the row groups that are passed over, those not behind
	counted int64  // the events in all of these

	// Of every row.
	each        set
	seq         numbers[int64]
	identity    texts[string]
	identityNo  numbers[int32]
	ordinal     numbers[int32]
	fingerprint texts[fingerprint.Fingerprint]
	cause       texts[fingerprint.Cause]
	tool        texts[string]

	// Of the first row of a request.
	request                                             set
	time, start                                         numbers[int64]
	method, path, caller, user, session, model, backend texts[string]
	status                                              numbers[int32]
	tokensIn, tokensOut, maxTokens                      numbers[int64]
	cost                                                numbers[float64]
	streamed, cached, answered                          numbers[fingerprint.Tri]
	scopeField, scopeValue                              texts[string]
	scopesIndex                                         numbers[int32]
	scopesKey                                           texts[fingerprint.ScopeKey]
	scopesCause                                         texts[fingerprint.Cause]
	scopesFellBack                                      numbers[fingerprint.Tri]

	// Of the first row of a request, where origins are asked for.
	origin       set
	line, offset numbers[int64]
	stream, item numbers[int32]
	id           texts[string]

	// Of the first row of a request, where some choice is asked for.
	choices  set
	rule     texts[string]
	override numbers[int32]

	names map[string]string // texts that come again and again, once each
}

// set are columns that are looked at together.
type set struct {
	columns []named
	group   *group
	begun   bool
	end     int64 // the first row that is not at hand in some of them
}

// named is a column with its path in the file.
type named struct {
	name string
	loader
}

type loader interface {
	is(leaf *parquet.Column)
	begin(g *group) error
	load(row int64) error
	ends() int64
	close()
}

// begin goes to a row group.
func (s *set) begin(g *group) { s.group, s.begun, s.end = g, false, 0 }

// reach makes a row one of those at hand.
func (s *set) reach(row int64) error {
	if row < s.end {
		return nil
	}
	if !s.begun {
		for _, c := range s.columns { // all first: the pages of one are unpacked beside those of others
			if err := c.begin(s.group); err != nil {
				return err
			}
		}
		s.begun = true
	}
	s.end = math.MaxInt64
	for _, c := range s.columns {
		if err := c.load(row); err != nil {
			return err
		}
		s.end = min(s.end, c.ends())
	}
	return nil
}

func newEventColumns() *eventColumns {
	e := &eventColumns{names: map[string]string{}}
	cause := func(text string) (fingerprint.Cause, error) {
		c, ok := fingerprint.ParseCause(text)
		if !ok {
			return c, fmt.Errorf("cause %q is not known", text)
		}
		return c, nil
	}
	print := func(text string) (fingerprint.Fingerprint, error) {
		f, ok := fingerprint.Parse(text)
		if !ok {
			return f, fmt.Errorf("%q is no fingerprint", text)
		}
		return f, nil
	}
	shared := func(t *texts[string]) loader { return t.parsed(e.share) }
	whole := func(text string) (string, error) { return text, nil }
	e.id.keeps = true // hardly any comes twice
	e.each.columns = []named{
		{"seq", &e.seq},
		{"identity", shared(&e.identity)},
		{"identity_index", &e.identityNo},
		{"ordinal", &e.ordinal},
		{"fingerprint", e.fingerprint.parsed(print)},
		{"cause", e.cause.parsed(cause)},
		{"tool", shared(&e.tool)},
	}
	e.request.columns = []named{
		{"time", &e.time},
		{"start", &e.start},
		{"method", shared(&e.method)},
		{"path", shared(&e.path)},
		{"caller", shared(&e.caller)},
		{"user", shared(&e.user)},
		{"session", shared(&e.session)},
		{"model", shared(&e.model)},
		{"backend", shared(&e.backend)},
		{"status", e.status.or(fingerprint.Unknown)},
		{"tokens_in", e.tokensIn.or(fingerprint.Unknown)},
		{"tokens_out", e.tokensOut.or(fingerprint.Unknown)},
		{"cost", e.cost.or(math.NaN())},
		{"streamed", &e.streamed},
		{"cached", &e.cached},
		{"answered", &e.answered},
		{"max_tokens", e.maxTokens.or(fingerprint.Unknown)},
		{"scope.list.element.field", shared(&e.scopeField)},
		{"scope.list.element.value", shared(&e.scopeValue)},
		{"scopes.list.element.index", e.scopesIndex.or(noNumber)},
		{"scopes.list.element.key", e.scopesKey.parsed(scopeKey)},
		{"scopes.list.element.cause", e.scopesCause.parsed(cause)},
		{"scopes.list.element.fell_back", &e.scopesFellBack},
	}
	e.origin.columns = []named{
		{"stream", &e.stream},
		{"line", &e.line},
		{"offset", &e.offset},
		{"item", &e.item},
		{"id", e.id.parsed(whole)},
	}
	e.choices.columns = []named{{"rules.list.element.rule", shared(&e.rule)}, {"rules.list.element.override", e.override.or(noNumber)}}
	return e
}

// open goes to the beginning of a file that beginEvents has opened, of which all is
// wanted if nothing is sought.
func (e *eventColumns) open(file *parquet.File, sought *window.Sought) error {
	e.groups, e.total, e.row, e.rows, e.done = nil, file.NumRows(), 0, 0, 0
	e.passed, e.counted = e.passed[:0], 0
	for _, s := range e.sets() {
		for _, c := range s.columns {
			c.is(columnOf(file, c.name))
		}
	}
	last := &e.groups
	for _, g := range groupsOf(file) {
		passed, err := e.pass(g, sought)
		if err == nil && !passed {
			err = g.check()
		}
		if err != nil {
			return err
		}
		if passed {
			e.total -= g.rows
			continue
		}
		*last, last = g, &g.next
	}
	return nil
}

func (e *eventColumns) sets() [4]*set { return [...]*set{&e.each, &e.request, &e.origin, &e.choices} }

// begin goes to the first row of the next row group; io.EOF after the last.
func (e *eventColumns) begin() error {
	e.done += e.rows
	e.row, e.rows, e.fetched = 0, 0, 0
	if e.groups == nil {
		return io.EOF
	}
	g := e.groups
	e.rows, e.groups = g.rows, g.next
	for _, s := range e.sets() {
		s.begin(g)
	}
	return nil
}

// ready tells whether there is a row, and what is of every row is at hand.
func (e *eventColumns) ready() bool { return e.row < e.rows && e.row < e.each.end }

// nearby is how many rows are fetched at once.
const nearby = 64

// fetch asks memory for the fingerprints of the rows that come next, which are
// all over a dictionary: what one waits for comes while others wait too.
func (e *eventColumns) fetch() {
	if e.row < e.fetched {
		return
	}
	e.fetched = e.row + nearby
	c := &e.fingerprint
	if c.same {
		return
	}
	list := c.list[e.row-c.first:]
	for _, word := range list[:min(nearby, len(list))] {
		if word >= 0 {
			e.first += c.words[word].Bytes()[0]
		}
	}
}

// next makes sure that there is a row, and that what is of every row is at
// hand; io.EOF after the last.
func (e *eventColumns) next() error {
	for e.row == e.rows {
		if err := e.begin(); err != nil {
			return err
		}
	}
	return e.each.reach(e.row)
}

// step goes to the next row, and tells whether it is of the same event.
func (e *eventColumns) step(seq int64) (same bool, err error) {
	if e.row++; !e.ready() {
		// The rows of an event are in one file, but not in one row group.
		if err := e.next(); errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return e.seq.at(e.row) == seq, nil
}

func (e *eventColumns) close() {
	for _, s := range e.sets() {
		for _, c := range s.columns {
			c.close()
		}
	}
}

// scopeKey reads a scope's key.
func scopeKey(text string) (key fingerprint.ScopeKey, err error) {
	if n, err := hex.Decode(key[:], []byte(text[:min(len(text), 2*len(key))])); err != nil || n != len(key) || len(text) != 2*n {
		return key, fmt.Errorf("%q is no key of a scope", text)
	}
	return key, nil
}

// maxNames and maxName bound the table of texts: a session may have a name of a
// megabyte, and each another.
const (
	maxNames = 1 << 15
	maxName  = 256
)

// share is a text that rows share.
func (e *eventColumns) share(text string) (string, error) {
	if len(text) > maxName {
		return strings.Clone(text), nil
	}
	if s, ok := e.names[text]; ok {
		return s, nil
	}
	if len(e.names) >= maxNames {
		clear(e.names)
	}
	s := strings.Clone(text)
	e.names[s] = s
	return s, nil
}
