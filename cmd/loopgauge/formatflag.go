package main

import (
	"fmt"
	"path/filepath"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window/policy"
)

// loadFormat finds what --format names: a built-in format, or a file.
func (f *logFlags) loadFormat() error {
	if f.format == "" || f.named != nil {
		return nil
	}
	if f.named = formats.ByName(f.format); f.named != nil {
		return nil
	}
	if ext := filepath.Ext(f.format); ext != ".yaml" && ext != ".yml" {
		if meant := policy.Meant(f.format, formats.Names()); meant != "" {
			return fmt.Errorf("no format is called %q; did you mean %s?", f.format, meant)
		}
		return fmt.Errorf("no format is called %q; 'loopgauge formats' lists them, and one of your own is a YAML file: docs/formats.md", f.format)
	}
	text, err := policy.ReadFile(f.format)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	c, err := parseCustom(f.format, text)
	if err != nil {
		return err
	}
	f.named = formats.NewCustom(c)
	return nil
}

// reading says how the logs are read.
func (f *logFlags) reading() (ingest.Options, error) {
	err := f.loadFormat()
	return ingest.Options{Format: f.named, Zone: f.timezone.Location, MaxLine: int(f.maxLine)}, err
}
