package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHangup: who rotates logs sends SIGHUP, and watch goes on; a terminal that
// is closed ends it in order.
func TestHangup(t *testing.T) {
	t.Parallel()
	// Tests that nohup started pass on that SIGHUP is ignored, unless they heed it.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	ps := newProcesses(t)
	log := filepath.Join(t.TempDir(), "access.log")
	write(t, log, `{"time":1,"path":"/v1"}`+"\n")
	service := ps.start("watch", "--state", t.TempDir(), "--idle", "100ms", log)
	service.says("msg=reading")
	service.signal(syscall.SIGHUP)
	service.says("SIGHUP is passed over: rotated files are followed")
	service.terminate()

	c := exec.Command(ps.binary, "watch", "--state", t.TempDir(), "--idle", "100ms", log)
	c.Stdin = terminal(t)
	inTerminal := ps.run(c)
	inTerminal.says("msg=reading")
	inTerminal.signal(syscall.SIGHUP)
	select {
	case err := <-inTerminal.done:
		if err != nil {
			ps.fatalf("%s after SIGHUP: %v", inTerminal.name(), err)
		}
	case <-time.After(patience):
		ps.fatalf("%s goes on after its terminal was closed", inTerminal.name())
	}
}

// terminal is one that nobody looks at.
func terminal(t *testing.T) *os.File {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { host.Close() })
	if err := unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	guest, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { guest.Close() })
	return guest
}
