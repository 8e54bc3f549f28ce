package volatile

import "testing"

func TestZeroClocks(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got := []byte(text)
		if ZeroClocks(got); string(got) != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	f("time: 13:40", "time: 00:00")
	f("Local Time 13:40, remind at 9:30", "Local Time 00:00, remind at 0:00")
	f("The current date and time is 13:40", "The current date and time is 00:00")
	f(`now:\n9:05 AM, 23:59:59`, `now:\n0:00 AM, 00:00:00`)
	f("2026-11-25T13:40:11.123456Z", "2026-11-25T00:00:00.000000Z")
	f("2026-11-25 13:40:11,5+01:00", "2026-11-25 00:00:00,0+00:00")
	f("11/25/2026, 2:03:11 PM", "11/25/2026, 0:00:00 PM")
	f("Wed Nov 25 2026 13:40:11", "Wed Nov 25 2026 00:00:00")
	for _, text := range []string{
		"", ":", "1:", "13:40", "slot at 08:15", "from 08:00 to 17:30.", "room 20, at 13:40", ":10", "1:5", "now 1:60", "now 24:00", "now 113:40", "now 13:401", "now 13:40:1", "now 13:40:111", "now 13:40:99", "1.2.3", "3/4", "2026-11-25", "1795614102", `{"12":30}`, "a:b", "16:9",
		"now 10.0.0.1:22", "now 10.0.0.1:8080", "now 00:1a:10:20:30:40", "now 10:20:30:40:50:59", "2001:db8::10:20", "now 12:34:56:78",
	} {
		f(text, text)
	}
}
