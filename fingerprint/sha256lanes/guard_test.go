//go:build unix

package sha256lanes

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadsNothingElse: each message begins or ends where memory does.
func TestReadsNothingElse(t *testing.T) {
	const messages = 20
	page := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, (2*messages+1)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	for i := 0; i < len(memory); i += 2 * page {
		if err := unix.Mprotect(memory[i:i+page], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	for _, ends := range []bool{false, true} {
		padded := make([][]byte, messages)
		for i := range padded {
			p := Pad(noise(i * 200))
			at := (2*i + 1) * page
			if ends {
				at += page - len(p)
			}
			padded[i] = memory[at : at+len(p)]
			copy(padded[i], p)
		}
		wantSumsOf(t, padded)
	}
}
