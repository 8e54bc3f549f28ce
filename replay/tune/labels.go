package tune

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/loopgauge/loopgauge/window/policy"
)

// Labels are sessions that somebody has looked at, or, where the log names none,
// conversations, by the name that reports give them: whether each is a loop.
type Labels map[string]bool

// Written are the labels by the names that a run writes, which may hash them.
// Those that are hashes already stay.
func (l Labels) Written(person func(string) string) Labels {
	written := make(Labels, len(l))
	for session, loop := range l { // any order: each is written alike
		if !hashedName.MatchString(session) {
			session = person(session)
		}
		written[session] = loop
	}
	return written
}

var hashedName = regexp.MustCompile(`^(id|conv)-[0-9a-f]{12}$`)

// ReadLabels reads JSON lines {"session": "...", "loop": true}. Where loop is null
// nobody could tell, and there is no label. name is how errors call the file.
func ReadLabels(name string, src io.Reader) (Labels, error) {
	const form = `each line is {"session": "...", "loop": true or false}`
	labels := Labels{}
	s := bufio.NewScanner(src)
	const longest = 1 << 20
	s.Buffer(nil, longest)
	line := 1
	for ; s.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(s.Bytes(), []byte("\ufeff"))) // some editors begin a file so
		if len(text) == 0 {
			continue
		}
		var row struct {
			Session *string         `json:"session"`
			Loop    json.RawMessage `json:"loop"`
		}
		err := json.Unmarshal(text, &row)
		place, why := fmt.Sprintf("%s:%d", name, line), ""
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
			place += fmt.Sprintf(":%d", int64(bytes.Index(s.Bytes(), text))+max(broken.Offset, 1))
			why = broken.Error()
		} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			why = cmp.Or(wrong.Field, "it") + " is of the wrong type, " + wrong.Value
		} else if row.Session == nil || *row.Session == "" {
			why = "no session"
		} else if row.Loop == nil {
			why = "no loop"
		} else if !slices.Contains([]string{"true", "false", "null"}, string(row.Loop)) {
			why = "loop is neither true nor false"
		}
		if why != "" {
			return nil, fmt.Errorf("%s: %s; %s", place, why, form)
		}
		if string(row.Loop) == "null" {
			continue
		}
		loop := string(row.Loop) == "true"
		if was, twice := labels[*row.Session]; twice && was != loop {
			return nil, fmt.Errorf("%s:%d: session %q is labelled true and false", name, line, *row.Session)
		}
		labels[*row.Session] = loop
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of more than %d bytes; %s", name, line, longest, form)
	} else if err != nil {
		return nil, policy.FileError(name, err)
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("%s: no labels in it; %s", name, form)
	}
	return labels, nil
}
