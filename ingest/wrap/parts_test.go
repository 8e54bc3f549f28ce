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

// TestPartsAreGivenUp: who writes a record may be killed before its end. That is
// not waited for as long as other lines come, but a record goes on however many
// parts it has.
func TestPartsAreGivenUp(t *testing.T) {
	var p parts
	given := ""
	add := func(mark string, last bool) {
		p.add([]byte(mark), Line{Text: []byte(mark)}, last, func(line Line) {
			if len(line.Text) == 1 {
				given += string(line.Text)
			} else {
				given += strconv.Itoa(len(line.Text))
			}
		})
	}
	add("a", false)
	for range patience / 2 {
		add("b", false)
	}
	add("b", true)
	for range patience/2 - 1 {
		add("c", false)
	}
	if given != "501" || len(p.held) != 2 {
		t.Fatalf("given %q, %d held before patience is over", given, len(p.held))
	}
	add("c", false)
	if given != "501a" || len(p.held) != 1 {
		t.Errorf("given %q, %d held when it is", given, len(p.held))
	}
}
