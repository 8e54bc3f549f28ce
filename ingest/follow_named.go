package ingest

import (
	"path/filepath"
	"slices"
)

// narrow leaves out streams of an earlier process that no argument stands for
// any more. Who has their marks keeps them; a stream whose file is gone besides
// ends, and nothing of it is missed.
func (f *follower) narrow() {
	f.streams = slices.DeleteFunc(f.streams, func(s *followed) bool {
		if f.named(s) {
			return false
		}
		s.done = s.done || !s.gone.IsZero()
		return s.gone.IsZero()
	})
	f.fresh = nil
	for _, s := range f.streams {
		f.fresh = append(f.fresh, s)
	}
}

// named tells whether a stream's file is among what is followed, as the last
// look saw it, or is what a rotation made of such a one.
func (f *follower) named(s *followed) bool {
	if s.member {
		return true
	}
	rotated := func(log string) bool {
		return rotation(s.name, log) != "" && absolute(filepath.Dir(s.name)) == absolute(filepath.Dir(log))
	}
	return slices.ContainsFunc(f.args, func(arg string) bool { return stands(arg, s.name) || rotated(arg) }) ||
		slices.ContainsFunc(f.streams, func(x *followed) bool { return x.member && rotated(x.path) })
}

// stands tells whether an argument stands for a file of that name, were it
// there: it is the file, or a directory above it, or a glob of one of them.
func stands(arg, path string) bool {
	arg, path = absolute(arg), absolute(path)
	for {
		if ok, _ := filepath.Match(arg, path); ok || arg == path {
			return true
		}
		above := filepath.Dir(path)
		if above == path {
			return false
		}
		path = above
	}
}

// absolute is a path that can be compared with another's, as far as the working
// directory is known.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
