package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a policy.
type Problem struct {
	File         string
	Line, Column int    // from 1; 0 if it is about the whole file
	Path         string // rules[0].threshold; empty for the file itself
	What         string
}

func (p Problem) String() string {
	place := p.File
	if p.Line > 0 {
		place += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	if p.Path != "" {
		place += ": " + p.Path
	}
	return place + ": " + p.What
}

// Errors is everything wrong with a policy, in the order of the file.
type Errors []Problem

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return e
}

// named are the names of what a list holds.
func named[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return names
}

// namesOf are words as texts.
func namesOf[T ~string](words []T) []string {
	return named(words, func(w T) string { return string(w) })
}

// suggest ends a message about a wrong word: with the one that was meant, if
// one is near, and else with all there are.
func suggest(word string, words []string) string {
	if meant := Meant(word, words); meant != "" {
		return fmt.Sprintf("; did you mean %s?", meant)
	}
	return "; there are " + strings.Join(words, ", ")
}

// Meant is the one of some words that a wrong one is near to; "" if none is.
func Meant(wrong string, words []string) (meant string) {
	least := 1 + len(wrong)/3
	for _, w := range words {
		if d := distance(wrong, w); d <= least {
			meant, least = w, d-1
		}
	}
	return meant
}

// distance is how many letters must be changed, added, taken away or swapped with
// the next one to turn a into b (Levenshtein, as Damerau has it).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	var above []int // the row before
	for i := range len(a) {
		next := make([]int, len(row))
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = row[j]
			if a[i] != b[j] {
				next[j+1] = 1 + min(row[j], row[j+1], next[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], 1+above[j-1])
			}
		}
		above, row = row, next
	}
	return row[len(b)]
}
