package main

import (
	"fmt"
	"strconv"
	"strings"
)

var sizeUnits = []struct {
	suffix string
	bytes  int
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}, {"", 1}}

// parseSize reads a number of bytes with an optional unit.
func parseSize(text string) (int, error) {
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
		return n * unit.bytes, nil
	}
	return 0, fmt.Errorf("write it as 64MiB or 100MB")
}
