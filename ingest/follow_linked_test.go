package ingest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestFollowPods: a kubelet makes links to logs of another name, renames such a
// log, and compresses the one before it.
func TestFollowPods(t *testing.T) {
	n := func(id string) string { return record(id) + "\n" }
	f := func(name string, do func(s *site, rotate func(to string)), want string) {
		t.Helper()
		follow(t, name, []string{"containers"}, Options{}, func(s *site) {
			for _, dir := range []string{"containers", "pods", "pods/agent"} {
				must(s.t, os.Mkdir(filepath.Join(s.dir, dir), 0o700))
			}
			s.add("pods/agent/0.log", n("a")+n("b"))
			s.link("pods/agent/0.log", "containers/agent_default_agent-1c.log")
			s.c.begin(nil)
			time.Sleep(2 * lookSeldom)
			do(s, func(to string) { s.rename("pods/agent/0.log", "pods/agent/0.log."+to) })
		}, want, "")
	}
	f("rotated", func(s *site, rotate func(string)) {
		s.add("pods/agent/0.log", n("c"))
		rotate("20261128-064400")
		s.add("pods/agent/0.log", n("d"))
	}, "0: a b c; 1: d")
	f("rotated twice between two looks", func(s *site, rotate func(string)) {
		s.add("pods/agent/0.log", n("c"))
		rotate("20261128-064400")
		s.add("pods/agent/0.log", n("d"))
		rotate("20261128-064500")
		s.add("pods/agent/0.log", n("e"))
	}, "0: a b c; 1: d; 2: e")
	f("rotated twice and compressed while nothing ran", func(s *site, rotate func(string)) {
		s.down()
		s.add("pods/agent/0.log", n("c"))
		rotate("20261128-064400")
		s.add("pods/agent/0.log", n("d"))
		rotate("20261128-064500")
		s.add("pods/agent/0.log.20261128-064400.gz", string(gz(s.t, []byte(n("a")+n("b")+n("c")))))
		s.remove("pods/agent/0.log.20261128-064400")
		s.add("pods/agent/0.log", n("e"))
		s.c.restart()
		time.Sleep(2 * lookSeldom)
		s.down()
		s.add("pods/agent/0.log.20261128-064500", n("d2")) // by who has not heard of it
		s.c.restart()
	}, "0: a b c; 1: d d2; 2: e")
}

// TestFollowDated: a link is turned to the newest of files with dates in their names,
// twice before it is looked at again.
func TestFollowDated(t *testing.T) {
	n := func(id string) string { return record(id) + "\n" }
	f := func(name string, before, after func(*site)) {
		t.Helper()
		follow(t, name, []string{"app.log"}, Options{}, func(s *site) {
			s.add("app-20261127.log", n("a")+n("b"))
			s.link("app-20261127.log", "app.log")
			s.c.begin(nil)
			time.Sleep(2 * lookSeldom)
			before(s)
			s.add("app-20261127.log", n("c"))
			s.add("app-20261128.log", n("d"))
			s.add("app-20261129.log", n("e"))
			s.remove("app.log")
			s.link("app-20261129.log", "app.log")
			after(s)
		}, "0: a b c; 1: d; 2: e", "")
	}
	f("between two looks", func(*site) {}, func(*site) {})
	f("while nothing ran", (*site).down, func(s *site) { s.c.restart() })
}

// TestFollowBesideLoop: a link that leads to itself does not keep what was rotated
// away beside it from being missed.
func TestFollowBesideLoop(t *testing.T) {
	n := func(id string) string { return record(id) + "\n" }
	follow(t, "rotated and compressed while nothing ran", []string{""}, Options{}, func(s *site) {
		s.add("app.log", n("a")+n("b"))
		s.link("self.log", "self.log")
		must(s.t, os.Mkdir(filepath.Join(s.dir, ".old"), 0o700))
		s.c.begin(nil)
		time.Sleep(2 * lookSeldom)
		s.down()
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a")+n("b")+n("c")))))
		s.rename("app.log", ".old/app.log") // keeps its inode from being used again
		s.add("app.log", n("d"))
		s.c.restart()
	}, "0: a b c; 1: d", "")
}
