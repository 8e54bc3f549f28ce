package term

import "github.com/loopgauge/loopgauge/ingest/shellword"

// Quoted is a word as a shell takes it, fit to be shown.
func Quoted(word string) string { return shellword.Quoted(word, Safe(word)) }
