// Package chars tells the characters apart that words, numbers and ids are made of, and
// the words that a text begins with, ends with or has.
package chars

import (
	"unicode"
	"unicode/utf8"
)

// IsDigit tells a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter tells a letter of ASCII.
func IsLetter(c byte) bool { c |= ' '; return 'a' <= c && c <= 'z' }

// IsHex tells a hexadecimal digit.
func IsHex(c byte) bool {
	return IsDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// IsWord tells a byte that may be of a word: a letter, a digit, an underscore, or a part of
// a character beyond ASCII.
func IsWord(c byte) bool {
	return IsDigit(c) || IsLetter(c) || c == '_' || c >= 0x80
}

// EndsInWord tells whether the last character of a text, which is beyond ASCII,
// makes one word with a letter or digit behind it.
func EndsInWord(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return joinsWord(r)
}

// BeginsWithWord tells whether a word goes on with text.
func BeginsWithWord(text []byte) bool {
	if len(text) == 0 || text[0] < utf8.RuneSelf {
		return len(text) > 0 && IsWord(text[0])
	}
	r, _ := utf8.DecodeRune(text)
	return joinsWord(r)
}

// joinsWord tells whether a character beyond ASCII makes one word with letters and
// digits beside it. Punctuation does not, nor do the scripts in which nothing
// stands between words: the 5 of 第5页 is a word.
func joinsWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r)) && !unicode.In(r, unbroken...)
}

// unbroken are the scripts that are written without spaces between words.
var unbroken = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, kanaMarks, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// kanaMarks end words as kana do, of neither of which they are: that of a long vowel,
// as in エラー404, and those of voice, where they stand apart.
var kanaMarks = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3099, Hi: 0x309a, Stride: 1}, {Lo: 0x30fc, Hi: 0x30fc, Stride: 1}, {Lo: 0xff70, Hi: 0xff70, Stride: 1}, {Lo: 0xff9e, Hi: 0xff9f, Stride: 1}}}

// Digits counts the digits at the start of t, at most limit.
func Digits(t []byte, limit int) int {
	n := 0
	for n < len(t) && n < limit && IsDigit(t[n]) {
		n++
	}
	return n
}

// IsSpaceEscape tells the letters that make white space behind a backslash.
func IsSpaceEscape(c byte) bool { return c == 'n' || c == 'r' || c == 't' || c == 'f' }
