package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest/formats"
)

// site is a directory with logs in it, and a consumer of them.
type site struct {
	t   *testing.T
	dir string
	c   *consumer
}

// add appends text to a file.
func (s *site) add(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	must(s.t, err)
	_, err = file.WriteString(text)
	must(s.t, err)
	must(s.t, file.Close())
	must(s.t, os.Chtimes(path, time.Time{}, time.Now())) // the real clock stands still in a bubble
}

// put replaces a file's content.
func (s *site) put(name, text string) {
	s.t.Helper()
	must(s.t, os.Truncate(filepath.Join(s.dir, name), 0))
	s.add(name, text)
}

func (s *site) rename(from, to string) {
	s.t.Helper()
	must(s.t, os.Rename(filepath.Join(s.dir, from), filepath.Join(s.dir, to)))
}

func (s *site) remove(name string) {
	s.t.Helper()
	must(s.t, os.Remove(filepath.Join(s.dir, name)))
}

func (s *site) link(target, name string) {
	s.t.Helper()
	must(s.t, os.Symlink(filepath.Join(s.dir, target), filepath.Join(s.dir, name)))
}

// down ends the process after a checkpoint.
func (s *site) down() {
	s.c.save()
	s.c.kill()
}

// ended compares how many streams are over.
func (s *site) ended(want int) {
	s.t.Helper()
	s.c.save()
	if s.c.saved.ended != want {
		s.t.Errorf("%d streams have ended, want %d", s.c.saved.ended, want)
	}
}

// text is all that was seen, by stream.
func (s *seen) text() string {
	var list []string
	for i := range int32(len(s.lines) + 10) {
		if lines, ok := s.lines[i]; ok {
			text := ids(lines)
			if s.format[i] != "loopgauge" {
				text += " (" + s.format[i] + ")"
			}
			list = append(list, fmt.Sprintf("%d: %s", i, text))
		}
	}
	return strings.Join(list, "; ")
}

// follow runs do while a site is followed, and compares what was seen.
func follow(t *testing.T, name string, args []string, o Options, do func(*site), want, lost string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			args := slices.Clone(args)
			for i := range args {
				args[i] = filepath.Join(dir, args[i])
			}
			s := &site{t: t, dir: dir}
			s.c = &consumer{tb: t, args: args, o: o, seen: (&seen{}).clone()}
			do(s)
			time.Sleep(3 * lookSeldom)
			got := s.c.end()
			if text := got.text(); text != want {
				t.Errorf("seen %q, want %q", text, want)
			}
			if text := strings.ReplaceAll(strings.Join(got.lost, "; "), dir+string(filepath.Separator), ""); text != lost {
				t.Errorf("lost %q, want %q", text, lost)
			}
		})
	})
}

func TestFollow(t *testing.T) {
	look := func() { time.Sleep(2 * lookSeldom) }
	n := func(ids ...string) string {
		var text string
		for _, id := range ids {
			text += record(id) + "\n"
		}
		return text
	}
	file, dir := []string{"app.log"}, []string{""}
	f := func(name string, args []string, do func(*site), want, lost string) {
		t.Helper()
		follow(t, name, args, Options{}, func(s *site) {
			s.add("app.log", n("a", "b"))
			s.c.begin(nil)
			look()
			do(s)
		}, want, lost)
	}
	f("lines that are appended", file, func(s *site) { s.add("app.log", n("c")) }, "0: a b c", "")
	f("half a line waits", file, func(s *site) { s.add("app.log", record("c")[:9]); time.Sleep(10 * quiet) }, "0: a b", "")
	f("half a line is completed", file, func(s *site) {
		s.add("app.log", record("c")[:9])
		time.Sleep(10 * quiet)
		s.add("app.log", record("c")[9:]+"\n")
	}, "0: a b c", "")
	f("a whole JSON text counts without its newline", file, func(s *site) { s.add("app.log", record("c")); time.Sleep(2 * quiet) }, "0: a b c", "")
	f("and more may follow it, which is lost if it is gone", file, func(s *site) {
		s.add("app.log", record("c"))
		time.Sleep(2 * quiet)
		s.down()
		s.rename("app.log", "../away.log")
		s.c.restart()
		time.Sleep(2 * patience)
	}, "0: a b c", "app.log: the file that was read up to byte 59 is not found under any name: what it got since then is lost")
	f("half a line of a file that was rotated away counts", file, func(s *site) {
		s.add("app.log", record("c")[:12])
		s.rename("app.log", "app.log.1")
		time.Sleep(2 * quiet)
	}, `0: a b {"time":1,"i`, "")
	f("half a line of a file that is not looked into any more, and then rotated away, counts", file, func(s *site) {
		s.add("app.log", record("c")[:12])
		time.Sleep(2 * quiet)
		s.rename("app.log", "app.log.1")
		time.Sleep(2 * quiet)
	}, `0: a b {"time":1,"i`, "")
	f("half a line of a file that was rotated away while none could be opened counts", file, func(s *site) {
		s.add("app.log", record("c")[:12])
		time.Sleep(2 * quiet)
		files := &s.c.feed.(*follower).files
		files.Add(1 << 40)
		s.rename("app.log", "app.log.1")
		look()
		files.Add(-1 << 40)
		time.Sleep(3 * quiet)
	}, `0: a b {"time":1,"i`, "")
	f("half a line that comes long after the rotation waits", file, func(s *site) {
		s.rename("app.log", "app.log.1")
		time.Sleep(3 * quiet)
		s.add("app.log.1", record("c")[:9])
		look()
		s.add("app.log.1", record("c")[9:]+"\n")
	}, "0: a b c", "")
	f("half a line, old by then, is completed behind the rotation", file, func(s *site) {
		s.add("app.log", record("c")[:9])
		time.Sleep(quiet - 3*time.Second) // nothing was read for almost as long as closes a file
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("d"))
		look()
		s.add("app.log.1", record("c")[9:]+"\n")
	}, "0: a b c; 1: d", "")
	f("renamed, and written on", file, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("d"))
		look()
		s.add("app.log.1", n("c"))
	}, "0: a b c; 1: d", "")
	f("renamed twice between two looks", file, func(s *site) {
		s.rename("app.log", "app.log.2")
		s.add("app.log.1", n("c"))
		s.add("app.log", n("d"))
	}, "0: a b; 1: c; 2: d", "")
	f("copied and truncated before it was read", file, func(s *site) {
		s.add("app.log", n("c"))
		s.add("app.log.1", n("a", "b", "c"))
		s.put("app.log", n("dddddddddddddddddddddddddddddddddddddddddddddddddd"))
	}, "0: a b c; 1: dddddddddddddddddddddddddddddddddddddddddddddddddd", "")
	// The reader meets what was written anew before a look does.
	early := func(s *site) {
		time.Sleep(lookSeldom * 4 / 5)
		s.add("app.log", n("c"))
		s.add("app.log.1", n("a", "b", "c"))
		s.put("app.log", n("d", "e", "f", "g", "h"))
	}
	f("copied and truncated, and soon longer than it was", file, early, "0: a b c; 1: d e f g h", "")
	f("truncated without a copy, and soon longer than it was", file, func(s *site) {
		early(s)
		s.remove("app.log.1")
		time.Sleep(2 * patience)
	}, "0: a b; 1: d e f g h", "app.log: truncated, and no copy lies beside it: what it got behind byte 40 is lost, if that was anything")
	f("a copy is not read while it is one", dir, func(s *site) {
		s.add("app.log.1", n("a"))
		look()
		s.add("app.log.1", n("b"))
		time.Sleep(quiet)
	}, "0: a b", "")
	f("a copy that goes its own way is a log", dir, func(s *site) {
		s.add("app.2.log", n("a"))
		look()
		s.add("app.2.log", n("c"))
	}, "0: a b; 1: a c", "")
	f("gone, beside a log that begins alike", dir, func(s *site) {
		s.add("other.log", n("a", "b", "c"))
		look()
		s.rename("app.log", "../away.log")
		time.Sleep(2 * patience)
		s.add("other.log", n("d"))
	}, "0: a b; 1: a b c d", "")
	f("moved to another directory that is followed, and a new file made", dir, func(s *site) {
		must(s.t, os.Mkdir(filepath.Join(s.dir, "old"), 0o700))
		s.add("app.log", n("c"))
		s.rename("app.log", "old/app.log.1")
		s.add("app.log", n("d"))
		time.Sleep(2 * patience)
		s.add("old/app.log.1", n("e"))
	}, "0: a b c e; 1: d", "")
	f("a copy in another directory is a log", dir, func(s *site) {
		must(s.t, os.Mkdir(filepath.Join(s.dir, "old"), 0o700))
		s.add("old/app.log", n("a"))
	}, "0: a b; 1: a", "")
	f("truncated without a copy", file, func(s *site) { s.put("app.log", n("c")); time.Sleep(2 * patience) },
		"0: a b; 1: c", "app.log: truncated, and no copy lies beside it: what it got behind byte 40 is lost, if that was anything")
	f("truncated, and soon what it was and more", file, func(s *site) {
		s.put("app.log", n("a"))
		look()
		s.add("app.log", n("b", "c"))
		time.Sleep(2 * patience)
	}, "0: a b; 1: a b c", "app.log: truncated, and no copy lies beside it: what it got behind byte 40 is lost, if that was anything")
	f("truncated, read anew, and then longer than it was, which is seen first after a restart", file, func(s *site) {
		s.put("app.log", n("a"))
		look()
		s.down()
		s.add("app.log", n("b", "c", "d"))
		s.c.restart()
		time.Sleep(2 * patience)
		s.add("app.log", n("e"))
	}, "0: a b; 1: a b c d e", "app.log: truncated, and no copy lies beside it: what it got behind byte 40 is lost, if that was anything")
	f("the same, and beside it lies a copy by then", file, func(s *site) {
		s.put("app.log", n("a"))
		look()
		s.down()
		s.add("app.log.1", n("a", "b", "b2"))
		s.add("app.log", n("b", "c", "d"))
		s.c.restart()
	}, "0: a b b2; 1: a b c d", "")
	f("replaced by itself and more, beside a copy of it", file, func(s *site) {
		s.add("app.log-kept", n("a", "b"))
		s.add("new", n("a", "b", "c"))
		s.rename("new", "app.log")
	}, "0: a b c", "")
	f("replaced by itself and more, beside a copy of it that comes first", dir, func(s *site) {
		s.add("app-kept.log", n("a", "b"))
		look()
		s.add("new", n("a", "b", "c"))
		s.rename("new", "app.log")
	}, "0: a b c", "")
	f("copied and truncated, beside a compressed copy that stays cut", file, func(s *site) {
		s.add("app.log", n("c"))
		packed := string(gz(s.t, []byte(n("a", "b", "c"))))
		s.add("app-1.log.gz", packed[:len(packed)-9])
		s.add("app-1.log.kept", n("a", "b", "c"))
		s.put("app.log", n("d"))
		time.Sleep(2 * quiet)
	}, "0: a b c; 1: d", "")
	f("gone, beside a copy of no name of its own", file, func(s *site) {
		s.add("backup", n("a", "b", "c"))
		s.rename("app.log", "../away.log")
		time.Sleep(2 * patience)
	}, "0: a b", "")
	f("used again for what is no log while nothing ran", file, func(s *site) {
		s.down()
		s.put("app.log", "\xFD7zXZ\x00 and more")
		s.c.args = []string{s.dir}
		s.c.restart()
		time.Sleep(2 * patience)
	}, "0: a b", "app.log: the file that was read up to byte 40 is not found under any name: what it got since then is lost")
	f("compressed, and not to be looked at for a while at a restart", dir, func(s *site) {
		s.add("old.gz", string(gz(s.t, []byte(n("c")))))
		look()
		s.down()
		undo := blindfold(s.t)
		s.c.restart()
		time.Sleep(2 * patience)
		undo()
		time.Sleep(2 * patience)
	}, "0: a b; 1: c", "")
	f("replaced at once", file, func(s *site) {
		s.add("new", n("c", "d"))
		s.rename("new", "app.log")
	}, "0: a b; 1: c d", "")
	f("deleted while it is written", file, func(s *site) {
		out, err := os.OpenFile(filepath.Join(s.dir, "app.log"), os.O_APPEND|os.O_WRONLY, 0)
		must(s.t, err)
		s.remove("app.log")
		look()
		_, err = out.WriteString(n("c"))
		must(s.t, err)
		must(s.t, out.Close())
		s.add("app.log", n("d"))
	}, "0: a b c; 1: d", "")
	f("away and back", file, func(s *site) {
		s.rename("app.log", "../away.log")
		time.Sleep(20 * quiet)
		s.rename("../away.log", "app.log")
		s.add("app.log", n("c"))
	}, "0: a b c", "")
	f("deleted and gone for good", dir, func(s *site) {
		s.add("other.log", n("c"))
		look()
		s.remove("app.log")
		time.Sleep(forget / 2)
		s.ended(0)
		time.Sleep(forget)
		s.ended(1)
	}, "0: a b; 1: c", "")
	f("rotated, read and removed", file, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("c"))
		time.Sleep(2 * quiet)
		s.remove("app.log.1")
		time.Sleep(patience / 2)
		s.ended(0)
		time.Sleep(patience)
		s.ended(1)
	}, "0: a b; 1: c", "")
	f("rotated, then compressed", dir, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("c"))
		time.Sleep(2 * quiet)
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b")))))
		look()
		s.remove("app.log.1")
		time.Sleep(2 * quiet)
	}, "0: a b; 1: c", "")
	f("away for a moment, and back under another name", file, func(s *site) {
		time.Sleep(2 * quiet)
		s.rename("app.log", "../moment.log")
		look()
		s.rename("../moment.log", "app.log.1")
		s.add("app.log.1", n("c"))
	}, "0: a b c", "")
	f("rotated, and away for a moment", dir, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("c"))
		time.Sleep(2 * quiet)
		s.rename("app.log.1", "../moment.log")
		look()
		s.rename("../moment.log", "app.log.2")
	}, "0: a b; 1: c", "")
	f("rotated beside a copy of its beginning", file, func(s *site) {
		s.add("app.log-kept", n("a", "b"))
		s.add("app.log", n("c"))
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("d"))
	}, "0: a b c; 1: d", "")
	long := strings.Repeat("l", headSize) // shorter files may be taken for others when they grow
	f("written to when it is compressed and removed", dir, func(s *site) {
		s.add("app.log", n(long))
		look()
		gateway, err := os.OpenFile(filepath.Join(s.dir, "app.log"), os.O_APPEND|os.O_WRONLY, 0)
		must(s.t, err)
		defer gateway.Close()
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("d"))
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", long)))))
		_, err = gateway.WriteString(n("c"))
		must(s.t, err)
		s.remove("app.log.1")
		look()
		_, err = gateway.WriteString(n("e"))
		must(s.t, err)
		time.Sleep(2 * quiet)
	}, "0: a b "+long+" c e; 1: d", "")
	f("truncated, then compressed and removed", dir, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log.1", n("c"))
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", "c")))))
		must(s.t, os.Truncate(filepath.Join(s.dir, "app.log.1"), 0)) // as shred does
		s.remove("app.log.1")
		time.Sleep(2 * quiet)
	}, "0: a b c", "")
	f("written over, then compressed and removed", dir, func(s *site) {
		s.rename("app.log", "app.log.1")
		s.add("app.log.1", n("c"))
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", "c")))))
		s.put("app.log.1", strings.Repeat("\x00", len(n("a", "b", "c")))) // as shred does
		s.remove("app.log.1")
	}, "0: a b c", "")
	f("cut short, then compressed and removed", dir, func(s *site) {
		s.add("app.log", n(long))
		look()
		s.rename("app.log", "app.log.1")
		s.add("app.log.1", n("c"))
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", long, "c")))))
		must(s.t, os.Truncate(filepath.Join(s.dir, "app.log.1"), headSize))
		s.remove("app.log.1")
	}, "0: a b "+long+" c", "")
	f("compressed without its last line", file, func(s *site) {
		s.add("app.log", n(long, "c"))
		time.Sleep(2 * quiet)
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", long)))))
		s.remove("app.log")
		time.Sleep(2 * quiet)
	}, "0: a b "+long+" c", "")
	f("a compressed file that grows", dir, func(s *site) {
		s.add("old.gz", string(gz(s.t, []byte(n("c")))))
		look()
		s.add("old.gz", string(gz(s.t, []byte(n("d")))))
	}, "0: a b; 1: c d", "")
	f("a compressed file in no known format", dir, func(s *site) { s.add("old.gz", string(gz(s.t, []byte("what\n")))) }, "0: a b; 1: what (unknown)", "")
	f("a compressed file that is read, and removed while nothing ran", dir, func(s *site) {
		s.add("old.gz", string(gz(s.t, []byte(n("c")))))
		look()
		s.down()
		s.remove("old.gz")
		s.c.restart()
		time.Sleep(2 * patience)
	}, "0: a b; 1: c", "")
	f("a compressed file that is new", dir, func(s *site) { s.add("old.gz", string(gz(s.t, []byte(n("c"))))) }, "0: a b; 1: c", "")
	many := slices.Repeat([]string{"c"}, 100)
	f("a compressed file that is shorter than what was read of it", dir, func(s *site) {
		s.add("old.gz", string(gz(s.t, []byte(n(many...)))))
		look()
		s.down()
		s.c.restart()
	}, "0: a b; 1: "+strings.Join(many, " "), "")
	f("a compressed file that stays cut", dir, func(s *site) {
		packed := gz(s.t, []byte(n("c", "d")))
		s.add("old.gz", string(packed[:len(packed)-2]))
		time.Sleep(2 * quiet)
	}, "0: a b; 1: c d", "old.gz: the compressed data ends early; read up to byte 40")
	f("a compressed file that is damaged", dir, func(s *site) {
		packed := gz(s.t, []byte(n("c", "d")))
		packed[len(packed)-8]++ // its checksum
		s.add("old.gz", string(packed))
		time.Sleep(2 * quiet)
	}, "0: a b; 1: c d", "old.gz: gzip: invalid checksum; read up to byte 40")
	f("what is no log", dir, func(s *site) {
		s.add("old.xz", "\xFD7zXZ\x00 and more")
		s.add("core", "ELF\x00\x01\x02")
		s.add("README.md", "words\n")
	}, "0: a b", "")
	f("an empty file that gets content", dir, func(s *site) { s.add("late.log", ""); look(); s.add("late.log", n("c")) }, "0: a b; 1: c", "")
	f("a link that is turned to another file", []string{"link.log"}, func(s *site) {
		s.link("app.log", "link.log")
		look()
		s.add("1.log", n("c"))
		s.add("app.log", n("b2"))
		s.remove("link.log")
		s.link("1.log", "link.log")
	}, "0: a b b2; 1: c", "")
	f("a link that is turned to a file elsewhere", []string{"link.log"}, func(s *site) {
		for _, name := range []string{"one", "two"} {
			must(s.t, os.Mkdir(filepath.Join(s.dir, name), 0o700))
			s.add(name+"/"+name+".log", n(name))
		}
		s.link("one/one.log", "link.log")
		time.Sleep(2 * quiet) // it is closed
		s.remove("link.log")
		s.link("two/two.log", "link.log")
		s.add("one/one.log", n("more"))
	}, "0: one more; 1: two", "")
	f("lines in no known format", file, func(s *site) {
		s.add("what.log", "x")
		s.rename("what.log", "app.log")
		s.add("app.log", "yz\n")
		look()
		s.add("app.log", n("c"))
	}, "0: a b; 1: xyz c", "")
	f("rotated while nothing ran", file, func(s *site) {
		s.down()
		s.add("app.log", n("c"))
		s.rename("app.log", "app.log-20261121")
		s.add("app.log", n("d"))
		s.c.restart()
	}, "0: a b c; 1: d", "")
	f("rotated and compressed while nothing ran", file, func(s *site) {
		s.down()
		s.add("app.log.1.gz", string(gz(s.t, []byte(n("a", "b", "c")))))
		s.remove("app.log")
		s.add("app.log", n("d"))
		s.c.restart()
	}, "0: a b c; 1: d", "")
	f("gone while nothing ran", file, func(s *site) {
		s.down()
		s.rename("app.log", "../elsewhere")
		s.add("app.log", n("d"))
		s.c.restart()
		time.Sleep(2 * patience)
	}, "0: a b; 1: d", "app.log: the file that was read up to byte 40 is not found under any name: what it got since then is lost")
	f("truncated while nothing ran, to what it begins with", file, func(s *site) {
		s.add("app.log", n(long, "c"))
		look()
		s.down()
		s.put("app.log", n("a", "b", long))
		s.c.restart()
		time.Sleep(2 * patience)
	}, "0: a b "+long+" c; 1: a b "+long, fmt.Sprintf("app.log: truncated, and no copy lies beside it: what it got behind byte %d is lost, if that was anything", len(n("a", "b", long, "c"))))
	f("put between files that were rotated and read long ago", file, func(s *site) {
		s.rename("app.log", "app.log.2")
		s.add("app.log", n("c"))
		time.Sleep(2 * quiet)
		s.add("app.log.1", n("other"))
	}, "0: a b; 1: c", "")
	f("the highest index is not given twice", dir, func(s *site) {
		s.add("other.log", n("c"))
		look()
		s.remove("other.log")
		time.Sleep(2 * forget)
		s.down()
		s.add("third.log", n("d"))
		s.c.restart()
	}, "0: a b; 1: c; 2: d", "")

	follow(t, "many lines in no known format are not waited for", file, Options{}, func(s *site) {
		s.add("app.log", strings.Repeat("x\n", headLines))
		s.c.begin(nil)
	}, "0:"+strings.Repeat(" ", headLines+1)+"(unknown)", "")
	follow(t, "a few lines in no known format are waited for a while", file, Options{}, func(s *site) {
		s.add("app.log", "what\n")
		s.c.begin(nil)
		look()
		s.c.save()
		if text := s.c.saved.text(); text != "" {
			s.t.Errorf("seen too early: %q", text)
		}
		time.Sleep(2 * quiet)
	}, "0: what (unknown)", "")
	follow(t, "the latest lines alone", dir, Options{Latest: true}, func(s *site) {
		s.add("app.log", n("a", "b")+record("c")[:5])
		s.add("old.gz", string(gz(s.t, []byte(n("x")))))
		s.c.begin(nil)
		look()
		s.add("app.log", record("c")[5:]+"\n")
		s.add("new.log", n("d"))
		look()
		s.down()
		s.add("newer.log", n("e"))
		s.c.restart()
	}, "0: c; 2: d; 3: e", "")
	follow(t, "the latest lines alone, of a log that nothing was read of before the restart", dir, Options{Latest: true}, func(s *site) {
		s.add("app.log", n("a", "b"))
		s.c.begin(nil)
		time.Sleep(lookOften)
		s.down()
		s.c.restart()
		s.add("app.log", n("c"))
	}, "0: c", "")
	follow(t, "a line that is too long counts once", file, Options{MaxLine: 50, blockSize: 64}, func(s *site) {
		s.add("app.log", n("a")+strings.Repeat("y", 200))
		s.c.begin(nil)
		look()
		s.down()
		s.add("app.log", strings.Repeat("y", 200)+"\n"+n("b"))
		s.c.restart()
	}, "0: a too long b", "")
	follow(t, "empty, then written and rotated between two looks", file, Options{}, func(s *site) {
		s.add("app.log", "")
		s.c.begin(nil)
		look()
		s.add("app.log", n("a"))
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("b"))
	}, "0: a; 1: b", "")
	follow(t, "rotated empty, then written", file, Options{}, func(s *site) {
		s.add("app.log", "")
		s.c.begin(nil)
		s.rename("app.log", "app.log.1")
		s.add("app.log", n("b"))
		look()
		s.add("app.log.1", n("a"))
		look()
		s.add("app.log.1", n("c"))
	}, "0: b; 1: a c", "")
	follow(t, "an empty file that becomes another log", file, Options{}, func(s *site) {
		s.add("app.log", "")
		s.c.begin(nil)
		s.rename("app.log", "other.log")
		s.add("other.log", n("a"))
		s.add("app.log", n("b"))
	}, "0: b", "")
	at := func(second int, ids ...string) (text string) {
		for _, id := range ids {
			text += fmt.Sprintf("{\"time\":%d,\"id\":%q}\n", second, id)
		}
		return text
	}
	follow(t, "the older log has the lower index", dir, Options{}, func(s *site) {
		s.add("app.log", at(3, "d"))
		s.add("app.log.1", at(2, "c"))
		s.add("app.log.10.gz", string(gz(s.t, []byte(at(1, "a")))))
		s.add("app.log.2", at(1, "b"))
		s.c.begin(nil)
		look()
		s.add("a.log", at(5, "g"))
		s.add("b.log", at(4, "f"))
		s.add("c.log", at(2, "e"))
		look()
		s.down()
		s.add("0.log", at(7, "i"))
		s.add("1.log", at(6, "h"))
		s.add("2.log", "what\n")
		s.c.restart()
		time.Sleep(2 * quiet)
	}, "0: a; 1: b; 2: c; 3: d; 4: e; 5: f; 6: g; 7: h; 8: i; 9: what (unknown)", "")
	follow(t, "a log whose first line is being written", dir, Options{}, func(s *site) {
		whole := at(1, "b")
		s.add("app.log", whole[:len(whole)-5])
		s.add("app.log.1", at(1, "a"))
		s.c.begin(nil)
		look()
		s.add("app.log", whole[len(whole)-5:])
	}, "0: a; 1: b", "")
	follow(t, "short at first, and replaced by another that begins like it", file, Options{}, func(s *site) {
		s.add("app.log", n("a"))
		s.c.begin(nil)
		look()
		s.add("app.log", n("b"))
		look()
		s.add("new", n("a", "c"))
		s.rename("new", "app.log")
	}, "0: a b; 1: a c", "")
	follow(t, "half a line, gone, and another file that begins like it", file, Options{}, func(s *site) {
		s.add("app.log", record("a")[:9])
		s.c.begin(nil)
		look()
		s.rename("app.log", "../away.log")
		s.add("app.log", n("b"))
		time.Sleep(2 * quiet)
	}, `0: {"time":1 (unknown); 1: b`, "")
	follow(t, "half a line, moved to another directory that is followed", dir, Options{}, func(s *site) {
		must(s.t, os.Mkdir(filepath.Join(s.dir, "old"), 0o700))
		s.add("app.log", record("a")[:9])
		s.c.begin(nil)
		look()
		s.rename("app.log", "old/app.log")
		look()
		s.add("old/app.log", record("a")[9:]+"\n")
	}, "0: a", "")
	follow(t, "a file that comes later", []string{"late.log"}, Options{}, func(s *site) {
		s.c.begin(nil)
		look()
		s.add("late.log", n("a"))
	}, "0: a", "")
}

// TestFollowRefuses: arguments that nothing can come of.
func TestFollowRefuses(t *testing.T) {
	dir := t.TempDir()
	f := func(arg, want string) {
		t.Helper()
		feed, err := Follow([]string{arg}, Options{}, nil)
		if err == nil {
			must(t, feed.Close())
			t.Errorf("%s: no error", arg)
			return
		}
		if text := strings.ReplaceAll(err.Error(), dir, ""); text != want {
			t.Errorf("%s: %q, want %q", arg, text, want)
		}
	}
	write(t, dir, "x.xz", []byte("\xFD7zXZ\x00 and more"))
	f("-", "standard input: it cannot be followed\nname the file, or read it with loopgauge replay")
	f(dir+"/gone/app.log", "/gone/app.log: no such file or directory\nthe directory must be there; the file may come later")
	f(dir+"/[", "/[: syntax error in pattern")
	f(dir+"/x.xz", "/x.xz: xz data\nunpack it on the way: xz -dc /x.xz | loopgauge replay -")
	f("/dev/null", "/dev/null: not a file\npipes and sockets cannot be read again after a restart: let them be written to a file")
	if _, err := Follow([]string{dir}, Options{}, []Mark{{Name: "a", File: "what"}}); err == nil || err.Error() != "a: a mark of the state is damaged: file \"what\"\nstart with an empty state" {
		t.Error(err)
	}
}

func TestRotation(t *testing.T) {
	f := func(path, name, want string) {
		t.Helper()
		if got := rotation(path, name); got != want {
			t.Errorf("rotation(%q, %q) is %q, want %q", path, name, got, want)
		}
	}
	f("logs/app.log.1", "app.log", "1")
	f("app.log.12.gz", "app.log", "12")
	f("app.1.log", "app.log", "1")
	f("app.log-20261121", "app.log", "20261121")
	f("app-2026-11-21T10:00.log.zst", "app.log", "2026-11-21T10:00")
	f("app.log.2", "app.log.1.gz", "2")
	f("app-2026-11-21T10-00-00.000-size.log.gz", "app.log", "2026-11-21T10-00-00.000") // Caddy
	f("app-2026-11-21T10-00-00.000-time.log", "app.log", "2026-11-21T10-00-00.000")
	f("app.log", "app.log", "")
	f("app.log.bak", "app.log", "")
	f("app-error.log", "app.log", "")
	f("app-time.log", "app.log", "")
	f("app-20261121-error.log", "app.log", "")
	f("app2.log", "app.log", "")
	g := func(a, b string, want bool) {
		t.Helper()
		if got := newer(a, b); got != want {
			t.Errorf("newer(%q, %q) is %v", a, b, got)
		}
	}
	g("1", "2", true)
	g("9", "10", true)
	g("10", "9", false)
	g("20261121", "20261120", true)
	g("20261120", "20261121", false)
	g("1", "20261121", false)
	g("", "1", false)
	g("1", "1", false)
}

// TestAt: what the file of a stream is by now, that was seen and read so far.
func TestAt(t *testing.T) {
	dir := t.TempDir()
	text := record("a") + "\n" + record("b") + "\n"
	n := int64(len(text))
	f := func(name string, seen, read int64, now string, want state) {
		t.Helper()
		path := write(t, dir, "app.log", []byte(now))
		e, err := entryAt(path)
		must(t, err)
		s := (&follower{}).stream(Mark{Name: path})
		s.place = place{head: headOf([]byte(text)), path: path, id: e.id, size: seen, offset: read}
		if is := s.at(e); is != want || s.state != map[bool]state{true: replaced}[want == replaced] {
			t.Errorf("%s: state %v, is then %v, want %v", name, is, s.state, want)
		}
	}
	f("it has grown", n, n, text+text, there)
	f("it was never seen", -1, 0, text, there)
	f("it begins otherwise", n, n, strings.ToUpper(text), replaced)
	f("it is empty", n, n, "", replaced)
	f("it has less than was read", 2*n, 2*n, text, replaced)
	f("it has less than was there", 2*n, n, text, there)
	f("it is no log", -1, n, "\xFD7zXZ\x00 and more", gone)
	f("it is no log now", n, n, "\xFD7zXZ\x00 and more", there)

	g := func(name string, seen int64, now string, want state) {
		t.Helper()
		e, err := entryAt(write(t, dir, "app.log.gz", gz(t, []byte(text))))
		must(t, err)
		s := (&follower{}).stream(Mark{Name: filepath.Join(dir, now)})
		s.place = place{head: headOf([]byte(text)), path: e.path, id: e.id, size: e.size + seen, offset: 2 * n, packed: true}
		if is := s.at(e); is != want {
			t.Errorf("compressed, %s: state %v, want %v", name, is, want)
		}
	}
	g("it has grown", -1, "app.log.gz", there)
	g("it has less than was there", 1, "app.log.gz", replaced)
	g("a copy has less than was there", 1, "app.log", there)

	e, err := entryAt(write(t, dir, "app.log", []byte(text)))
	must(t, err)
	s := (&follower{}).stream(Mark{Name: "other.log"})
	s.place = place{head: headOf([]byte(text)), id: e.id, size: n, offset: 2 * n}
	if is := s.at(e); is != there {
		t.Errorf("a copy that is shorter than what was read: state %v", is)
	}
	e.id = "1-1"
	if is := s.at(e); is != gone {
		t.Errorf("another file lies there: state %v", is)
	}
	e.path += ".1"
	if is := s.at(e); is != gone {
		t.Errorf("no file lies there: state %v", is)
	}
	e.path = dir
	if is := s.at(e); is != gone {
		t.Errorf("a directory lies there: state %v", is)
	}
	s.size, s.mtime = e.size, e.mtime
	if is := s.at(e); is != there {
		t.Errorf("it did not change, and need not be opened: state %v", is)
	}
	s.state = blind
	if is := s.at(e); is != gone {
		t.Errorf("it did not change, and was not to be looked at: state %v", is)
	}
}

// Files are looked at more often as long as something happens to any of them.
func TestLookTells(t *testing.T) {
	f := func(name string, want bool, do func(*site)) {
		t.Helper()
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := &site{t: t, dir: dir}
			for _, name := range []string{"1.log", "2.log", "3.log"} {
				s.add(name, record(name)+"\n")
			}
			feed, err := Follow([]string{filepath.Join(dir, "*.log")}, Options{}, nil)
			must(t, err)
			f := feed.(*follower)
			must(t, f.Close()) // looks no more by itself
			do(s)
			if got := f.look(false); got != want {
				t.Errorf("%s: %v", name, got)
			}
			time.Sleep(patience)
			f.look(false)
			if f.look(false) {
				t.Errorf("%s: something happens for ever", name)
			}
		})
	}
	f("nothing", false, func(*site) {})
	for _, name := range []string{"1.log", "2.log", "3.log"} {
		f(name+" has grown", true, func(s *site) { s.add(name, "more\n") })
		f(name+" is gone", true, func(s *site) { s.remove(name) })
		f(name+" is renamed", true, func(s *site) { s.rename(name, name+".1") })
		f(name+" is a copy now", true, func(s *site) {
			s.add("copy", record(name)+"\n")
			s.rename("copy", name)
		})
	}
	f("a log is new", true, func(s *site) { s.add("4.log", record("4")+"\n") })
}

// Who waits for a stream is woken by the look that sees more of it.
func TestLookWakes(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &site{t: t, dir: dir}
		s.add("app.log", record("a")+"\n")
		feed, err := Follow([]string{dir}, Options{}, nil)
		must(t, err)
		f := feed.(*follower)
		f.stop() // looks no more by itself
		<-f.stopped
		list, err := f.Accept(t.Context())
		must(t, err)
		read := func(want string) {
			t.Helper()
			c, err := list[0].Next(t.Context())
			if err != nil || c.Block == nil || string(c.Block.Data) != want {
				t.Fatalf("%+v, %v; want %q", c, err, want)
			}
			c.Block.Release()
		}
		read(record("a") + "\n")
		go func() {
			synctest.Wait() // until it is waited for
			s.add("app.log", record("b")+"\n")
			f.look(false)
		}()
		began := time.Now()
		read(record("b") + "\n")
		if late := time.Since(began); late > 0 {
			t.Errorf("read after %s", late)
		}
		must(t, f.Close())
	})
}

// How much is known to follow is told of what grows, and nothing of what is compressed.
func TestFollowBehind(t *testing.T) {
	f := func(name, text string, want ...int64) {
		t.Helper()
		dir := t.TempDir()
		write(t, dir, name, []byte(text))
		synctest.Test(t, func(t *testing.T) {
			feed, err := Follow([]string{dir}, Options{Format: formats.ByName("loopgauge"), blockSize: 32}, nil)
			must(t, err)
			list, err := feed.Accept(t.Context())
			must(t, err)
			var got []int64
			for range want {
				c, err := list[0].Next(t.Context())
				must(t, err)
				if got = append(got, c.Behind); c.Block != nil {
					c.Block.Release()
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: behind by %d, want %d", name, got, want)
			}
			must(t, feed.Close())
		})
	}
	lines := strings.Repeat(record("a")+"\n", 3)
	n := int64(len(lines) / 3)
	f("app.log", lines+"half", 2*n+4, n+4, 4, 4)
	f("app.log.gz", string(gz(t, []byte(lines))), -1, -1, -1)
}

// TestLookIsNotOneMoment: what a look saw may be over when it is judged.
func TestLookIsNotOneMoment(t *testing.T) {
	dir := t.TempDir()
	text := record("a") + "\n" + record("b") + "\n"
	path := write(t, dir, "app.log", []byte(text))
	e, err := entryAt(path)
	must(t, err)
	f := &follower{strangers: map[string]*stranger{}}
	s := f.stream(Mark{Name: path})
	s.place = place{head: headOf([]byte(text)), path: path, id: e.id, size: 20, offset: int64(len(text))}

	// The reader read more than the look saw.
	e.size = 20
	if is := s.at(e); is != there {
		t.Error("a file that grew during the look is taken for truncated")
	}
	// The original was truncated after the copy was seen.
	twin, err := entryAt(write(t, dir, "app.log.1", []byte(text)))
	must(t, err)
	if same, sure := f.isCopy(twin, f.meet(twin), s); !same || !sure {
		t.Error("the copy is not known")
	}
	must(t, os.WriteFile(path, []byte(record("c")+"\n"), 0o666))
	if _, sure := f.isCopy(twin, f.meet(twin), s); sure {
		t.Error("a copy is compared with what its original has become")
	}
	// A directory could not be read.
	must(t, os.Remove(path))
	for _, partial := range []bool{true, false} {
		if _, is := f.stay(&sight{partial: partial}, s); (is == gone) == partial {
			t.Errorf("partial %v: state is %v", partial, is)
		}
	}
	// The reader has met other content, and by now the file begins as before.
	path = write(t, dir, "app.log", []byte(text+text))
	e, err = entryAt(path)
	must(t, err)
	seen := func() *sight {
		return &sight{entries: []*entry{e}, taken: map[string]bool{}, beside: map[string][]*entry{dir: {e}}}
	}
	s.place = place{state: replaced, head: headOf([]byte(text)), path: path, id: e.id}
	if f.renamed(seen(), s) || f.copied(seen(), s) {
		t.Error("what was written anew is taken for what was there")
	}
	// It lies there, and cannot be opened; then nobody can tell where it lies.
	undo := blindfold(t)
	s.state, s.since = gone, time.Now()
	if !f.renamed(seen(), s) || s.state != blind {
		t.Errorf("what lies beside it and cannot be opened is in state %v", s.state)
	}
	must(t, os.Remove(path))
	s.state, f.args, f.streams = there, []string{dir}, []*followed{s}
	if f.look(false); s.state != blind {
		t.Errorf("what lies in a directory that cannot be read is in state %v", s.state)
	}
	undo()
	if !unreachable(newError(path, &os.PathError{Err: syscall.ESTALE}, "")) || unreachable(newError(path, &os.PathError{Err: absent[0]}, "")) {
		t.Error("an outage and an absence are mixed up")
	}
	// One that we may not read says nothing of what lies elsewhere.
	if !transient(newError(path, &os.PathError{Err: syscall.ESTALE}, "")) || transient(newError(path, &os.PathError{Err: syscall.EACCES}, "")) {
		t.Error("an outage and a directory of others are mixed up")
	}
}

// A file that cannot be opened is no stream, so that nobody would hear of it.
func TestFollowUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		f := &follower{looked: true, strangers: map[string]*stranger{}, o: Options{Unreadable: func(file string, err error) {
			told = append(told, fmt.Sprintf("%s: %v", file, err))
		}}}
		e := &entry{path: "gone/app.log", id: "1-1", size: 100, mtime: time.Now()}
		for range 20 {
			kept := f.strangers
			f.strangers = map[string]*stranger{}
			if f.adopt(&sight{}, e, kept, false) {
				t.Fatal("it became a stream")
			}
			if len(told) > 0 && time.Since(f.strangers[e.id].fault.since) < quiet {
				t.Error("it was told of at once")
			}
			time.Sleep(quiet / 10)
		}
		if len(told) != 1 || told[0] != "gone/app.log: no such file or directory" {
			t.Errorf("told of %q", told)
		}
		// There is nothing there any more.
		for range 2 {
			f.look(false)
		}
		if len(told) != 2 || told[1] != "gone/app.log: <nil>" {
			t.Errorf("told of %q", told)
		}
	})
}

// A reader that meets new content where it reads says so, unless a look has
// found the old content elsewhere since the reader opened the file: it took the
// copy for replaced, said that lines were lost, and read the copy again.
func TestReaderLeavesWhatALookFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.log")
	must(t, os.WriteFile(path, []byte("written anew"), 0o666))
	file, err := os.Open(path)
	must(t, err)
	defer func() { must(t, file.Close()) }()
	f := func(opened int, want state) {
		t.Helper()
		s := &followed{f: &follower{hurry: make(chan struct{}, 1)}, tail: &tail{file: file}, opened: opened}
		s.place = place{head: headOf([]byte("read before")), version: 2}
		if s.verify() || s.state != want {
			t.Errorf("opened at version %d of 2: state %v, want %v", opened, s.state, want)
		}
	}
	f(2, replaced)
	f(1, there)
}
