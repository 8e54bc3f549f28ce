package formats

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestClocksOfZones: what clocks show is read as the first time at which they do, and the
// second is said, whatever was read before. An hour that they leave out is none of theirs.
func TestClocksOfZones(t *testing.T) {
	const step = 30 * time.Minute
	for _, name := range []string{"UTC", "Europe/Warsaw", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca"} {
		in, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		first := map[int64]int64{} // by what clocks show
		kept := zoned{zone: in}
		twice := 0
		for at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC); at.Year() < 2028; at = at.Add(step) {
			_, ahead := at.In(in).Zone()
			local := at.UnixMicro() + int64(ahead)*1_000_000
			want, again := at.UnixMicro(), int64(0)
			if before, ok := first[local]; ok {
				want, again = before, want-before
				twice++
			}
			first[local] = want
			kept.inZone(local + step.Microseconds()) // which may be left out
			kept.again = 0
			for _, z := range []*zoned{{zone: in}, &kept} {
				if got := z.inZone(local); got != want {
					t.Fatalf("%s: %v is read as %v, want %v", name, at.In(in), time.UnixMicro(got).UTC(), time.UnixMicro(want).UTC())
				}
				var r fingerprint.Request
				r.Reset()
				z.Again(&r)
				if got := r.Again; again > 0 && got != again {
					t.Fatalf("%s: %v comes again after %d, want %d", name, at.In(in), got, again)
				} else if _, shown := time.UnixMicro(want + got).In(in).Zone(); want+got+int64(shown)*1_000_000 != local {
					t.Fatalf("%s: %v does not come again after %d", name, at.In(in), got)
				}
			}
		}
		if want := map[string]int{"UTC": 0, "Asia/Kolkata": 0, "Australia/Lord_Howe": 2}; name != "Africa/Casablanca" {
			n, ok := want[name]
			if !ok {
				n = 4
			}
			if twice != n {
				t.Errorf("%s: %d times come twice in two years, want %d", name, twice, n)
			}
		}
	}
}

// TestClocksSetBackInBetween: what began in the first of two hours that clocks show alike
// and ended in the second did not end before it began.
func TestClocksSetBackInBetween(t *testing.T) {
	warsaw, err := time.LoadLocation("Europe/Warsaw")
	if err != nil {
		t.Fatal(err)
	}
	p := ByName("litellm-spend").New(0)
	p.(Zoned).In(warsaw)
	f := func(start, end, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		p.Parse([]byte(`{"request_id":"r","spend":1,"startTime":"2026-10-25 `+start+`","endTime":"2026-10-25 `+end+`"}`), &r)
		p.(Zoned).Again(&r)
		shown := func(at int64) string { return time.UnixMicro(at).UTC().Format(time.TimeOnly) }
		if got := fmt.Sprintf("%s to %s or %v later", shown(r.Time), shown(r.End), time.Duration(r.Again)*time.Microsecond); got != want {
			t.Errorf("%s to %s is %s, want %s", start, end, got, want)
		}
	}
	f("01:59:58", "02:00:03", "23:59:58 to 00:00:03 or 1h0m0s later")
	f("02:10:00", "02:10:05", "00:10:00 to 00:10:05 or 1h0m0s later")
	f("02:59:58", "02:00:03", "00:59:58 to 01:00:03 or 0s later")
	f("02:50:00", "02:40:00", "00:50:00 to 01:40:00 or 0s later")
	f("03:00:00", "03:00:05", "02:00:00 to 02:00:05 or 0s later")
	f("03:00:05", "03:00:00", "02:00:05 to 02:00:00 or 0s later") // a broken clock
}
