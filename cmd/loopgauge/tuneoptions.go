package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window/policy"
)

// options reads the flags that are not simply values.
func (f *tuneFlags) options() (o tune.Options, err error) {
	if o.Windows, err = sortedWindows(f.windows.list); err != nil {
		return o, err
	}
	if o.Least, o.Most, err = parseThresholds(f.thresholds); err != nil {
		return o, err
	}
	if f.budget != "" {
		number, ok := strings.CutSuffix(f.budget, "/day")
		if o.Budget, err = strconv.ParseFloat(number, 64); err != nil || !ok || !(o.Budget > 0) || math.IsInf(o.Budget, 0) {
			return o, fmt.Errorf("--budget: write it as 2/day, more than 0, is %q", f.budget)
		}
	}
	number, ok := strings.CutSuffix(f.maxWrong, "%")
	// Divided by 100 it would be another number than was written.
	if o.MaxWrong, err = strconv.ParseFloat(number+"e-2", 64); err != nil || !ok || !(o.MaxWrong >= 0 && o.MaxWrong <= 1) {
		return o, fmt.Errorf("--max-wrong: write it as 0.1%%, 100%% at most, is %q", f.maxWrong)
	}
	if f.labels == "" {
		return o, nil
	}
	file, err := os.Open(f.labels)
	if err != nil {
		return o, fmt.Errorf("--labels: %w", policy.FileError(f.labels, err))
	}
	defer file.Close()
	o.Labels, err = tune.ReadLabels(f.labels, file)
	return o, err
}

// sortedWindows are those of --window, each once, in rising order.
func sortedWindows(given []time.Duration) ([]time.Duration, error) {
	list := slices.Clone(given)
	slices.Sort(list)
	list = slices.Compact(list)
	for _, w := range list {
		if w < time.Millisecond {
			return nil, fmt.Errorf("--window: must be at least 1ms, is %s", w)
		}
	}
	return list, nil
}

// mostThreshold is the highest that a repeat's counts, of one byte, reach.
const mostThreshold = 255

// parseThresholds reads 2..50.
func parseThresholds(text string) (least, most int, err error) {
	from, to, ok := strings.Cut(text, "..")
	least, err1 := strconv.Atoi(from)
	most, err2 := strconv.Atoi(to)
	switch {
	case !ok || errors.Join(err1, err2) != nil:
		return 0, 0, fmt.Errorf("--threshold: write it as 2..50, is %q", text)
	case least < 2 || most < least || most > mostThreshold:
		return 0, 0, fmt.Errorf("--threshold: must be from 2 to %d, lower end first; is %q", mostThreshold, text)
	}
	return least, most, nil
}
