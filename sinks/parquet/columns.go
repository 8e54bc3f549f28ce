package parquet

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// eventColumns reads the rows of an events file column by column. Of the rows
// of one request only the first is read in full: the others repeat what it
// says of the request, and are passed over when a column is asked again. Read
// whole, row by row, a dataset would take longer than its log.
type eventColumns struct {
	groups []parquet.RowGroup
	leaves []int // by column of eventRow: its place in the file
	cols   []column
	left   int64 // rows of the group
	at     int64 // the row of the group at work
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
	for i, path := range parquet.SchemaOf(eventRow{}).Columns() {
		leaf, ok := file.Schema().Lookup(path...)
		switch {
		case ok:
			e.leaves = append(e.leaves, leaf.ColumnIndex)
		case len(e.leaves) == colTool: // came later than the others
			e.leaves = append(e.leaves, -1)
		default:
			return nil, fmt.Errorf("no column %v", path)
		}
		e.cols[i] = column{share: e.share}
		if ok {
			e.cols[i].full = byte(leaf.MaxDefinitionLevel)
		}
	}
	return e, nil
}

// maxNames bounds the table of texts.
const maxNames = 1 << 15

// share is a text that rows share.
func (e *eventColumns) share(b []byte) string {
	if s, ok := e.names[string(b)]; ok {
		return s
	}
	if len(e.names) >= maxNames {
		clear(e.names)
	}
	s := string(b)
	e.names[s] = s
	return s
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
			e.groups, e.left, e.at = e.groups[1:], g.NumRows(), 0
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
		e.at++
	}
	return len(rows), nil
}

// row reads a row.
func (e *eventColumns) row(row *eventRow) error {
	c := cells{e: e}
	*row = eventRow{
		Seq: c.int64(colSeq), Identity: c.text(colIdentity), IdentityNo: c.int32(colIdentityNo), Ordinal: c.int32(colOrdinal),
		Fingerprint: c.text(colFingerprint), Cause: c.text(colCause), Tool: c.text(colTool),
	}
	if e.some && row.Seq == e.seq {
		return c.err // the other columns follow when they are asked
	}
	e.some, e.seq = true, row.Seq
	row.Time, row.Start = c.int64(colTime), c.int64(colStart)
	row.Stream, row.Line, row.Offset, row.Item = c.int32(colStream), c.int64(colLine), c.int64(colOffset), c.int32(colItem)
	row.ID, row.Method, row.Path, row.Caller, row.User = c.text(colID), c.text(colMethod), c.text(colPath), c.text(colCaller), c.text(colUser)
	row.Session, row.Model, row.Backend = c.text(colSession), c.text(colModel), c.text(colBackend)
	if at, known := c.next(colStatus); known {
		row.Status = new(at.int32s[at.value])
	}
	row.TokensIn, row.TokensOut, row.MaxTokens = c.number(colTokensIn), c.number(colTokensOut), c.number(colMaxTokens)
	if at, known := c.next(colCost); known {
		row.Cost = new(at.doubles[at.value])
	}
	row.Streamed, row.Cached = c.truth(colStreamed), c.truth(colCached)

	n := room(&e.scope)
	c.list(colScopeField, func() {
		e.scope = append(e.scope, scopeValue{c.text(colScopeField), c.text(colScopeValue)})
	}, colScopeValue)
	row.Scope = e.scope[n:len(e.scope):len(e.scope)]
	n = room(&e.scopes)
	c.list(colScopesIndex, func() {
		s := scopeRow{Index: c.int32(colScopesIndex), Key: c.text(colScopesKey), Cause: c.text(colScopesCause)}
		if at, known := c.next(colScopesFellBack); known {
			s.FellBack = at.bit()
		}
		e.scopes = append(e.scopes, s)
	}, colScopesKey, colScopesCause, colScopesFellBack)
	row.Scopes = e.scopes[n:len(e.scopes):len(e.scopes)]
	n = room(&e.rules)
	c.list(colRulesRule, func() {
		rule := ruleChoice{Rule: c.text(colRulesRule)}
		if at, known := c.next(colRulesOverride); known {
			rule.Override = new(at.int32s[at.value])
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

// next goes to the next value of a column in the row, and tells whether it is
// one: after an error, or in a column that the file does not have, nothing is.
func (c *cells) next(col int) (*column, bool) {
	at := &c.e.cols[col]
	if c.err != nil || c.e.leaves[col] < 0 {
		return at, false
	}
	known, err := at.next(c.e.at)
	c.err = err
	return at, known && err == nil
}

func (c *cells) int64(col int) int64 {
	if at, known := c.next(col); known {
		return at.int64s[at.value]
	}
	return 0
}

func (c *cells) int32(col int) int32 {
	if at, known := c.next(col); known {
		return at.int32s[at.value]
	}
	return 0
}

func (c *cells) number(col int) *int64 {
	if at, known := c.next(col); known {
		return new(at.int64s[at.value])
	}
	return nil
}

func (c *cells) truth(col int) *bool {
	if at, known := c.next(col); known {
		return new(at.bit())
	}
	return nil
}

func (c *cells) text(col int) string {
	if at, known := c.next(col); known {
		return at.text()
	}
	return ""
}

// list calls add for every element of a list, which takes one value from each
// of its columns. first is never null in an element.
func (c *cells) list(first int, add func(), others ...int) {
	if c.err != nil {
		return
	}
	empty, err := c.e.cols[first].empty(c.e.at)
	if err != nil {
		c.err = err
		return
	}
	if empty {
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
	more, err := c.e.cols[col].more()
	c.err = err
	return more
}
