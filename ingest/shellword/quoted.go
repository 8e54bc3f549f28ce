// Package shellword writes words into commands that are shown, so that they work as they
// stand.
package shellword

import (
	"path/filepath"
	"regexp"
	"strings"
)

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// Quoted is a word as a shell takes it; shown is what of it stands in quotes, if it needs
// any. On Windows a backslash needs none, and cmd knows no other quotes than those that no
// name has.
func Quoted(word, shown string) string {
	switch {
	case plain.MatchString(filepath.ToSlash(word)):
		return word
	case filepath.Separator == '\\':
		return `"` + shown + `"`
	}
	return "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
}
