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
		s.done = s.done || !s.placed()
		return s.placed()
	})
	f.fresh = nil
	for _, s := range f.streams {
		f.fresh = append(f.fresh, s)
	}
}

// named tells whether a stream's file is among what is followed, as the last
// look saw it, or is what a rotation made of one that may be again.
func (f *follower) named(s *followed) bool {
	if s.member {
		return true
	}
	names := append(unrotated(s.name), s.name)
	return slices.ContainsFunc(f.args, func(arg string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return stands(arg, name) })
	})
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

// Reads tells whether the arguments of [Follow] stand for a file of that name, were
// it there. What is left out of directories is not read.
func Reads(args []string, path string) bool {
	path = absolute(path)
	return slices.ContainsFunc(args, func(arg string) bool {
		if !stands(arg, path) {
			return false
		}
		below := path
		for above := filepath.Dir(below); above != below && stands(arg, above); above = filepath.Dir(below) {
			if isHidden(filepath.Base(below)) {
				return false
			}
			below = above
		}
		return below == path || !IsSkipped(path)
	})
}
