package formats

import (
	"testing"
	"time"
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
			kept.Again()
			for _, z := range []*zoned{{zone: in}, &kept} {
				if got := z.inZone(local); got != want {
					t.Fatalf("%s: %v is read as %v, want %v", name, at.In(in), time.UnixMicro(got).UTC(), time.UnixMicro(want).UTC())
				}
				if got := z.Again(); again > 0 && got != again {
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
