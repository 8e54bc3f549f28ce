package fingerprint

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Mask is a kind of volatile text that a rule can have replaced before
// hashing.
type Mask struct {
	Name string
	// match returns the length of such a text at the start of text, 0 if
	// there is none. It is asked at the start of each word only.
	match       func(text []byte) int
	placeholder string
}

// Masks are the kinds of text that can be masked, the more specific first: at
// one place the first that matches wins.
var Masks = []Mask{
	{"call_ids", matchCallID, callID},             // ids of tool calls, as in call_9a9e12, toolu_01AbC or chatcmpl-tool-3f2c
	{"uuids", matchUUID, "<uuid>"},                // UUIDs, as in 123e4567-e89b-12d3-a456-426614174000
	{"timestamps", matchTimestamp, "<timestamp>"}, // dates and times, as in 2026-11-21T10:00:00Z or 2026-11-21
	{"durations", matchDuration, "<duration>"},    // how long something took, as in 0.41s, 12 ms, 1m23s, 3.2 seconds or 0:01:23
	{"hex", matchHex, "<hex>"},                    // hexadecimal numbers of 8 digits or more, with 0x or with both digits and letters
	{"numbers", matchNumber, "<number>"},          // decimal numbers, with sign, fraction and exponent; JSON numbers too
}

// MaskNames are those of the kinds of text that can be masked.
func MaskNames() []string { return namesOf(Masks, func(m *Mask) string { return m.Name }) }

// mask is the masks of an identity, in the order of Masks.
type mask []*Mask

func newMask(names []string) (mask, error) {
	var m mask
	for i := range Masks {
		if slices.Contains(names, Masks[i].Name) {
			m = append(m, &Masks[i])
		}
	}
	for _, name := range names {
		if all := MaskNames(); !slices.Contains(all, name) {
			return nil, unknown("mask", name, all)
		}
	}
	return m, nil
}

func (m mask) numbers() bool { return len(m) > 0 && m[len(m)-1].Name == "numbers" }

// onlyCallIDs tells that nothing is masked but what most texts have none of.
func (m mask) onlyCallIDs() bool { return len(m) == 1 && m[0].placeholder == callID }

// append appends text with placeholders. Only whole words are replaced: abc123
// is a name, not a number.
func (m mask) append(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if i == 0 || !isWord(text[i-1]) || text[i-1] >= utf8.RuneSelf && text[i] < utf8.RuneSelf && !endsInWord(text[:i]) {
			if n, placeholder := m.match(text[i:]); n > 0 {
				dst = append(dst, placeholder...)
				i += n
				continue
			}
		}
		dst = append(dst, text[i])
		i++
	}
	return dst
}

func (m mask) match(text []byte) (n int, placeholder string) {
	for _, k := range m {
		if n := k.match(text); n > 0 && !beginsWithWord(text[n:]) {
			return n, k.placeholder
		}
	}
	return 0, ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { c |= ' '; return 'a' <= c && c <= 'z' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isWord(c byte) bool {
	return isDigit(c) || isLetter(c) || c == '_' || c >= 0x80
}

// endsInWord tells whether the last character of a text, which is beyond ASCII,
// makes one word with a letter or digit behind it.
func endsInWord(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return joinsWord(r)
}

// beginsWithWord tells whether a word goes on with text.
func beginsWithWord(text []byte) bool {
	if len(text) == 0 || text[0] < utf8.RuneSelf {
		return len(text) > 0 && isWord(text[0])
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

func matchUUID(t []byte) int {
	if len(t) < 36 {
		return 0
	}
	for i, c := range t[:36] {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return 0
			}
		} else if !isHex(c) {
			return 0
		}
	}
	return 36
}

// digits counts the digits at the start of t, at most limit.
func digits(t []byte, limit int) int {
	n := 0
	for n < len(t) && n < limit && isDigit(t[n]) {
		n++
	}
	return n
}

func matchTimestamp(t []byte) int {
	if len(t) < 10 || digits(t, 4) != 4 || t[4] != '-' || digits(t[5:], 2) != 2 || t[7] != '-' || digits(t[8:], 2) != 2 {
		return 0
	}
	n := 10
	if len(t) < 16 || t[10] != 'T' && t[10] != 't' && t[10] != ' ' || digits(t[11:], 2) != 2 || t[13] != ':' || digits(t[14:], 2) != 2 {
		return n
	}
	n = 16
	if len(t) >= 19 && t[16] == ':' && digits(t[17:], 2) == 2 {
		n = 19
		if len(t) > 20 && (t[19] == '.' || t[19] == ',') && isDigit(t[20]) {
			n = 20 + digits(t[20:], 9)
		}
	}
	switch {
	case n < len(t) && (t[n] == 'Z' || t[n] == 'z'):
		return n + 1
	case n+6 <= len(t) && (t[n] == '+' || t[n] == '-') && digits(t[n+1:], 2) == 2 && t[n+3] == ':' && digits(t[n+4:], 2) == 2:
		return n + 6
	case n+5 <= len(t) && (t[n] == '+' || t[n] == '-') && digits(t[n+1:], 4) == 4:
		return n + 5
	}
	return n
}

func matchHex(t []byte) int {
	n, digit, letter := 0, false, false
	if len(t) > 2 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X') {
		n, digit, letter = 2, true, true
	}
	from := n
	for n < len(t) && isHex(t[n]) {
		digit = digit || isDigit(t[n])
		letter = letter || !isDigit(t[n])
		n++
	}
	if n-from < 8 || !digit || !letter {
		return 0
	}
	return n
}

func matchNumber(t []byte) int {
	n := 0
	if n < len(t) && (t[n] == '-' || t[n] == '+') {
		n++
	}
	k := digits(t[n:], len(t))
	if k == 0 {
		return 0
	}
	n += k
	n += fraction(t[n:])
	if n+1 < len(t) && (t[n] == 'e' || t[n] == 'E') {
		e := n + 1
		if t[e] == '+' || t[e] == '-' {
			e++
		}
		if e < len(t) && isDigit(t[e]) {
			n = e + digits(t[e:], len(t))
		}
	}
	return n
}
