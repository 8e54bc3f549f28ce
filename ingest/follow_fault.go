package ingest

import (
	"errors"
	"io/fs"
	"slices"
	"time"
)

// fault is why something cannot be read, and whether that was told of: once it
// has lasted (quiet), and again when it is over.
type fault struct {
	err   error // nil if it can be read
	since time.Time
	told  string // what was told of; empty if nothing was
}

// note takes in why something cannot be read, as it is seen at a time.
func (x *fault) note(err error, at time.Time) {
	if x.err == nil {
		x.since = at
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	}
	x.err = err
}

// lasts tells that nobody has to wait for it to pass.
func (x *fault) lasts() bool { return x.err != nil && time.Since(x.since) >= quiet }

// tell tells of what cannot be read, by a name.
func (o *Options) tell(name string, x *fault) {
	if x.lasts() && x.told == "" && o.Unreadable != nil {
		x.told = name
		o.Unreadable(name, x.err)
	}
}

// untell takes that back.
func (o *Options) untell(x *fault) {
	if x.told != "" {
		o.Unreadable(x.told, nil)
		x.told = ""
	}
}

// now is when a fault began that a look sees. What was there at the start is told
// of at once.
func (f *follower) now() time.Time {
	if !f.looked {
		return time.Time{}
	}
	return time.Now()
}

// tellOf tells of directories that cannot be read, of names that cannot be looked up
// and of what is named and has vanished, as of files; of a stream's own that cannot
// be read its reader does. A log that is empty has not vanished: it was rotated. A
// glob promises no log: pods come and go.
func (f *follower) tellOf(errs []error) {
	before := f.unlisted
	f.unlisted = map[string]*fault{}
	for _, err := range errs {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			continue
		}
		x := before[e.Path]
		switch {
		case unreachable(err):
			if slices.ContainsFunc(f.streams, func(st *followed) bool { return st.path == e.Path }) {
				continue
			}
		case errors.Is(err, errAllEmpty), errors.Is(err, errNoMatch):
			continue
		case (x == nil || unreachable(x.err)) && !f.vanished(e.Path):
			continue
		}
		if x == nil {
			x = &fault{}
		}
		x.note(e.Err, f.now())
		f.unlisted[e.Path] = x
		f.o.tell(e.Path, x)
	}
	for name, x := range before {
		if f.unlisted[name] == nil {
			f.o.untell(x)
		}
	}
}

// vanished tells that an argument, which stands for nothing now, stood for a stream
// that is elsewhere since, or nowhere.
func (f *follower) vanished(arg string) (was bool) {
	for _, st := range f.streams {
		if st.placed() && stands(arg, st.path) {
			return false
		}
		was = was || stands(arg, st.name)
	}
	return was && slices.ContainsFunc(f.args, func(a string) bool { return absolute(a) == absolute(arg) })
}
