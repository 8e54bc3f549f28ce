package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// size is a flag's number of bytes.
type size int

func (s *size) String() string {
	if *s%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", *s>>20)
	}
	return fmt.Sprintf("%d B", *s)
}

func (s *size) Type() string { return "size" }

var sizeUnits = []struct {
	suffix string
	bytes  int
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}, {"", 1}}

// Set reads a number of bytes with an optional unit.
func (s *size) Set(text string) error {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(lower, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || n < 1 || n > (1<<40)/unit.bytes {
			break
		}
		*s = size(n * unit.bytes)
		return nil
	}
	return errors.New("write it as 64MiB or 100MB")
}
