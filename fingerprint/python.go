package fingerprint

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// The texts that Python makes of a value it parsed with json.loads: json.dumps
// with sort_keys and ensure_ascii=False, and str (which is repr inside a list
// or dict). Names are ordered by code point, which is the order of their bytes;
// integers of any size stay as they are.
var (
	pythonUTF8 = &jsonStyle{
		comma: ", ", colon: ": ", words: jsonWords, maxDepth: rawjson.MaxDepth,
		text: appendPythonUTF8, number: appendPythonNumber, compare: bytes.Compare,
		constants: [][2]string{{"NaN", "NaN"}, {"Infinity", "Infinity"}, {"-Infinity", "-Infinity"}},
	}
	pythonRepr = &jsonStyle{
		comma: ", ", colon: ": ", words: [3]string{"None", "True", "False"}, maxDepth: rawjson.MaxDepth,
		text: appendPythonRepr, number: appendPythonNumberRepr,
	}
)

// pythonMaxDigits is how many digits Python turns into an int; more raise
// ValueError (sys.int_info.default_max_str_digits).
const pythonMaxDigits = 4300

func appendPythonNumber(dst, text []byte) ([]byte, bool) {
	if !bytes.ContainsAny(text, ".eE") {
		if len(bytes.TrimPrefix(text, []byte("-"))) > pythonMaxDigits {
			return dst, false
		}
		if string(text) == "-0" {
			return append(dst, '0'), true // an int has no negative zero
		}
		return append(dst, text...), true
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if math.IsInf(f, 0) && err != nil {
		if f < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...), true
	}
	return appendPythonFloat(dst, f), true
}

// appendPythonFloat writes a float as Python's repr does.
func appendPythonFloat(dst []byte, f float64) []byte {
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	e := bytes.IndexByte(dst[from:], 'e') + from
	if exponent, _ := strconv.Atoi(string(dst[e+1:])); exponent < -4 || exponent >= 16 {
		return dst
	}
	dst = strconv.AppendFloat(dst[:from], f, 'f', -1, 64)
	if bytes.IndexByte(dst[from:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendPythonNumberRepr is str() of a number. Its infinity has another name.
func appendPythonNumberRepr(dst, text []byte) ([]byte, bool) {
	from := len(dst)
	dst, ok := appendPythonNumber(dst, text)
	if i := bytes.IndexByte(dst[from:], 'I'); i >= 0 {
		dst = append(dst[:from+i], "inf"...)
	}
	return dst, ok
}

// appendPythonASCII writes a string as json.dumps with ensure_ascii.
func appendPythonASCII(dst, text []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		if n := rawjson.Plain(text[i:]); n > 0 {
			dst = append(dst, text[i:i+n]...)
			i += n
			continue
		}
		if c := text[i]; c < utf8.RuneSelf {
			if c == 0x7F {
				dst = rawjson.AppendEscape(dst, rune(c))
			} else {
				dst = rawjson.AppendEscaped(dst, c)
			}
			i++
			continue
		}
		r, n := rawjson.DecodeRune(text[i:])
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			dst = rawjson.AppendEscape(rawjson.AppendEscape(dst, high), low)
		} else {
			dst = rawjson.AppendEscape(dst, r)
		}
		i += n
	}
	return append(dst, '"')
}

// appendPythonUTF8 leaves lone surrogates in: so does a Python str.
func appendPythonUTF8(dst, text []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		if n := rawjson.Plain(text[i:]); n > 0 {
			dst = append(dst, text[i:i+n]...)
			i += n
			continue
		}
		dst = rawjson.AppendEscaped(dst, text[i])
		i++
	}
	return append(dst, '"')
}

// pythonStrip is str.strip().
func pythonStrip(text []byte) []byte {
	for len(text) > 0 {
		r, n := rawjson.DecodeRune(text)
		if !isPythonSpace(r) {
			break
		}
		text = text[n:]
	}
	for len(text) > 0 {
		r, n := utf8.DecodeLastRune(text) // of a lone surrogate the last byte: no space either
		if !isPythonSpace(r) {
			break
		}
		text = text[:len(text)-n]
	}
	return text
}

// isPythonSpace is str.isspace() of one character: Unicode's white space and
// the four separators of ASCII.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F
}

// appendPythonLower is str.lower(): full case mapping. Beyond the mapping of
// single characters that is İ, which becomes two, and Σ at the end of a word.
func appendPythonLower(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if n := asciiPrefix(text[i:]); n > 0 {
			from := len(dst)
			dst = append(dst, text[i:i+n]...)
			for k, c := range dst[from:] {
				dst[from+k] = asciiLower[c]
			}
			i += n
			continue
		}
		r, n := rawjson.DecodeRune(text[i:])
		switch {
		case r == 'İ':
			dst = append(dst, "i̇"...)
		case r == 'Σ' && isFinalSigma(text, i, n):
			dst = append(dst, "ς"...)
		case utf16.IsSurrogate(r), r == utf8.RuneError && n == 1:
			dst = append(dst, text[i:i+n]...)
		default:
			dst = utf8.AppendRune(dst, pythonLower(r))
		}
		i += n
	}
	return dst
}

// asciiPrefix is how many bytes of text are ASCII before the first other.
func asciiPrefix(text []byte) int {
	n := 0
	for ; n+8 <= len(text); n += 8 {
		if binary.LittleEndian.Uint64(text[n:])&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

var asciiLower = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			table[c] += 'a' - 'A'
		}
	}
	return table
}()

// isFinalSigma tells whether the Σ at text[i:i+n] ends a word: a cased
// character goes before it and none follows, ignorable ones left out.
func isFinalSigma(text []byte, i, n int) bool {
	before := text[:i]
	for {
		if len(before) == 0 {
			return false
		}
		r, w := utf8.DecodeLastRune(before)
		if !isCaseIgnorable(r) {
			if !isCased(r) {
				return false
			}
			break
		}
		before = before[:len(before)-w]
	}
	for after := text[i+n:]; len(after) > 0; {
		r, w := rawjson.DecodeRune(after)
		if !isCaseIgnorable(r) {
			return !isCased(r)
		}
		after = after[w:]
	}
	return true
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase) && !isNew(r)
}

// wordMiddle are the characters that Unicode lets stand inside a word beside
// the classes below (Word_Break MidLetter, MidNumLet and Single_Quote).
var wordMiddle = []rune{'\'', '.', ':', 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A}

func isCaseIgnorable(r rune) bool {
	return (unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || slices.Contains(wordMiddle, r)) && !isNew(r)
}

// pythonLower is the lower case of one character.
func pythonLower(r rune) rune {
	if isNew(r) {
		return r
	}
	return unicode.ToLower(r)
}
