package wrap

import (
	"strconv"
	"testing"
)

// TestPartsAreForgotten: Docker gives each record that it splits a mark of its
// own, and nothing of one stays that is at its end.
func TestPartsAreForgotten(t *testing.T) {
	var read, cut parts // one that puts together, and one that looks where records end
	whole := 0
	for i := range 1000 {
		id := []byte(strconv.Itoa(i))
		read.add(id, Line{Text: []byte("a")}, false, nil)
		read.add(id, Line{Text: []byte("b")}, true, func(line Line) {
			if string(line.Text) == "ab" {
				whole++
			}
		})
		cut.mark(id, false)
		cut.mark(id, true)
	}
	if whole != 1000 || len(read.held) > 0 || len(cut.held) > 0 {
		t.Errorf("%d are whole, %d and %d are held", whole, len(read.held), len(cut.held))
	}
}
