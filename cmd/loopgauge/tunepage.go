package main

import (
	"fmt"
	"os"

	"github.com/loopgauge/loopgauge/replay/report"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/sinks"
)

// tunePage is the file of --html; nil without it.
type tunePage struct {
	file *sinks.AtomicFile
	name string
}

func (f *tuneFlags) createPage() (*tunePage, error) {
	if f.html == "" {
		return nil, nil
	}
	if err := mayReplace("--html", f.html, isHTML); err != nil {
		return nil, err
	}
	file, err := sinks.CreateAtomic(f.html)
	return &tunePage{file, f.html}, err
}

// write writes all of the page; unread are the logs that could not be opened.
func (p *tunePage) write(r *tune.Report, unread []error) error {
	if p == nil {
		return nil
	}
	if err := report.Write(p.file, r, report.Options{Version: version(), Command: os.Args, Unread: unread}); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return p.file.Seal()
}

// commit puts the page in its place.
func (p *tunePage) commit() error {
	if p == nil {
		return nil
	}
	return p.file.Commit()
}

// abort removes a page that was not put in its place.
func (p *tunePage) abort() {
	if p != nil {
		p.file.Abort()
	}
}
