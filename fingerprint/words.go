package fingerprint

import (
	"bytes"
	"slices"
)

// begins tells whether a text begins with one of some words.
func begins(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.HasPrefix(text, word) })
}

// ends tells whether it ends with one.
func ends(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.HasSuffix(text, word) })
}

// has tells whether one is in it.
func has(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(text, word) })
}
