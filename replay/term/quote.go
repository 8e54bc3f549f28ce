package term

import (
	"path/filepath"
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// Quoted is a word as a shell takes it, fit to be shown. On Windows a backslash needs
// no quotes, and cmd knows no other quotes than those that no name has.
func Quoted(word string) string {
	switch {
	case plainWord.MatchString(filepath.ToSlash(word)):
		return word
	case filepath.Separator == '\\':
		return `"` + Safe(word) + `"`
	}
	return "'" + strings.ReplaceAll(Safe(word), "'", `'\''`) + "'"
}
