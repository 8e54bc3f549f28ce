package window

import (
	"testing"
	"time"
)

func TestLasting(t *testing.T) {
	f := func(in time.Duration, want string) {
		t.Helper()
		if got := Lasting(in); got != want {
			t.Errorf("Lasting(%v) = %q, want %q", in, got, want)
		}
	}
	f(0, "0s")
	f(10*time.Second, "10s")
	f(time.Minute, "1m")
	f(10*time.Minute, "10m")
	f(90*time.Second, "1m30s")
	f(time.Hour, "1h")
	f(100*time.Second, "1m40s")
	f(20*time.Hour, "20h")
	f(250*time.Millisecond, "250ms")
}
