package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Whatever rows consist of, parquet-go reads from a file what parquet-go makes
// of them, wherever pages and row groups end; and its indexes, statistics and
// filters are right.
func TestColumnar(t *testing.T) {
	p := plan(t)
	prints := somePrints(p)
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // one of each run of rapid
		must(rt, err)
		d := create(rt, filepath.Join(dir, "out"), p)
		d.events.out.perPage = rapid.IntRange(1, 20).Draw(rt, "rows of a page")
		d.events.out.perGroup = rapid.IntRange(1, 60).Draw(rt, "rows of a row group")
		var want []parquet.Row
		schema := parquet.SchemaOf(eventRow{})
		at := midnight
		for i := range rapid.IntRange(1, 30).Draw(rt, "events") {
			ev := drawEvent(rt, p, prints)
			at += rapid.SampledFrom([]int64{0, 1, 10 * int64(time.Hour/time.Microsecond)}).Draw(rt, "pause")
			ev.Time = at
			must(rt, d.AddEvent(&ev))
			for _, row := range rowsOf(p, &ev, int64(i)) {
				want = append(want, schema.Deconstruct(nil, row))
			}
		}
		must(rt, d.Close(Run{}))
		var got []parquet.Row
		files, _ := filepath.Glob(filepath.Join(dir, "out", "events", "*", "*.parquet"))
		for _, f := range files {
			if err := eachOf[eventRow](f, anyGroup, func(rows []parquet.Row) error {
				for _, row := range rows {
					got = append(got, row.Clone())
				}
				return nil
			}); err != nil {
				rt.Fatal(err)
			}
			must(rt, sound(parsed(rt, load(rt, f)), d.events.out.perGroup))
		}
		if len(got) != len(want) {
			rt.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range want {
			if !got[i].Equal(want[i]) {
				var is, was eventRow
				if err := errors.Join(schema.Reconstruct(&is, got[i]), schema.Reconstruct(&was, want[i])); err != nil {
					rt.Error(err)
				}
				rt.Fatalf("row %d, - want, + got:\n%s\n%+v\n%+v", i, cmp.Diff(was, is), want[i], got[i])
			}
		}
	})
}

// Texts that do not wait for the end of their page, since they are long, are
// found again as any others.
func TestLongTexts(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	d := create(t, dir, p)
	ev := window.Event{Time: midnight, Prints: make([]window.Prints, len(p.Identities)), Scopes: make([]window.Scope, len(p.Scopes)), Rules: make([]window.Choice, len(p.Rules))}
	var want []string
	for i := range 10 {
		ev.Path, ev.Model = strings.Repeat(string(rune('a'+i%3)), gathered*2/3), fmt.Sprint(i%4)
		must(t, d.AddEvent(&ev))
		for range p.Identities {
			want = append(want, ev.Path[:1]+ev.Model)
		}
	}
	must(t, d.Close(Run{}))
	var got []string
	for _, row := range rows[eventRow](t, dir, filepath.Join("events", date(midnight), "events.parquet")) {
		if len(row.Path) != gathered*2/3 {
			t.Fatalf("a path of %d bytes", len(row.Path))
		}
		got = append(got, row.Path[:1]+row.Model)
	}
	equal(t, got, want)
}

// somePrints are some fingerprints.
func somePrints(p *window.Plan) (list []fingerprint.Fingerprint) {
	x := p.NewExtractor(window.ExtractOptions{})
	for i := range 5 {
		var r fingerprint.Request
		var ev window.Event
		r.Reset()
		r.Model = fmt.Append(nil, i)
		x.Event(&r, &ev)
		list = append(list, ev.Prints[0].Fingerprints...)
	}
	return list
}

// drawEvent draws an event of which anything may be unknown.
func drawEvent(rt *rapid.T, p *window.Plan, some []fingerprint.Fingerprint) window.Event {
	text := func(name string) string {
		return rapid.SampledFrom([]string{"", "a", "b", "ü", "a long text, longer than sixteen bytes"}).Draw(rt, name)
	}
	number := func(name string) int64 { return rapid.Int64Range(-1, 3).Draw(rt, name) }
	tri := func(name string) fingerprint.Tri {
		return rapid.SampledFrom([]fingerprint.Tri{fingerprint.NotLogged, fingerprint.No, fingerprint.Yes}).Draw(rt, name)
	}
	ev := window.Event{
		Start:    number("start"),
		Position: fingerprint.Position{Line: number("line"), Offset: number("offset"), Item: int32(number("item"))},
		ID:       text("id"), Method: text("method"), Path: text("path"), Caller: text("caller"), User: text("user"),
		Session: text("session"), Model: text("model"), Backend: text("backend"),
		Status: int(number("status")), TokensIn: number("in"), TokensOut: number("out"), MaxTokens: number("max"),
		Cost: rapid.SampledFrom([]float64{math.NaN(), 0, 0.5, 3}).Draw(rt, "cost"), Stream: tri("stream"), Cached: tri("cached"),
		Answered: rapid.Bool().Draw(rt, "answered"),
	}
	for range p.Identities {
		prints := window.Prints{Fingerprints: rapid.SliceOfN(rapid.SampledFrom(some), 0, 3).Draw(rt, "prints")}
		for range prints.Fingerprints {
			prints.Tools = append(prints.Tools, text("tool"))
		}
		if len(prints.Fingerprints) == 0 {
			prints.Cause = rapid.SampledFrom([]fingerprint.Cause{fingerprint.Computable, fingerprint.NoBody, fingerprint.NoToolCall}).Draw(rt, "cause")
		}
		ev.Prints = append(ev.Prints, prints)
	}
	for i := range p.Scopes {
		s := window.Scope{Cause: rapid.SampledFrom([]fingerprint.Cause{fingerprint.Computable, fingerprint.NoSession}).Draw(rt, "no scope")}
		if s.Cause == fingerprint.Computable {
			s.Key[0], s.FellBack = byte(rapid.IntRange(0, 2).Draw(rt, "key")), rapid.Bool().Draw(rt, "fell back")
			for range p.Scopes[i].Fields {
				s.Values = append(s.Values, text("value"))
			}
		}
		ev.Scopes = append(ev.Scopes, s)
	}
	for range p.Rules {
		ev.Rules = append(ev.Rules, rapid.SampledFrom([]window.Choice{window.NotMatched, -1, 0, 1}).Draw(rt, "choice"))
	}
	return ev
}

// rowsOf are the rows of an event.
func rowsOf(p *window.Plan, ev *window.Event, seq int64) (rows []*eventRow) {
	row := eventRow{
		Time: ev.Time, Start: ev.Start, Seq: seq,
		Stream: ev.Position.Stream, Line: ev.Position.Line, Offset: ev.Position.Offset, Item: ev.Position.Item,
		ID: ev.ID, Method: ev.Method, Path: ev.Path, Caller: ev.Caller, User: ev.User, Session: ev.Session, Model: ev.Model, Backend: ev.Backend,
	}
	for _, n := range []struct {
		from int64
		to   **int64
	}{{ev.TokensIn, &row.TokensIn}, {ev.TokensOut, &row.TokensOut}, {ev.MaxTokens, &row.MaxTokens}} {
		if n.from != fingerprint.Unknown {
			*n.to = &n.from
		}
	}
	if ev.Status != fingerprint.Unknown {
		row.Status = new(int32(ev.Status))
	}
	if !math.IsNaN(ev.Cost) {
		row.Cost = &ev.Cost
	}
	if ev.Stream != fingerprint.NotLogged {
		row.Streamed = new(ev.Stream == fingerprint.Yes)
	}
	if ev.Cached != fingerprint.NotLogged {
		row.Cached = new(ev.Cached == fingerprint.Yes)
	}
	row.Answered = &ev.Answered
	for i, s := range ev.Scopes {
		for k, value := range s.Values {
			field := p.Scopes[i].Fields[k]
			if !slices.ContainsFunc(row.Scope, func(v scopeValue) bool { return v.Field == field }) {
				row.Scope = append(row.Scope, scopeValue{field, value})
			}
		}
		switch {
		case s.Cause != fingerprint.Computable:
			row.Scopes = append(row.Scopes, scopeRow{Index: int32(i), Cause: s.Cause.String()})
		case s.Key != fingerprint.ScopeKey{}:
			row.Scopes = append(row.Scopes, scopeRow{Index: int32(i), Key: hex.EncodeToString(s.Key[:]), FellBack: s.FellBack})
		}
	}
	for i, choice := range ev.Rules {
		if choice == window.NotMatched {
			continue
		}
		c := ruleChoice{Rule: p.Rules[i].Name}
		if choice >= 0 {
			c.Override = new(int32(choice))
		}
		row.Rules = append(row.Rules, c)
	}
	for i, prints := range ev.Prints {
		one := row
		one.Identity, one.IdentityNo, one.Cause = p.Identities[i].Name, int32(i), prints.Cause.String()
		if len(prints.Fingerprints) == 0 {
			rows = append(rows, &one)
		}
		for k, f := range prints.Fingerprints {
			one := one
			one.Ordinal, one.Fingerprint, one.Tool = int32(k), f.String(), prints.Name(k)
			rows = append(rows, &one)
		}
	}
	return rows
}

// sound looks whether what a file says of its pages is true of them.
func sound(file *parquet.File, most int) error {
	meta := file.Metadata()
	for g, group := range file.RowGroups() {
		if at := meta.RowGroups[g].SortingColumns; len(at) != 1 || meta.RowGroups[g].Columns[at[0].ColumnIdx].MetaData.PathInSchema[0] != "time" {
			return fmt.Errorf("sorted by %v", at)
		}
		if n := int(group.NumRows()); n > max(most, 6) { // two identities with three fingerprints each
			return fmt.Errorf("a row group of %d rows", n)
		}
		left := meta.RowGroups[g].TotalCompressedSize
		for c, chunk := range group.ColumnChunks() {
			of := &meta.RowGroups[g].Columns[c].MetaData
			left -= of.TotalCompressedSize
			if err := errors.Join(soundColumn(chunk, group.NumRows(), of.Statistics.NullCount), soundPages(chunk, of)); err != nil {
				return fmt.Errorf("row group %d, %s: %w", g, of.PathInSchema, err)
			}
		}
		if left != 0 {
			return fmt.Errorf("row group %d is said to have %d bytes more than its columns", g, left)
		}
	}
	return nil
}

// soundPages tells whether the pages stand one behind the other, and each is counted
// under an encoding of the column, by which readers know whether its dictionary has
// all that there is.
func soundPages(chunk parquet.ColumnChunk, of *format.ColumnMetaData) error {
	places, err := chunk.OffsetIndex()
	if err != nil {
		return err
	}
	at := of.DataPageOffset
	for i := range places.NumPages() {
		if places.Offset(i) != at {
			return fmt.Errorf("page %d is said to be at %d, not %d", i, places.Offset(i), at)
		}
		at += places.CompressedPageSize(i)
	}
	left := places.NumPages()
	for _, some := range of.EncodingStats {
		if !slices.Contains(of.Encoding, some.Encoding) {
			return fmt.Errorf("pages of %s, the column has %v", some.Encoding, of.Encoding)
		}
		if some.PageType == format.DataPageV2 {
			left -= int(some.Count)
		}
	}
	if left != 0 {
		return fmt.Errorf("%d pages are of no encoding", left)
	}
	return nil
}

func soundColumn(chunk parquet.ColumnChunk, rows, nulls int64) error {
	index, err := chunk.ColumnIndex()
	if err != nil {
		return err
	}
	places, err := chunk.OffsetIndex()
	if err != nil {
		return err
	}
	least, most, ok := chunk.(*parquet.FileColumnChunk).Bounds()
	filter, kind := chunk.BloomFilter(), chunk.Type()
	pages := chunk.Pages()
	defer pages.Close()
	seen := int64(0)
	for i := 0; ; i++ {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			if seen != rows || i != index.NumPages() || nulls != 0 {
				return fmt.Errorf("%d rows of %d, %d pages of %d, %d nulls too many", seen, rows, i, index.NumPages(), nulls)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if places.FirstRowIndex(i) != seen || index.NullCount(i) != page.NumNulls() {
			return fmt.Errorf("page %d begins at row %d, not %d; has %d nulls, not %d", i, seen, places.FirstRowIndex(i), page.NumNulls(), index.NullCount(i))
		}
		seen, nulls = seen+page.NumRows(), nulls-page.NumNulls()
		values := make([]parquet.Value, page.NumValues())
		if _, err := page.Values().ReadValues(values); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if known := page.NumValues() > page.NumNulls(); known == index.NullPage(i) {
			return fmt.Errorf("page %d has values: %t", i, known)
		}
		for _, v := range values {
			if v.IsNull() {
				continue
			}
			within := kind.Compare(index.MinValue(i), v) <= 0 && kind.Compare(v, index.MaxValue(i)) <= 0
			if !within || !ok || kind.Compare(least, v) > 0 || kind.Compare(v, most) > 0 {
				return fmt.Errorf("%v is out of bounds", v)
			}
			if filter != nil {
				if there, err := filter.Check(v); err != nil || !there {
					return fmt.Errorf("%v is not in the filter: %w", v, err)
				}
			}
		}
		parquet.Release(page)
	}
}

// Texts have the numbers in which they came, however many there are.
func TestDictionary(t *testing.T) {
	total := 0
	d := dictionary{ends: []uint32{0}, total: &total}
	for range 2 {
		for range 2 {
			var texts []byte
			ends := []uint32{0}
			for i := range 1000 {
				texts = fmt.Append(texts, i)
				ends = append(ends, uint32(len(texts)))
			}
			for i, n := range d.numbers(nil, texts, ends) {
				if text := fmt.Sprint(i); int(n) != i || string(d.word(n)) != text {
					t.Fatalf("%s is %d, %s; want %d", text, n, d.word(n), i)
				}
			}
		}
		d.reset()
		if d.len() != 0 {
			t.Fatalf("%d words are left", d.len())
		}
	}
}

// What is null stays it, when it is written and when it is merged.
func TestNulls(t *testing.T) {
	dir := t.TempDir()
	d := &Dataset{dir: dir}
	parts := []string{"episodes", "date=2026-08-01", "episodes-0000.parquet"}
	rows := []episodeRow{{ID: "1"}, {ID: "2", Tool: "a"}, {ID: "3"}, {ID: "4"}}
	must(t, writeFile(d, rows, parts...))
	must(t, d.files[0].Commit())
	path := filepath.Join(append([]string{dir}, parts...)...)
	merged := filepath.Join(dir, "merged.parquet")
	must(t, mergeEpisodes("episodes", merged, []string{path}))
	type row struct {
		Tool *string `parquet:"tool,optional"`
	}
	for _, file := range []string{path, merged} {
		got, err := parquet.ReadFile[row](file)
		must(t, err)
		for i, r := range got {
			if known := r.Tool != nil; known != (i == 1) {
				t.Errorf("%s: tool of row %d is known: %t", file, i, known)
			}
		}
	}
}
