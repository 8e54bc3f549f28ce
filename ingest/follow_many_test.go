package ingest

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// More files than the process may open are read one after the other, whole and in
// time, and leave descriptors for others. The bug was that no checkpoint could be
// written until the process ended, at each start anew.
func TestFollowMany(t *testing.T) {
	for _, name := range []string{"%03d.log", "%03d.log.1"} { // written to, and rotated
		t.Run(name, func(t *testing.T) { followMany(t, name) })
	}
}

func followMany(t *testing.T, name string) {
	t.Helper()
	const files = 400
	limit(t, 200)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &site{t: t, dir: dir}
		told := &tellings{}
		add := func(id string) {
			for i := range files {
				s.add(fmt.Sprintf(name, i), record(fmt.Sprint(i, id))+"\n")
			}
		}
		add("a")
		s.add(fmt.Sprintf(name, 0), " ")
		c := consume(t, Options{Unreadable: told.tell}, dir)
		for _, id := range []string{"b", "c"} {
			time.Sleep(quiet / 2)
			if list, err := os.ReadDir("/proc/self/fd"); err == nil && len(list) > 200-spare/2 {
				t.Errorf("%d descriptors are in use", len(list))
			}
			s.rename(fmt.Sprintf(name, 1), fmt.Sprintf(name, 1)+id)
			add(id)
		}
		time.Sleep(3 * quiet)
		got := c.end()
		n := 0
		for _, lines := range got.lines {
			n += len(lines)
		}
		if want := 3 * files; n != want || len(got.lines) != files+2 || len(told.list)+len(got.lost) > 0 {
			t.Errorf("%d lines of %d files, want %d of %d; told %q, lost %q", n, len(got.lines), want, files+2, told, got.lost)
		}
	})
}
