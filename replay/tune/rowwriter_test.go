package tune

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestRows: what is written member by member is what encoding/json makes of
// the type, in which the fields of the document are written down.
func TestRows(t *testing.T) {
	t.Run("sweep", func(t *testing.T) { rapid.Check(t, testRow(func(c DocumentCell) row { return &c })) })
	t.Run("episodes", func(t *testing.T) { rapid.Check(t, testRow(func(e DocumentEpisode) row { return &e })) })
	t.Run("repeats", func(t *testing.T) { rapid.Check(t, testRow(func(r DocumentRepeat) row { return &r })) })
}

func testRow[T any](rowOf func(T) row) func(*rapid.T) {
	any := rapid.Make[T]()
	return func(t *rapid.T) {
		v := any.Draw(t, "row")
		var w rowWriter
		w.object(rowOf(v))
		want, err := json.Marshal(v)
		if (err != nil) != (w.err != nil) {
			t.Fatalf("error %v, encoding/json has %v", w.err, err)
		}
		if err == nil && string(w.text) != string(rawjson.Printable(want)) {
			t.Fatalf("\n%s\nwant\n%s", w.text, rawjson.Printable(want))
		}
	}
}
