package formats

import (
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// spec is where a field stands, with the layout of a time and the unit of a
// duration.
func (g *guesser) spec(field, path string) string {
	switch example := g.texts[path]; field {
	case "end":
		if layouts := guessLayouts(example); len(layouts) > 0 && layouts[0] != "" {
			return fmt.Sprintf("{path: %s, layout: '%s'}", quotedYAML(path), layouts[0])
		}
	case "id":
		if len(example) < uniqueID {
			return quotedYAML(path) + " # leave it out if each process counts its own: one of two alike is a duplicate"
		}
	case "caller":
		return pathsYAML(g.keys(path))
	case "duration":
		if _, unit := cutUnit(path); unit != "" {
			return fmt.Sprintf("{path: %s, unit: %s}", quotedYAML(path), unit)
		}
		if unit := g.unit(path); unit != "" {
			return fmt.Sprintf("{path: %s, unit: %s} # or s, ms, us, ns?", quotedYAML(path), unit)
		}
	}
	return quotedYAML(path)
}

// uniqueID is how long ids are at least that come once, wherever they are made: pino-http
// counts from 1, Fastify from req-1, each process anew.
const uniqueID = 8

// unit is that of a duration: the one in its name, else of numbers the likely one.
func (g *guesser) unit(path string) string {
	_, unit := cutUnit(path)
	if unit == "" && rawjson.ValidNumber(g.texts[path]) {
		unit = likelyUnit(g.values(path))
	}
	return unit
}

// longest is how long the longest call took by what a path leads to, 0 if that is rather a
// time.
func (g *guesser) longest(path string) (longest int64) {
	if _, unit := cutUnit(path); unit == "" && len(guessLayouts(g.texts[path])) > 0 {
		return 0
	}
	field := CustomField{Unit: unixLayouts["unix_"+g.unit(path)]}
	for _, v := range g.values(path) {
		longest = max(longest, (&custom{}).duration(&field, found{text: v}))
	}
	return longest
}

// likelyUnit is the unit in which numbers are how long calls took: none took
// minutes, and not all less than a millisecond.
func likelyUnit(values [][]byte) string {
	longest := 0.0
	for _, v := range values {
		if n, ok := rawjson.ParseFloat(v); ok {
			longest = max(longest, n)
		}
	}
	switch {
	case longest >= 1e8:
		return "ns"
	case longest >= 1e6:
		return "us"
	case longest >= 100:
		return "ms"
	}
	return "s"
}
