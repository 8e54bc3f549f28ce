package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come: nothing is wrong with
// a machine on which it takes minutes.
const patience = 15 * time.Minute

// processes are those that a test runs, mostly of the program that TestMain puts
// on the PATH.
type processes struct {
	t      *testing.T
	binary string
	all    []*process
}

type process struct {
	*exec.Cmd
	of   *processes
	out  *said
	done chan error
}

// said is what a process has said.
type said struct {
	mu   sync.Mutex
	text []byte
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

func newProcesses(t *testing.T) *processes {
	t.Helper()
	binary, err := exec.LookPath("loopgauge")
	if err != nil {
		t.Fatal(err)
	}
	return &processes{t: t, binary: binary}
}

// start starts a process that ends with the test.
func (ps *processes) start(args ...string) *process {
	ps.t.Helper()
	return ps.run(exec.Command(ps.binary, args...))
}

// run starts any program, which ends with the test.
func (ps *processes) run(c *exec.Cmd) *process {
	ps.t.Helper()
	p := &process{Cmd: c, of: ps, out: &said{}, done: make(chan error, 1)}
	p.Stderr = p.out
	if p.Stdout == nil {
		p.Stdout = p.out
	}
	p.SysProcAttr = dependent()
	if err := p.Start(); err != nil {
		ps.t.Fatal(err)
	}
	go func() {
		p.done <- p.Wait()
		close(p.done)
	}()
	ps.all = append(ps.all, p)
	ps.t.Cleanup(func() { p.end() })
	return p
}

// end kills the process if it runs, and waits for its end.
func (p *process) end() {
	_ = p.Process.Kill()
	for range p.done {
		continue // why it ended does not matter any more
	}
}

// fatalf ends the processes and fails the test. The reason stands behind what
// they said last, and little of that: of a long output people see the end.
func (ps *processes) fatalf(format string, args ...any) {
	ps.t.Helper()
	for _, p := range ps.all {
		p.end()
		ps.t.Logf("%s said:\n%s", p.name(), tail(p.out.String()))
	}
	ps.t.Fatalf(format, args...)
}

// name tells a process from others.
func (p *process) name() string {
	return fmt.Sprintf("%s %s %d", filepath.Base(p.Path), p.Args[1], p.Process.Pid)
}

// tail is the last few lines of what a process said, without alerts, each cut
// short.
func tail(said string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(said), "\n"), func(line string) bool { return strings.Contains(line, `msg="loop `) })
	lines = lines[max(0, len(lines)-6):]
	for i, line := range lines {
		lines[i] = fmt.Sprintf("%.200s", line)
	}
	return strings.Join(lines, "\n")
}

// runs fails the test if the process has ended.
func (p *process) runs() {
	p.of.t.Helper()
	select {
	case err := <-p.done:
		p.of.fatalf("%s ended by itself: %v", p.name(), err)
	default:
	}
}

// says waits until the process has said something.
func (p *process) says(what string) {
	p.of.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.out.String(), what); time.Sleep(50 * time.Millisecond) {
		p.runs()
		if time.Now().After(deadline) {
			p.of.fatalf("%s never said %s", p.name(), what)
		}
	}
}

// kill ends the process as a power cut would. That it ended before is a
// failure.
func (p *process) kill() {
	p.of.t.Helper()
	p.runs()
	if err := p.Process.Kill(); err != nil {
		p.of.fatalf("%v", err)
	}
	if err := <-p.done; err == nil {
		p.of.fatalf("%s was killed, and it went well", p.name())
	}
}

func (p *process) signal(s syscall.Signal) {
	p.of.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.of.fatalf("%s: %v", p.name(), err)
	}
}

// terminate ends the process in good order.
func (p *process) terminate() {
	p.of.t.Helper()
	p.runs()
	p.signal(syscall.SIGTERM)
	select {
	case err := <-p.done:
		if err != nil {
			p.of.fatalf("%s after SIGTERM: %v", p.name(), err)
		}
	case <-time.After(patience):
		p.of.fatalf("%s did not end after SIGTERM", p.name())
	}
}
