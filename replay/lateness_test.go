package replay

import (
	"testing"
	"time"
)

func TestRoundUp(t *testing.T) {
	f := func(in, want time.Duration) {
		t.Helper()
		if got := roundUp(in); got != want {
			t.Errorf("roundUp(%v) = %v, want %v", in, got, want)
		}
	}
	f(0, 0)
	f(1500*time.Millisecond, 2*time.Second)
	f(61*time.Second, 70*time.Second)
	f(59*time.Minute, 59*time.Minute)
	f(11*time.Hour, 11*time.Hour)
}
