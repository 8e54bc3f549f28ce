package wrap

import "testing"

// TestIsRollout: of what others have as well, the type tells Codex's.
func TestIsRollout(t *testing.T) {
	f := func(line string, want bool) {
		t.Helper()
		if IsRollout(MembersOf([]byte(line))) != want {
			t.Errorf("%s: %t", line, !want)
		}
	}
	f(`{"timestamp":"t","type":"event_msg","payload":{}}`, true)
	f(`{"timestamp":"t","type":"event","payload":{}}`, false)
	f(`{"timestamp":"t","payload":{}}`, false)
	f(`{"timestamp":"t","type":"event_msg"}`, false)
	f(`{"type":"event_msg","payload":{}}`, false)
}
