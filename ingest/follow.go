package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookOften and lookSeldom are how often files are looked at, while
	// something happens and when nothing does. Asking works on every file
	// system, unlike being told.
	lookOften  = 250 * time.Millisecond
	lookSeldom = time.Second

	// quiet is how long a file must not have grown until it is closed, and
	// until the last line of one that was rotated away counts without its
	// newline: programs that were told to reopen their log write on for a while.
	quiet = time.Minute

	// patience is how long a file that is not to be found is searched for: a
	// directory that is being rotated is not seen in one moment.
	patience = 5 * time.Second

	// forget is after how long a file that is gone, with no other in its
	// place, does not come back.
	forget = time.Hour
)

// follower is the feed of followed files.
//
// One goroutine looks where files are; each stream's reader reads its own.
// What both need is guarded by mu.
type follower struct {
	args []string
	o    Options

	mu        sync.Mutex
	streams   []*followed          // open, by index
	next      int32                // index of the next new one
	reading   int32                // highest index that somebody reads
	fresh     []Live               // not accepted yet
	accepted  bool                 // the streams that there were at first
	looked    bool                 // once
	strangers map[string]*stranger // by inode
	unlisted  map[string]*fault    // by path, what cannot be looked into
	short     map[string]short     // by inode

	files   atomic.Int64  // that are open
	arrived chan struct{} // fresh has got something
	hurry   chan struct{} // a look is wanted now
	stop    context.CancelFunc
	stopped chan struct{}
}

// Follow reads files that grow, are rotated, come and go. Arguments are files,
// directories and globs, as in Find; what they stand for is looked up again and
// again. Each file is a stream, and stays one under whatever name it is rotated
// to; marks say how far those of an earlier process came, nil that there was
// none. A mark of a file that the arguments do not stand for any more becomes no
// stream. The error is about arguments that can never be followed.
//
// An index is not used again: the stream with the highest does not end before
// there is another, so that the marks always hold it.
func Follow(args []string, o Options, marks []Mark) (Feed, error) {
	o.fill()
	if err := Followable(args); err != nil {
		return nil, err
	}
	f := &follower{
		args: args, o: o, reading: -1, strangers: map[string]*stranger{}, short: map[string]short{},
		arrived: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	for _, m := range slices.SortedFunc(slices.Values(marks), func(a, b Mark) int { return int(a.Stream) - int(b.Stream) }) {
		s, err := f.resume(m)
		if err != nil {
			return nil, err
		}
		f.streams = append(f.streams, s)
		f.next = s.index + 1
	}
	f.look(o.Latest && marks == nil)
	f.narrow()
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	go f.run(ctx)
	return f, nil
}

// Followable refuses arguments of Follow that nothing can come of. What cannot be
// read now is none: a restart would end the others too.
func Followable(args []string) error {
	var errs []error
	for _, arg := range args {
		if err := followable(arg); !unreachable(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func followable(arg string) error {
	if arg == StdinName {
		return newError("standard input", errors.New("it cannot be followed"), "name the file, or read it with loopgauge replay")
	}
	info, id, err := statFile(arg)
	switch {
	case err == nil && info.IsDir():
		_, err := os.ReadDir(arg)
		if err != nil {
			return newError(arg, err, "")
		}
		return nil
	case err == nil && !info.Mode().IsRegular():
		return newError(arg, errors.New("not a file"), "pipes and sockets cannot be read again after a restart: let them be written to a file")
	case err == nil:
		return followableFile(arg, id, info.Size())
	case !errors.Is(err, fs.ErrNotExist):
		return newError(arg, err, "")
	}
	dir := filepath.Dir(arg)
	if strings.ContainsAny(arg, "*?[") {
		if _, err := filepath.Match(arg, ""); err != nil {
			return newError(arg, err, "")
		}
		if strings.ContainsAny(dir, "*?[") {
			return nil
		}
	}
	// A log may be made later. The directory that it is to lie in is there, or
	// the name is wrong.
	if _, err := os.Stat(dir); err != nil {
		return newError(arg, err, "the directory must be there; the file may come later")
	}
	return nil
}

// followableFile refuses a file that is named and can be seen to be no log.
func followableFile(path, id string, size int64) error {
	if size == 0 {
		return nil
	}
	_, _, err := beginning(path, id, headSize)
	if errors.Is(err, errMoved) || errors.Is(err, fs.ErrNotExist) || cutShort(err) {
		return nil
	}
	return err
}

// run looks until it is stopped.
func (f *follower) run(ctx context.Context) {
	defer close(f.stopped)
	every := lookOften
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.hurry:
		case <-time.After(every):
		}
		if f.look(false) {
			every = lookOften
		} else {
			every = min(2*every, lookSeldom)
		}
	}
}

// signal says something to who waits for it, once.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// number gives new streams their indices, and them to who accepts streams: the
// older log has the lower one, as offline.
func (f *follower) number(fresh []*followed) {
	if len(fresh) > 1 {
		ages := map[*followed]age{}
		var sources []*Source
		for _, s := range fresh {
			sources = append(sources, &Source{Name: s.path, path: s.path, followed: true})
		}
		opened, errs := openEach(sources, f.o)
		for i, s := range fresh {
			written := int64(0)
			if errs[i] == nil {
				written = opened[i].written
				opened[i].Close()
			}
			ages[s] = age{written, sources[i].real()}
		}
		sortByAge(fresh, func(s *followed) age { return ages[s] })
	}
	for _, s := range fresh {
		s.index = f.next
		s.start.Stream, s.position.Stream = s.index, s.index
		f.next++
		f.fresh = append(f.fresh, s)
		signal(f.arrived)
	}
}

func (f *follower) Accept(ctx context.Context) ([]Live, error) {
	for {
		f.mu.Lock()
		list, first := f.fresh, !f.accepted
		f.fresh, f.accepted = nil, true
		f.mu.Unlock()
		if first || len(list) > 0 {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.arrived:
		}
	}
}

// Commit has nothing to do: nobody else knows how far we are.
func (f *follower) Commit(ctx context.Context, _ []Mark) error { return ctx.Err() }

func (f *follower) Close() error {
	f.stop()
	<-f.stopped
	for _, s := range f.streams {
		s.shut()
	}
	return nil
}

// leave forgets a stream whose file is gone, if another is read that has taken
// its name, or it is gone alone and for long. The stream with the highest index
// stays.
func (f *follower) leave(s *followed, alone bool) bool {
	if s.index >= f.reading {
		return false
	}
	for _, x := range f.streams {
		alone = alone || x.index > s.index && x.index <= f.reading && logName(x.name) == logName(s.name)
	}
	if alone {
		f.streams = slices.DeleteFunc(f.streams, func(x *followed) bool { return x == s })
	}
	return alone
}
