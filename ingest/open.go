package ingest

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// together is of how many sources the heads are read at once: an object store takes
// its time to answer, and there may be thousands of objects.
const together = 8

// OpenAll opens sources as the streams from an index on, the older log first
// however they are named. What cannot be opened is in failed, and has no index.
func OpenAll(sources []*Source, first int32, o Options) (streams []Stream, failed []error) {
	opened, errs := openEach(sources, o)
	for _, err := range errs {
		if err != nil {
			failed = append(failed, err)
		}
	}
	opened = slices.DeleteFunc(opened, func(s *fileStream) bool { return s == nil })
	sortByAge(opened, func(s *fileStream) age { return age{s.written, s.source.real()} })
	for i, s := range opened {
		s.index = first + int32(i)
		streams = append(streams, s)
	}
	return streams, said(failed)
}

// openEach opens sources. There is a stream or an error for each.
func openEach(sources []*Source, o Options) ([]*fileStream, []error) {
	opened, errs := make([]*fileStream, len(sources)), make([]error, len(sources))
	var wait sync.WaitGroup
	free := make(chan struct{}, together)
	for i, src := range sources {
		free <- struct{}{}
		wait.Go(func() {
			opened[i], errs[i] = open(src, o)
			<-free
		})
	}
	wait.Wait()
	return opened, errs
}

// CloseAll closes streams.
func CloseAll(streams []Stream) {
	for _, s := range streams {
		s.Close()
	}
}

// said has one error for all files of a directory of which the same is said.
func said(failed []error) (errs []error) {
	type same struct{ dir, why string }
	more, first := map[same]int{}, map[same]*Error{}
	for _, err := range failed {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			errs = append(errs, err)
			continue
		}
		s := same{filepath.Dir(e.Path), e.Err.Error()}
		if first[s] != nil {
			more[s]++
			continue
		}
		first[s] = &Error{e.Path, e.Err, e.Hint}
		errs = append(errs, first[s])
	}
	for s, n := range more { // any order: each is another's
		first[s].Path += fmt.Sprintf(" and %d more beside it", n)
	}
	return errs
}
