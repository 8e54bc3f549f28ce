package chars

import (
	"bytes"
	"slices"
)

// BeginsWithAny tells whether a text begins with one of some words.
func BeginsWithAny(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.HasPrefix(text, word) })
}

// EndsWithAny tells whether it ends with one.
func EndsWithAny(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.HasSuffix(text, word) })
}

// HasAny tells whether one is in it.
func HasAny(text []byte, words [][]byte) bool {
	return slices.ContainsFunc(words, func(word []byte) bool { return bytes.Contains(text, word) })
}
