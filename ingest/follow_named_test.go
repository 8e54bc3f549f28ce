package ingest

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a state knows of a file that is named no more is left as it is, and is
// there when the file is named again.
func TestFollowNamedNoMore(t *testing.T) {
	f := func(name string, before, after []string, do func(*site), want string) {
		t.Helper()
		follow(t, name, before, Options{}, func(s *site) {
			for _, file := range []string{"a.log", "b.log"} {
				s.add(file, record("1"+file[:1])+"\n")
			}
			name := func(args []string) {
				s.c.args = nil
				for _, arg := range args {
					s.c.args = append(s.c.args, s.dir+string(filepath.Separator)+arg)
				}
			}
			s.c.begin(nil)
			time.Sleep(2 * lookSeldom)
			s.down()
			do(s)
			name(after)
			s.c.restart()
			time.Sleep(2 * lookSeldom)
			for _, file := range []string{"a.log", "b.log"} {
				s.add(file, record("2"+file[:1])+"\n")
			}
			time.Sleep(2 * lookSeldom)
			if len(after) == 1 && after[0] == "a.log" {
				s.down()
				name(before)
				s.c.restart()
				s.add("b.log", record("3b")+"\n")
			}
		}, want, "")
	}
	nothing := func(*site) {}
	both := []string{"a.log", "b.log"}
	f("a file, named again later", both, []string{"a.log"}, nothing, "0: 1a 2a; 1: 1b 2b 3b")
	f("none", both, []string{"c.log"}, nothing, "0: 1a; 1: 1b")
	f("a glob", []string{"*.log"}, []string{"a*"}, nothing, "0: 1a 2a; 1: 1b")
	f("a directory", []string{""}, []string{"b.log"}, nothing, "0: 1a; 1: 1b 2b")
	f("written otherwise", both, []string{"./a.log", "../*/b.log"}, nothing, "0: 1a 2a; 1: 1b 2b")
	f("the directory of all", both, []string{"."}, nothing, "0: 1a 2a; 1: 1b 2b")
	f("gone besides", both, []string{"a.log"}, func(s *site) { s.remove("b.log") }, "0: 1a 2a; 1: 1b; 2: 2b 3b")
	follow(t, "gone besides, for good", both, Options{}, func(s *site) {
		s.add("a.log", record("1a")+"\n")
		s.add("b.log", record("1b")+"\n")
		s.c.begin(nil)
		time.Sleep(2 * lookSeldom)
		s.down()
		s.remove("a.log")
		s.c.args = s.c.args[1:]
		s.c.restart()
		time.Sleep(2 * forget)
		s.ended(1)
	}, "0: 1a; 1: 1b", "")
	// What was rotated away of a log is of its name.
	rotate := func(s *site) {
		s.add("a.log", record("late")+"\n")
		s.rename("a.log", "a.log.2")
		s.add("a.log.1", record("between")+"\n")
	}
	f("rotated", []string{"a.log"}, []string{"./a.log"}, rotate, "0: 1a late; 1: between; 2: 2a")
	f("rotated, of one that is named no more", both, []string{"b.log"}, rotate, "0: 1a; 1: 1b 2b")
	follow(t, "rotated to a name that the glob does not match, and no log there", []string{"*.log"}, Options{}, func(s *site) {
		s.add("a.log", record("1a")+"\n")
		s.c.begin(nil)
		time.Sleep(2 * lookSeldom)
		s.down()
		s.add("a.log", record("late")+"\n")
		s.rename("a.log", "a.log.1")
		s.c.restart()
		time.Sleep(2 * lookSeldom)
	}, "0: 1a late", "")
	follow(t, "rotated before it was seen, and another start", []string{"*.log"}, Options{}, func(s *site) {
		s.add("a.log", record("1a")+"\n")
		s.c.begin(nil)
		time.Sleep(2 * lookSeldom)
		s.down()
		rotate(s)
		s.add("a.log", record("2a")+"\n")
		for range 2 {
			s.c.restart()
			time.Sleep(2 * lookSeldom)
			s.down()
		}
		s.c.restart()
		s.add("a.log.1", record("still")+"\n")
	}, "0: 1a late; 1: between still; 2: 2a", "")
}

func TestStands(t *testing.T) {
	f := func(arg, path string, want bool) {
		t.Helper()
		if got := stands(arg, path); got != want {
			t.Errorf("%s for %s: %v", arg, path, got)
		}
	}
	f("/l/a.log", "/l/a.log", true)
	f("/l/a.log", "/l/a.log.1", false)
	f("/l/", "/l/deep/a.log", true)
	f("/l", "/lists/a.log", false)
	f("/l/*.log", "/l/a.log", true)
	f("/l/*.log", "/l/deep/a.log", false)
	f("/l/*", "/l/deep/a.log", true)
	f("/l/[a].log", "/l/[a].log", true)
	f("a.log", "./b/../a.log", true)
	f("/", "/a.log", true)
}

func TestUnrotated(t *testing.T) {
	for path, want := range map[string]string{
		"/d/app.log.1": "/d/app.log", "/d/app.1.log": "/d/app.log", "/d/app.log-20261121.gz": "/d/app.log", "/d/app-2026-11-21T10.log": "/d/app.log",
		"/d/app.log": "", "/d/app": "",
	} {
		names := unrotated(path)
		if want == "" && len(names) > 0 || want != "" && !slices.Contains(names, want) {
			t.Errorf("%s may have been %q, want %q among them", path, names, want)
		}
	}
}

// A file is read that is named, by itself, its directory or a glob, unless it is
// left out of its directory.
func TestReads(t *testing.T) {
	f := func(arg, path string, want bool) {
		t.Helper()
		if got := Reads([]string{"else", arg}, path); got != want {
			t.Errorf("of %s %s is read: %t", arg, path, got)
		}
	}
	f("a", "a", true)
	f("a", "./a", true)
	f("a", "ab", false)
	f("a", "a/b/c", true)
	f(".", "a", true)
	f("/", "/a/b", true)
	f("a/b", "a", false)
	f("a/*.log", "a/x.log", true)
	f("a/*.log", "a/x.log/lock", true)
	f("a/*.log", "a/state/lock", false)
	f("a", "a/.state/lock", false)
	f("a/.state", "a/.state/lock", true)
	f("a", "a/x.tmp", false)
	f("a/x.tmp", "a/x.tmp", true)
}
