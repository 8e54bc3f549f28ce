package ingest

import (
	"path/filepath"
	"strings"
)

// related tells whether a name is one that a rotation may have given to the
// content of the other: it begins like it.
func related(path, name string) bool {
	stem, _ := splitName(name)
	return strings.HasPrefix(filepath.Base(path), stem)
}

// related tells whether a name is one that a rotation may have given to the
// stream's content.
func (s *followed) related(path string) bool {
	return related(path, s.name) || s.log != s.name && related(path, s.log)
}

// rotation is what a rotation added to the name of the stream's log. A link may
// also be turned to files whose names begin like its own.
func (s *followed) rotation(path string) string {
	if added := rotation(path, s.name); added != "" || s.log == s.name {
		return added
	}
	return rotation(path, s.log)
}

// splitName cuts a file's name at its first dot.
func splitName(path string) (stem, ending string) {
	base := filepath.Base(path)
	if i := strings.IndexByte(base[1:], '.'); i >= 0 {
		return base[:i+1], base[i+1:]
	}
	return base, ""
}

// rotation is what a rotation added to the name of a log: a number (app.log.1,
// app.1.log) or a date (app.log-20261121, app-2026-11-21T10.log), compressed or
// not; empty if the file is none of the log's.
func rotation(path, name string) string {
	base, name := plainName(filepath.Base(path)), logName(name)
	added, ok := strings.CutPrefix(base, filepath.Base(name))
	if !ok {
		stem, ending := splitName(name)
		if added, ok = strings.CutPrefix(base, stem); !ok {
			return ""
		}
		if added, ok = strings.CutSuffix(added, ending); !ok {
			return ""
		}
	}
	added = strings.TrimSuffix(strings.TrimSuffix(added, "-size"), "-time") // why, as Caddy says behind the date
	if len(added) < 2 || !strings.ContainsRune(".-_", rune(added[0])) || added[1] < '0' || added[1] > '9' {
		return ""
	}
	if strings.Trim(added[1:], "0123456789.-_:TZ+") != "" {
		return ""
	}
	return added[1:]
}

// plainName is a name without the ending of a compressed file.
func plainName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
}

// logName is the name of the log that a file of this name is of.
func logName(path string) string {
	if plain := plainName(path); numbered(plain) {
		return strings.TrimSuffix(plain, filepath.Ext(plain))
	}
	return path
}

// numbered tells a file that was rotated, as its name shows: app.log.1.
func numbered(path string) bool {
	ending := filepath.Ext(path)
	return len(ending) > 1 && isNumber(ending[1:])
}

// isNumber tells a number that a rotation counts with from a date.
func isNumber(text string) bool { return len(text) <= 4 && strings.Trim(text, "0123456789") == "" }

// newer tells by what a rotation added to a name whether one file is of a later
// time than another: numbers grow with age, dates do not.
func newer(a, b string) bool {
	switch {
	case a == "" || b == "" || isNumber(a) != isNumber(b):
		return false
	case isNumber(a):
		return len(a) < len(b) || len(a) == len(b) && a < b
	}
	return a > b
}
