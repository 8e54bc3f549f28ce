package main

import (
	"fmt"

	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
)

// unread is an error if the logs hold lines, and not one request was read from
// them. Of some of several logs that is said.
func (u *ui) unread(r *replay.Result) error {
	var none []replay.StreamResult
	for _, s := range r.Streams {
		if s.Lines > 0 && s.Lines == s.Unread && s.Err == nil {
			none = append(none, s)
		}
	}
	a := &r.Account
	switch {
	case len(none) == 0:
		return nil
	case nothingRead(r):
		return noRequest(none[0].Name, none[0].Format, len(none), a.Blank, a.Malformed)
	case len(none) == 1:
		u.say("%s: no request in %s", none[0].Name, term.Plural(none[0].Lines, "line", "lines"))
	default:
		u.say("%s: no request in %s; nor in %s more", none[0].Name, term.Plural(none[0].Lines, "line", "lines"), term.Plural(int64(len(none)-1), "log", "logs"))
	}
	return nil
}

// nothingRead tells that no line held a request: there is nothing to write.
func nothingRead(r *replay.Result) bool {
	a := &r.Account
	return a.Lines > 0 && a.Lines == a.Blank+a.Malformed
}

// noRequest says of logs, of which name is the first and of a format, that no
// request was read from their lines, what they are instead, and the way out.
func noRequest(name, format string, logs int, blank, malformed int64) error {
	whose := "its"
	if logs > 1 {
		name, whose = name+" and "+term.Plural(int64(logs-1), "log more", "logs more"), "their"
	}
	hint := "no request begins in any of them: is it the right log?"
	if f := formats.ByName(format); f != nil && f.Without != "" && logs == 1 {
		hint = f.Without
	}
	if malformed > 0 {
		hint = "why, says loopgauge explain --skipped; is the format the right one (--format)?"
	}
	return fmt.Errorf("%s: no request in %s %s: %s blank, %s malformed\n%s", name, whose,
		term.Plural(blank+malformed, "line", "lines"), term.Count(blank), term.Count(malformed), hint)
}

// incomplete says which logs could not be read to their end; failed are those
// that could not be opened.
func (u *ui) incomplete(result *replay.Result, failed []error) error {
	for _, s := range result.Streams {
		if s.Err != nil {
			u.fail(fmt.Errorf("%w\nwhat was read before is in the report", s.Err))
			failed = append(failed, s.Err)
		}
	}
	if err := u.unread(result); err != nil {
		u.fail(err)
		failed = append(failed, err)
	}
	if len(failed) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}
