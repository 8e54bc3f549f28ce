package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

// asked is what explain is asked about: an episode, a line of a log, or a
// record of a topic, whose line is its offset.
type asked struct {
	episode, log string
	line         int64
	item         int
	stream       int    // its index among those that are read
	record       string // its stream; empty if it is none
}

// Of an episode, and of a repeat as tune lists them.
var episodeID = regexp.MustCompile(`^(ep|lp)-[0-9a-f]{16}$`)

// parseAsked reads EPISODE, LOG:LINE or LOG:LINE:N, TOPIC/PARTITION:OFFSET or
// TOPIC/PARTITION:OFFSET:N. A file's name may have colons itself, so what is
// there on the disk decides, or the logs of the dataset, nil if there is none.
// logs are those that are named beside it; a record's topic comes to them if it
// is named with it.
func parseAsked(arg string, logs *[]string, d *dataset) (asked, error) {
	if exists(arg) {
		return asked{}, usage(fmt.Errorf("say what to explain: %s:LINE for a line of this log, an episode's id before it, --identity NAME or --skipped", term.Safe(blob.Object(arg))))
	}
	if episodeID.MatchString(arg) {
		return asked{episode: arg}, nil
	}
	if what, ok, err := askedRecord(arg, logs, d); ok || err != nil {
		return what, err
	}
	log, number, ok := cutNumber(arg)
	if !ok {
		if strings.HasPrefix(arg, "ep-") || strings.HasPrefix(arg, "lp-") {
			return asked{}, usage(fmt.Errorf("%q is no id of an episode: those are ep- (of tune also lp-) and 16 hexadecimal digits", arg))
		}
		return asked{}, usage(fmt.Errorf("%q is neither LOG:LINE nor the id of an episode, which 'loopgauge replay --json LOG' has", arg))
	}
	if d != nil {
		return d.asked(log, number)
	}
	if exists(log) || log == ingest.StdinName {
		return asked{log: log, line: number}, nil
	}
	if file, line, ok := cutNumber(log); ok && exists(file) {
		return asked{log: file, line: line, item: int(number)}, nil
	}
	_, err := os.Stat(log)
	if err == nil {
		err = errors.New("is a directory: name the log in it")
	}
	return asked{}, policy.FileError(term.Safe(log), err)
}

// exists tells whether there is a log of this name.
func exists(name string) bool {
	if blob.Is(name) { // a line's number is behind it
		_, _, ok := cutNumber(name)
		return !ok
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// askedRecord reads TOPIC/PARTITION:OFFSET; ok is false if arg is none, or may
// be a line of a file.
func askedRecord(arg string, logs *[]string, d *dataset) (what asked, ok bool, err error) {
	place, ok := kafka.ParsePlace(arg)
	if !ok {
		if kafka.IsTopic(arg) {
			return what, false, usage(fmt.Errorf("say what to explain: TOPIC/PARTITION:OFFSET or an episode's id before %s, or --identity NAME or --skipped", term.Safe(arg)))
		}
		return what, false, nil
	}
	what = asked{log: place.Stream(), line: place.Offset, item: place.Item, record: place.Stream()}
	if d != nil {
		if i := slices.IndexFunc(d.Run.Logs, func(l parquet.Log) bool { return l.Name == what.log }); i >= 0 {
			what.stream = i
			return what, true, nil
		}
		return what, false, nil
	}
	named := func(log string) bool {
		c, err := kafka.Parse(log)
		return err == nil && c.Topic == place.Topic
	}
	if place.Source != "" && !slices.ContainsFunc(*logs, named) {
		*logs = append([]string{place.Source}, *logs...)
	}
	if slices.ContainsFunc(*logs, named) {
		return what, true, nil
	}
	if file, _, _ := cutNumber(arg); place.Item == 0 && !exists(file) || place.Item > 0 && !exists(file[:strings.LastIndexByte(file, ':')]) {
		return what, false, usage(fmt.Errorf("%s: there is no such file; if it is a record of a topic name that too:\nloopgauge explain %[1]s kafka://host:port/%s", term.Safe(arg), place.Topic))
	}
	return asked{}, false, nil
}

// asked finds the log of LOG:LINE or LOG:LINE:N among those that the dataset
// was made of, which need not be there any more. The dataset itself stands for
// its only log.
func (d *dataset) asked(log string, number int64) (asked, error) {
	find := func(name string) (at []int) {
		for i, l := range d.Run.Logs {
			if l.Name == name {
				return []int{i}
			}
			if filepath.Base(l.Name) == filepath.Base(name) || len(d.Run.Logs) == 1 && filepath.Clean(name) == filepath.Clean(d.Dir) {
				at = append(at, i)
			}
		}
		return at
	}
	found := find(log)
	what := asked{log: log, line: number}
	if file, line, ok := cutNumber(log); ok && len(found) == 0 {
		found, what = find(file), asked{log: file, line: line, item: int(number)}
	}
	if len(found) == 1 {
		what.stream = found[0]
		return what, nil
	}
	var names []string
	for _, l := range d.Run.Logs[:min(5, len(d.Run.Logs))] {
		names = append(names, term.Safe(l.Name))
	}
	return what, usage(fmt.Errorf("%s is not one log of %s, which was made of %s, such as %s\nname one: loopgauge explain LOG:LINE %s",
		term.Safe(what.log), d.Dir, term.Plural(int64(len(d.Run.Logs)), "log", "logs"), strings.Join(names, ", "), d.Dir))
}

// cutNumber cuts a number from 1 off behind the last colon.
func cutNumber(arg string) (rest string, n int64, ok bool) {
	i := strings.LastIndexByte(arg, ':')
	if i < 1 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(arg[i+1:], 10, 32)
	return arg[:i], n, err == nil && n > 0
}

// among finds the stream of the record asked about, and closes them all if it
// is not there.
func (what asked) among(streams []ingest.Stream) (index int, err error) {
	index = -1
	var names []string
	for i, s := range streams {
		switch {
		case s.Name() != what.record:
			names = append(names, term.Safe(s.Name()))
		case index >= 0:
			err = usage(fmt.Errorf("%s is a partition of two topics: name the one that is meant", what.record))
		default:
			index = i
		}
	}
	if index < 0 {
		err = fmt.Errorf("%s: no records of this partition are read, but of %s\nit is empty or not there, or --since or offsets leave it out", what.record, strings.Join(names, ", "))
	}
	if err != nil {
		ingest.CloseAll(streams)
	}
	return index, err
}
