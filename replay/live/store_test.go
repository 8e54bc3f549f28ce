package live

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "state")
	load := func(s *Store, want string, wantDamaged int) {
		t.Helper()
		state, damaged, err := s.Load()
		if err != nil || string(state) != want || len(damaged) != wantDamaged {
			t.Errorf("loaded %q, want %q; %d damaged, want %d; %v", state, want, len(damaged), wantDamaged, err)
		}
	}
	s := openStore(t, dir)
	load(s, "", 0)
	id := s.ID()
	if len(id) < 20 {
		t.Errorf("a new directory has the id %q", id)
	}
	// One process at a time.
	if _, err := OpenStore(dir); err == nil || !strings.Contains(err.Error(), "another loopgauge is at work") {
		t.Errorf("opened twice: %v", err)
	}
	for i := range 4 {
		if err := s.Write(fmt.Appendf(nil, "state %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	load(s, "state 3", 0)
	if got, want := listing(t, dir), "checkpoint-000000000003.state checkpoint-000000000004.state lock"; got != want {
		t.Errorf("there is %q, want %q", got, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// The process died while it wrote; its newest checkpoint was damaged.
	newest := filepath.Join(dir, checkpointName(4))
	b := read(t, newest)
	write(t, filepath.Join(dir, ".checkpoint-000000000005.state.123.tmp"), b[:7])
	for at := range b {
		bad := slices.Clone(b)
		bad[at] ^= 0x40
		write(t, newest, bad)
		s = openStore(t, dir)
		load(s, "state 2", 1)
		s.Close() //nolint:errcheck // holds a lock, nothing else
		write(t, newest, b[:at])
		s = openStore(t, dir)
		load(s, "state 2", 1)
		s.Close() //nolint:errcheck // holds a lock, nothing else
	}
	if got := listing(t, dir); strings.Contains(got, "tmp") {
		t.Errorf("there is %q", got)
	}
	// The next takes the damaged one's place.
	s = openStore(t, dir)
	load(s, "state 2", 1)
	if err := s.Write([]byte("again")); err != nil {
		t.Fatal(err)
	}
	load(s, "again", 0)
	if s.ID() != id {
		t.Errorf("id is %q, was %q", s.ID(), id)
	}

	// With nothing whole, or of a version to come, to begin anew is for its
	// owner to decide.
	write(t, filepath.Join(dir, checkpointName(3)), "")
	write(t, newest, "")
	if _, damaged, err := s.Load(); err == nil || len(damaged) != 2 || !strings.Contains(err.Error(), "no checkpoint is whole") {
		t.Errorf("%d damaged, %v", len(damaged), err)
	}
	s.Close() //nolint:errcheck // holds a lock, nothing else
}

func TestStoreVersion(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	defer s.Close() //nolint:errcheck // holds a lock, nothing else
	for range 2 {
		if err := s.write(version+1, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := s.Load()
	if !isMismatch(err, "use the newer loopgauge that wrote it") {
		t.Errorf("%v", err)
	}
}
