package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// eventColumns reads the rows of an events file column by column. Of the rows
// of one request only the first is read in full: the others repeat what it
// says of the request, and passing over a value costs next to nothing. Read
// whole, row by row, a dataset would take longer than its log.
type eventColumns struct {
	groups []parquet.RowGroup
	leaves []int // by column of eventRow: its place in the file
	cols   []column
	left   int64 // rows of the group
	total  int64
	some   bool // a row has been read
	seq    int64

	names map[string]string // texts that come again and again, once each

	// Slabs: rows share their memory.
	scope  []scopeValue
	scopes []scopeRow
	rules  []ruleChoice
}

// The columns of eventRow, in its order.
const (
	colTime = iota
	colStart
	colSeq
	colStream
	colLine
	colOffset
	colItem
	colID
	colMethod
	colPath
	colCaller
	colUser
	colSession
	colModel
	colBackend
	colStatus
	colTokensIn
	colTokensOut
	colCost
	colStreamed
	colCached
	colMaxTokens
	colIdentity
	colIdentityNo
	colOrdinal
	colFingerprint
	colCause
	colTool
	colScopeField
	colScopeValue
	colScopesIndex
	colScopesKey
	colScopesCause
	colScopesFellBack
	colRulesRule
	colRulesOverride
	colCount
)

func newEventColumns(file *parquet.File) (*eventColumns, error) {
	e := &eventColumns{groups: file.RowGroups(), total: file.NumRows(), names: map[string]string{}, cols: make([]column, colCount)}
	for _, path := range parquet.SchemaOf(eventRow{}).Columns() {
		leaf, ok := file.Schema().Lookup(path...)
		switch {
		case ok:
			e.leaves = append(e.leaves, leaf.ColumnIndex)
		case len(e.leaves) == colTool: // came later than the others
			e.leaves = append(e.leaves, -1)
		default:
			return nil, fmt.Errorf("no column %v", path)
		}
	}
	return e, nil
}

// column is a place in a column of a row group.
type column struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of the page; nil between two
	buf    [128]parquet.Value
	at, n  int
}

// peek is the next value. It is valid until the next call of any method.
func (c *column) peek() (*parquet.Value, error) {
	for c.at == c.n {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return nil, err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf[:])
		c.at, c.n = 0, n
		switch {
		case n > 0:
		case errors.Is(err, io.EOF):
			parquet.Release(c.page)
			c.page, c.values = nil, nil
		case err != nil:
			return nil, err
		default:
			return nil, errors.New("a page without end")
		}
	}
	return &c.buf[c.at], nil
}

func (c *column) next() (*parquet.Value, error) {
	v, err := c.peek()
	if errors.Is(err, io.EOF) {
		err = errors.New("a column ends before the others")
	}
	if err == nil {
		c.at++
	}
	return v, err
}

func (c *column) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	if c.pages != nil {
		c.pages.Close()
	}
	*c = column{}
}

func (e *eventColumns) close() {
	for i := range e.cols {
		e.cols[i].close()
	}
}

// read fills rows; io.EOF after the last.
func (e *eventColumns) read(rows []eventRow) (int, error) {
	for n := range rows {
		for e.left == 0 {
			e.close()
			if len(e.groups) == 0 {
				return n, io.EOF
			}
			g := e.groups[0]
			e.groups, e.left = e.groups[1:], g.NumRows()
			chunks := g.ColumnChunks()
			for i, leaf := range e.leaves {
				if leaf >= 0 {
					e.cols[i].pages = chunks[leaf].Pages()
				}
			}
		}
		if err := e.row(&rows[n]); err != nil {
			return n, err
		}
		e.left--
	}
	return len(rows), nil
}

// row reads a row.
func (e *eventColumns) row(row *eventRow) error {
	c := cells{e: e}
	*row = eventRow{
		Seq: c.int64(colSeq), Identity: c.name(colIdentity), IdentityNo: c.int32(colIdentityNo), Ordinal: c.int32(colOrdinal),
		Fingerprint: c.text(colFingerprint), Cause: c.name(colCause), Tool: c.name(colTool),
	}
	if e.some && row.Seq == e.seq {
		c.pass()
		return c.err
	}
	e.some, e.seq = true, row.Seq
	row.Time, row.Start = c.int64(colTime), c.int64(colStart)
	row.Stream, row.Line, row.Offset, row.Item = c.int32(colStream), c.int64(colLine), c.int64(colOffset), c.int32(colItem)
	row.ID, row.Method, row.Path, row.Caller, row.User = c.text(colID), c.name(colMethod), c.name(colPath), c.name(colCaller), c.name(colUser)
	row.Session, row.Model, row.Backend = c.name(colSession), c.name(colModel), c.name(colBackend)
	if v := c.next(colStatus); v != nil && !v.IsNull() {
		row.Status = new(v.Int32())
	}
	row.TokensIn, row.TokensOut, row.MaxTokens = c.number(colTokensIn), c.number(colTokensOut), c.number(colMaxTokens)
	if v := c.next(colCost); v != nil && !v.IsNull() {
		row.Cost = new(v.Double())
	}
	row.Streamed, row.Cached = c.truth(colStreamed), c.truth(colCached)

	n := room(&e.scope)
	c.list(colScopeField, func() {
		e.scope = append(e.scope, scopeValue{c.name(colScopeField), c.name(colScopeValue)})
	}, colScopeValue)
	row.Scope = e.scope[n:len(e.scope):len(e.scope)]
	n = room(&e.scopes)
	c.list(colScopesIndex, func() {
		s := scopeRow{Index: c.int32(colScopesIndex), Key: c.name(colScopesKey), Cause: c.name(colScopesCause)}
		if v := c.next(colScopesFellBack); v != nil {
			s.FellBack = v.Boolean()
		}
		e.scopes = append(e.scopes, s)
	}, colScopesKey, colScopesCause, colScopesFellBack)
	row.Scopes = e.scopes[n:len(e.scopes):len(e.scopes)]
	n = room(&e.rules)
	c.list(colRulesRule, func() {
		rule := ruleChoice{Rule: c.name(colRulesRule)}
		if v := c.next(colRulesOverride); v != nil && !v.IsNull() {
			rule.Override = new(v.Int32())
		}
		e.rules = append(e.rules, rule)
	}, colRulesOverride)
	row.Rules = e.rules[n:len(e.rules):len(e.rules)]
	return c.err
}

// room makes sure that a slab has room for a row's list, and is where it
// begins. What was handed out of a slab before stays as it is.
func room[T any](slab *[]T) int {
	if cap(*slab)-len(*slab) < 16 {
		*slab = make([]T, 0, 1024)
	}
	return len(*slab)
}

// cells reads the values of one row. The first error stays.
type cells struct {
	e   *eventColumns
	err error
}

// next is the next value of a column, nil after an error and of a column that
// the file does not have.
func (c *cells) next(col int) *parquet.Value {
	if c.err != nil || c.e.leaves[col] < 0 {
		return nil
	}
	v, err := c.e.cols[col].next()
	if err != nil {
		c.err = err
		return nil
	}
	return v
}

func (c *cells) int64(col int) int64 {
	if v := c.next(col); v != nil {
		return v.Int64()
	}
	return 0
}

func (c *cells) int32(col int) int32 {
	if v := c.next(col); v != nil {
		return v.Int32()
	}
	return 0
}

func (c *cells) number(col int) *int64 {
	if v := c.next(col); v != nil && !v.IsNull() {
		return new(v.Int64())
	}
	return nil
}

func (c *cells) truth(col int) *bool {
	if v := c.next(col); v != nil && !v.IsNull() {
		return new(v.Boolean())
	}
	return nil
}

// text is a text of its own, name one that rows share.
func (c *cells) text(col int) string {
	if v := c.next(col); v != nil && !v.IsNull() {
		return string(v.ByteArray())
	}
	return ""
}

// maxNames bounds the table of texts.
const maxNames = 1 << 15

func (c *cells) name(col int) string {
	v := c.next(col)
	if v == nil || v.IsNull() {
		return ""
	}
	b := v.ByteArray()
	if s, ok := c.e.names[string(b)]; ok {
		return s
	}
	if len(c.e.names) >= maxNames {
		clear(c.e.names)
	}
	s := string(b)
	c.e.names[s] = s
	return s
}

// list calls add for every element of a list, which takes one value from each
// of its columns. first is never null in an element.
func (c *cells) list(first int, add func(), others ...int) {
	v, err := c.e.cols[first].peek()
	if c.err == nil && err != nil {
		c.err = err
	}
	if c.err != nil {
		return
	}
	if v.IsNull() { // an empty list
		c.next(first)
		for _, col := range others {
			c.next(col)
		}
		return
	}
	for add(); c.err == nil && c.more(first); add() {
	}
}

// more tells that the next value of a column is of the same row.
func (c *cells) more(col int) bool {
	v, err := c.e.cols[col].peek()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			c.err = err
		}
		return false
	}
	return v.RepetitionLevel() > 0
}

// pass passes over the columns that only the first row of a request is read
// for.
func (c *cells) pass() {
	for col := range colCount {
		switch col {
		case colSeq, colIdentity, colIdentityNo, colOrdinal, colFingerprint, colCause, colTool:
			continue
		}
		c.next(col)
		for col >= colScopeField && c.err == nil && c.more(col) {
			c.next(col)
		}
	}
}
