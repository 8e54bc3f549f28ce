package ingest

import (
	"cmp"
	"path/filepath"
	"strings"
)

// related tells whether a name is one that a rotation may have given to the
// content of the other: it begins like it.
func related(path, name string) bool {
	stem, _ := splitName(name)
	return strings.HasPrefix(filepath.Base(path), stem)
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

// unrotated are the names that a log may have had before a rotation gave it this
// one.
func unrotated(path string) (names []string) {
	dir, base := filepath.Dir(path), plainName(filepath.Base(path))
	for i := 1; i < len(base); i++ {
		if !strings.ContainsRune(".-_", rune(base[i])) {
			continue
		}
		for _, name := range []string{base[:i], base[:i] + filepath.Ext(base)} {
			if log := filepath.Join(dir, name); rotation(path, log) != "" {
				names = append(names, log)
			}
		}
	}
	return names
}

// compareRotated puts files in order by the log that they are of, and those of one
// log from the oldest on: the one without a number or a date is written to.
func compareRotated(a, b string) int {
	logA, addedA := logOf(a)
	logB, addedB := logOf(b)
	rank := func(added string) int {
		switch {
		case added == "":
			return 2
		case isNumber(added):
			return 1
		}
		return 0
	}
	if c := cmp.Or(cmp.Compare(logA, logB), cmp.Compare(rank(addedA), rank(addedB))); c != 0 {
		return c
	}
	switch {
	case newer(addedA, addedB):
		return 1
	case newer(addedB, addedA):
		return -1
	}
	return 0
}

// logOf is the log that a file is of by its name, and what a rotation added to
// that.
func logOf(path string) (log, added string) {
	if logs := unrotated(path); len(logs) > 0 {
		return logs[0], rotation(path, logs[0])
	}
	return filepath.Clean(plainName(path)), ""
}
