package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// blindfold lets no file be opened until it is undone.
func blindfold(t *testing.T) (undo func()) {
	t.Helper()
	return limit(t, 0)
}

// tellings are what was told of.
type tellings struct {
	mu   sync.Mutex
	list []string
}

func (l *tellings) tell(file string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, fmt.Sprintf("%s: %v", filepath.Base(file), err))
}

func (l *tellings) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.list, "; ")
}

// A file that cannot be read holds the others back for a minute, and then is
// told of: what it brought was late, and after a restart it was called lost.
func TestFollowBlind(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, "app.log")
		file, err := os.Create(path)
		must(t, err)
		defer func() { must(t, file.Close()) }()
		add := func(id string) {
			_, err := file.WriteString(record(id) + "\n")
			must(t, err)
		}
		told := &tellings{}
		follow := func(marks []Mark) (Feed, Live) {
			feed, err := Follow([]string{filepath.Join(dir, "*.log")}, Options{Unreadable: told.tell}, marks)
			must(t, err)
			list, err := feed.Accept(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("%d streams, %v", len(list), err)
			}
			return feed, list[0]
		}
		next := func(l Live) Chunk {
			t.Helper()
			c, err := l.Next(t.Context())
			if err != nil || c.Why != "" {
				t.Fatalf("%q, %v", c.Why, err)
			}
			return c
		}
		read := func(l Live, want string) (at Mark) {
			t.Helper()
			for {
				c := next(l)
				if c.Block != nil {
					if got := string(c.Block.Data); got != record(want)+"\n" {
						t.Errorf("read %q", got)
					}
					c.Block.Release()
					return c.Mark
				}
			}
		}
		cannot := func(l Live) {
			t.Helper()
			began := time.Now()
			told.list = nil
			for time.Since(began) < 3*quiet {
				c := next(l)
				past := time.Since(began)
				if past < 2*lookSeldom || past >= quiet && past < quiet+2*lookSeldom {
					continue
				}
				if held := past < quiet; c.AtEnd == held || (told.String() != "") == held {
					t.Fatalf("after %s: at the end %v, told of %q", past, c.AtEnd, told)
				}
			}
		}
		can := func(l Live, want string) (at Mark) {
			t.Helper()
			at = read(l, want)
			if told.String() != "app.log: too many open files; app.log: <nil>" {
				t.Errorf("told of %q", told)
			}
			for !next(l).AtEnd {
			}
			return at
		}

		add("a")
		feed, l := follow(nil)
		read(l, "a")
		for began := time.Now(); time.Since(began) < 3*quiet; {
			next(l) // it is closed meanwhile
		}
		undo := blindfold(t)
		add("b")
		cannot(l)
		undo()
		at := can(l, "b")
		must(t, feed.Close())

		add("c")
		undo = blindfold(t)
		feed, l = follow([]Mark{at})
		cannot(l)
		undo()
		can(l, "c")
		must(t, feed.Close())
	})
}

// TestFollowBlindAndLost: a file that has grown when it cannot be opened, and then is
// removed, or turns out to be damaged, is lost, and not told of any more.
func TestFollowBlindAndLost(t *testing.T) {
	f := func(file, text string, size int64, after func(path string, undo func()), lost string) {
		t.Helper()
		told := &tellings{}
		follow(t, file, []string{file}, Options{Unreadable: told.tell}, func(s *site) {
			path := filepath.Join(s.dir, file)
			s.add(file, text)
			s.c.begin(nil)
			time.Sleep(quiet / 2)
			undo := blindfold(s.t)
			must(s.t, os.Truncate(path, size))
			time.Sleep(2 * quiet)
			after(path, undo)
			time.Sleep(2 * patience)
			undo()
			if want := file + ": too many open files; " + file + ": <nil>"; told.String() != want {
				s.t.Errorf("told of %q, want %q", told, want)
			}
		}, "0: a", file+": "+lost)
	}
	removed := func(path string, _ func()) { must(t, os.Remove(path)) }
	text := record("a") + "\n"
	packed := string(gz(t, []byte(text)))
	f("app.log", text, 100, removed, "removed before it was read to its end: read up to byte 20 of 100")
	f("app.gz", packed[:len(packed)-2], 100, removed, "removed before it was read to its end: read up to byte 20 of 100")
	f("app.gz", packed[:len(packed)-2], 100, func(_ string, undo func()) { undo() }, "gzip: invalid header; read up to byte 20")
}

// What may hold something that is not read holds others back as long as it cannot
// be opened, and is not read before a look has told what it is.
func TestOpenBlind(t *testing.T) {
	path := write(t, t.TempDir(), "app.log", []byte(record("a")+"\n"))
	e, err := entryAt(path)
	must(t, err)
	for _, done := range []bool{true, false} {
		s := &followed{f: &follower{hurry: make(chan struct{}, 1)}, done: done}
		s.place = place{state: blind, path: path, id: e.id, size: e.size}
		undo := blindfold(t)
		if s.open(&s.place) || unreachable(s.fault.err) == done {
			t.Errorf("done %t: the fault is %v", done, s.fault.err)
		}
		undo()
		if s.open(&s.place) || (len(s.f.hurry) == 1) == done {
			t.Errorf("done %t: looks wanted %d", done, len(s.f.hurry))
		}
	}
}

// A directory that cannot be read is told of as a file is: logs in it were never
// missed.
func TestFollowShut(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	synctest.Test(t, func(t *testing.T) {
		told := &tellings{}
		feed, err := Follow([]string{dir}, Options{Unreadable: told.tell}, nil)
		must(t, err)
		defer func() { must(t, feed.Close()) }()
		undo := blindfold(t)
		f := func(wait time.Duration, want string) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			if got := told.String(); got != want {
				t.Errorf("told of %q, want %q", got, want)
			}
		}
		shut := filepath.Base(dir) + ": too many open files"
		f(quiet/2, "")
		f(quiet, shut)
		f(quiet, shut)
		undo()
		f(2*lookSeldom, shut+"; "+filepath.Base(dir)+": <nil>")
	})
}

// A log that cannot be read at the start is told of at once, and waited for: one
// with wrong rights kept the others from being watched.
func TestFollowBlindStart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := write(t, dir, "app.log", []byte(record("a")+"\n"))
		told := &tellings{}
		undo := blindfold(t)
		feed, err := Follow([]string{path}, Options{Unreadable: told.tell}, nil)
		must(t, err)
		defer func() { must(t, feed.Close()) }()
		time.Sleep(3 * lookSeldom)
		if told.String() != "app.log: too many open files" {
			t.Errorf("told of %q", told)
		}
		list, err := feed.Accept(t.Context())
		if err != nil || len(list) > 0 {
			t.Errorf("%d streams, %v", len(list), err)
		}
		undo()
		if list, err = feed.Accept(t.Context()); err != nil || len(list) != 1 || !strings.HasSuffix(told.String(), "; app.log: <nil>") {
			t.Errorf("%d streams, %v, told of %q", len(list), err, told)
		}
	})
}

// TestFollowVanished: a log that is named and gone is told of, however it is named,
// and when it is back: it looked like one in which nothing happens.
func TestFollowVanished(t *testing.T) {
	f := func(named, want string, away func(dir string) error) {
		t.Helper()
		dir := t.TempDir()
		write(t, dir, "logs/app.log", []byte(record("a")+"\n"))
		synctest.Test(t, func(t *testing.T) {
			told := &tellings{}
			feed, err := Follow([]string{filepath.Join(dir, named), filepath.Join(dir, "later.log")}, Options{Unreadable: told.tell}, nil)
			must(t, err)
			defer func() { must(t, feed.Close()) }()
			f := func(wait time.Duration, want string) {
				t.Helper()
				time.Sleep(wait)
				synctest.Wait()
				if got := told.String(); got != want {
					t.Errorf("%s: told of %q, want %q", named, got, want)
				}
			}
			f(2*quiet, "")
			must(t, away(dir))
			f(quiet/2, "")
			f(quiet, want)
			write(t, dir, "logs/app.log", nil)
			if want != "" {
				want += "; " + filepath.Base(named) + ": <nil>"
			}
			f(2*lookSeldom, want)
		})
	}
	removed := func(dir string) error { return os.RemoveAll(filepath.Join(dir, "logs")) }
	f("logs/app.log", "app.log: no such file or directory", removed)
	f("logs", "logs: no such file or directory", removed)
	f("logs", "logs: no logs in this directory", func(dir string) error { return os.Remove(filepath.Join(dir, "logs", "app.log")) })
	f("logs/*.log", "", func(dir string) error {
		return os.Rename(filepath.Join(dir, "logs", "app.log"), filepath.Join(dir, "logs", "app.log.1"))
	})
	f("logs", "", func(dir string) error { return os.Truncate(filepath.Join(dir, "logs", "app.log"), 0) })
}
