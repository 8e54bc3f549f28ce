package window

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRows: a row has one number, and is found by it.
func TestRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 20).Draw(t, "cells")
		rows := NewRows(cells)
		numbers := map[string]uint32{}
		for range rapid.IntRange(1, 3000).Draw(t, "rows") {
			row := rapid.SliceOfN(rapid.Uint8Range(0, 3), cells, cells).Draw(t, "row")
			i := rows.Add(row)
			if was, known := numbers[string(row)]; known && was != i || !slices.Equal(rows.At(i), row) || rows.Highest(i) != slices.Max(row) {
				t.Fatalf("row %v has number %d, %d before, which is %v, %d at most", row, i, was, rows.At(i), rows.Highest(i))
			}
			numbers[string(row)] = i
		}
		if rows.Bytes() != len(numbers)*(cells+1) {
			t.Fatalf("%d bytes, want %d rows of %d", rows.Bytes(), len(numbers), cells+1)
		}
	})
}

// TestRaise: eight bytes at a time say what one at a time does.
func TestRaise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "cells")
		highest, counts := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "highest"), rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "counts")
		want := slices.Clone(highest)
		for i, n := range counts {
			want[i] = max(want[i], n)
		}
		if Raise(highest, counts); !slices.Equal(highest, want) {
			t.Fatalf("%v, want %v", highest, want)
		}
	})
}
