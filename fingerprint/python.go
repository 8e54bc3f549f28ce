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
		r, n := rawjson.DecodeRune(text[i:])
		dst = appendPythonEscape(dst, r)
		i += n
	}
	return append(dst, '"')
}

// appendPythonEscape writes a character as json.dumps with ensure_ascii does.
func appendPythonEscape(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && rawjson.IsPlain(byte(r)):
		return append(dst, byte(r))
	case r < 0x7F:
		return rawjson.AppendEscaped(dst, byte(r))
	case r > 0xFFFF:
		high, low := utf16.EncodeRune(r)
		return rawjson.AppendEscape(rawjson.AppendEscape(dst, high), low)
	}
	return rawjson.AppendEscape(dst, r)
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
func pythonStrip(text []byte) []byte { return bytes.TrimFunc(text, isPythonSpace) }

// isPythonSpace is str.isspace() of one character: Unicode's white space and
// the four separators of ASCII.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F
}

// appendPythonLower is str.lower(). ASCII, which is nearly all of it, goes eight bytes at
// a time.
func appendPythonLower(dst, text []byte) []byte {
	const highs = 0x8080808080808080
	for i := 0; i < len(text); {
		if i+8 <= len(text) {
			if x := binary.LittleEndian.Uint64(text[i:]); x&highs == 0 {
				dst = binary.LittleEndian.AppendUint64(dst, lowerWord(x))
				i += 8
				continue
			}
		}
		if c := text[i]; c < utf8.RuneSelf {
			dst = append(dst, asciiLower(c))
			i++
			continue
		}
		r, mark, n := pythonLowerAt(text, i)
		if utf16.IsSurrogate(r) || r == utf8.RuneError && n == 1 {
			dst = append(dst, text[i:i+n]...)
		} else if dst = utf8.AppendRune(dst, r); mark != 0 {
			dst = utf8.AppendRune(dst, mark)
		}
		i += n
	}
	return dst
}

// appendPythonLowerVerbatim is appendPythonASCII of str.lower() of the text that stands
// in inner as JSON: see [rawjson.Verbatim]. Its escapes are Python's too, and
// their letters are lower case, so nearly all of it can be copied. ok is false
// for a Σ, whose lower case depends on the characters around it.
func appendPythonLowerVerbatim(dst, inner []byte) (out []byte, ok bool) {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	from := len(dst)
	dst = append(dst, '"')
	for i := 0; i < len(inner); {
		dst = slices.Grow(dst, len(inner)-i+8)
		to := dst[len(dst):cap(dst)]
		n, rest := 0, inner[i:]
		if vectors := len(rest) / 32; hasVectors && vectors > 0 {
			n = lowerVectors(&to[0], &rest[0], vectors)
		}
		for ; n+8 <= len(rest); n += 8 {
			x := binary.LittleEndian.Uint64(rest[n:])
			// A high bit is set if a byte is beyond ASCII or DEL.
			if (x|((x^(ones*0x7F))-ones))&highs != 0 {
				break
			}
			binary.LittleEndian.PutUint64(to[n:], lowerWord(x))
		}
		dst = dst[:len(dst)+n]
		i += n
		// One that is, or the last few bytes.
		for ordinary := true; ordinary && i < len(inner); {
			c := inner[i]
			if c < 0x7F {
				dst = append(dst, asciiLower(c))
				i++
				continue
			}
			r, mark, w := pythonLowerAt(inner, i)
			if r == 'σ' || r == 'ς' {
				return dst[:from], false // maybe of a Σ
			}
			if dst = appendPythonEscape(dst, r); mark != 0 {
				dst = appendPythonEscape(dst, mark)
			}
			i += w
			ordinary = false
		}
	}
	return append(dst, '"'), true
}

func asciiLower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// pythonLowerAt is the lower case of the character at text[i:], by full case
// mapping: beyond that of single characters there is İ, which gets a mark, and
// Σ at the end of a word.
func pythonLowerAt(text []byte, i int) (r, mark rune, n int) {
	r, n = rawjson.DecodeRune(text[i:])
	switch {
	case r == 'İ':
		return 'i', '\u0307', n
	case r == 'Σ' && isFinalSigma(text, i, n):
		return 'ς', 0, n
	case isNew(r):
		return r, 0, n
	}
	return unicode.ToLower(r), 0, n
}

// lowerWord turns eight ASCII letters at once to lower case: the high bit of a
// byte tells whether it is A or more and not more than Z.
func lowerWord(x uint64) uint64 {
	const ones = 0x0101010101010101
	upper := (x + ones*(0x80-'A')) &^ (x + ones*(0x80-'Z'-1)) & (ones * 0x80)
	return x | upper>>2
}

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
