package rawjson

import (
	"math"
	"testing"
)

func TestValidNumber(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		if ValidNumber([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	for _, text := range []string{"0", "-0", "10", "1.5", "0.0", "-1.50", "1e5", "1E+5", "1e-05", "0e0", "123456789012345678901234567890"} {
		f(text, true)
	}
	for _, text := range []string{"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "e5", "0x1", "1_000", "NaN", "Infinity", " 1", "1 ", "1.5.2", "--1", "1-2", "1:", "٣"} {
		f(text, false)
	}
}

func TestParseInt(t *testing.T) {
	const none = math.MinInt64 + 1
	f := func(text string, want int64) {
		t.Helper()
		n, ok := ParseInt([]byte(text))
		if ok != (want != none) || ok && n != want {
			t.Errorf("%q: %d, %v; want %d", text, n, ok, want)
		}
	}
	f("0", 0)
	f("00", none)
	f("012", none)
	f("999999999999999999", 999999999999999999)
	f("1000000000000000000", 1000000000000000000)
	f("-0", 0)
	f("12", 12)
	f("-12", -12)
	f("12.0", 12)
	f("1.5e1", 15)
	f("1e3", 1000)
	f("9223372036854775807", math.MaxInt64)
	f("-9223372036854775808", math.MinInt64)
	f("9007199254740991.0", 1<<53-1)
	f("-9007199254740991.0", -1<<53+1)
	// What a float cannot hold exactly is no integer, nor what int64 cannot.
	f("9007199254740992.0", none)
	f("9007199254740993.0", none) // read as ...992
	f("9007199254740994.0", none)
	f("9223372036854775808", none)
	f("1e19", none)
	f("-1e300", none)
	f("1e400", none)
	f("12.5", none)
	f("", none)
	f("1x", none)
	f("0x10", none)
	f("1_0", none)
}

func TestParseFloat(t *testing.T) {
	f := func(text string, want float64, ok bool) {
		t.Helper()
		got, valid := ParseFloat([]byte(text))
		if valid != ok || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v, %v; want %v, %v", text, got, valid, want, ok)
		}
	}
	f("0", 0, true)
	f("-0", math.Copysign(0, -1), true)
	f("1.25", 1.25, true)
	f("1752765060.165348", 1752765060.165348, true)
	f("5e-324", 5e-324, true)
	f("1e-400", 0, true)
	f("1.7976931348623157e308", math.MaxFloat64, true)
	f("1e400", 0, false)
	f("-1e400", 0, false)
	f("Inf", 0, false)
	f("nan", 0, false)
	f("0x1p3", 0, false)
	f("1_0", 0, false)
	f("", 0, false)
}

// Numbers and literals are read as such, or inside a string; anything else is
// passed over and the line goes on.
func TestScannerNumbers(t *testing.T) {
	f := func(text string, wantInt int64, isInt bool, wantFloat float64, isFloat bool) {
		t.Helper()
		s := scan(`[` + text + `,7]`)
		s.Array()
		s.NextElement()
		if n, ok := s.Int(); ok != isInt || n != wantInt {
			t.Errorf("Int of %s: %d, %v", text, n, ok)
		}
		s.NextElement()
		if n, ok := s.Int(); n != 7 || !ok {
			t.Errorf("behind %s: %d, %v, %v", text, n, ok, s.Err())
		}
		s = scan(text)
		if x, ok := s.Float(); ok != isFloat || x != wantFloat || s.End() != nil {
			t.Errorf("Float of %s: %v, %v, %v", text, x, ok, s.Err())
		}
	}
	f(`12`, 12, true, 12, true)
	f(`"12"`, 12, true, 12, true)
	f(`"1\u0032"`, 12, true, 12, true)
	f(`12.5`, 0, false, 12.5, true)
	f(`"12.5"`, 0, false, 12.5, true)
	f(`""`, 0, false, 0, false)
	f(`" 1"`, 0, false, 0, false)
	f(`"-"`, 0, false, 0, false)
	f(`-`, 0, false, 0, false) // nginx writes it where there is no number
	f(`01`, 0, false, 0, false)
	f(`null`, 0, false, 0, false)
	f(`true`, 0, false, 0, false)
	f(`[1]`, 0, false, 0, false)
	f(`{"a":1}`, 0, false, 0, false)
}

func TestScannerBool(t *testing.T) {
	f := func(text string, want, isBool bool) {
		t.Helper()
		s := scan(text)
		if v, ok := s.Bool(); v != want || ok != isBool || s.End() != nil {
			t.Errorf("%s: %v, %v, %v", text, v, ok, s.Err())
		}
	}
	f(`true`, true, true)
	f(`false`, false, true)
	f(`null`, false, false)
	f(`1`, false, false)
	f(`"true"`, false, false)
	f(`[true]`, false, false)
	s := scan(`tru`)
	if v, ok := s.Bool(); v || ok || s.End() == nil {
		t.Error("tru is true")
	}
}
