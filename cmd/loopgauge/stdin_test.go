package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// Standard input is what it is, however it comes.
func TestStdin(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 3*stdinAtOnce/16+5)
	broken := errors.New("broken")
	for name, from := range map[string]io.Reader{
		"whole": strings.NewReader(text), "in pieces": iotest.HalfReader(strings.NewReader(text)),
		"with its end": iotest.DataErrReader(strings.NewReader(text)), "broken": io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)),
	} {
		got, err := io.ReadAll(until(t.Context(), from))
		if string(got) != text || name != "broken" && err != nil || name == "broken" && !errors.Is(err, broken) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
		}
	}
}

// heard says each time that something is read.
type heard struct {
	io.Reader
	reads chan struct{}
}

func (h heard) Read(p []byte) (int, error) {
	h.reads <- struct{}{}
	return h.Reader.Read(p)
}

// Who waits for standard input, which says nothing more, ends with the context.
func TestStdinEnds(t *testing.T) {
	for _, said := range []string{"", `{"time":"2026-11-21T10:00:00Z","session":"s","messages":[]}` + "\n"} {
		from, to := io.Pipe()
		defer to.Close() //nolint:errcheck // of a pipe in memory
		ctx, stop := context.WithCancel(t.Context())
		reads := make(chan struct{})
		var out, errs bytes.Buffer
		ended := make(chan int)
		go func() {
			ended <- run(ctx, newUI(until(ctx, heard{from, reads}), &out, &errs), []string{"replay", "-"})
		}()
		<-reads
		if said != "" {
			if _, err := io.WriteString(to, said); err != nil {
				t.Fatal(err)
			}
			<-reads
		}
		stop()
		select {
		case code := <-ended:
			if code != exitFailed || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("code %d: %s", code, &errs)
			}
		case <-time.After(patience):
			t.Fatal("it reads on")
		}
	}
}
