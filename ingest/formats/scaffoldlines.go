package formats

import "bytes"

// joinNote says how records over several lines come to one each.
const joinNote = `# Its records go on over lines. This reads them one a line, as they come from
# awk '/^\[?[0-9][0-9][0-9][0-9][-\/]/ {if (r) print r; r = $0; next} {r = r " " $0} END {print r}' LOG | loopgauge formats --format THIS.yaml -
`

// overLines are the first records of a log of text in which objects are laid out over
// lines: each begins with a time, as loggers of Java write them. It is nil of any other.
func overLines(data []byte) (records [][]byte) {
	laidOut := false
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		n := len(records)
		switch {
		case len(line) == 0:
		case leadingTime.Match(line):
			records = append(records, bytes.Clone(line))
		case n > 0:
			laidOut = laidOut || bytes.HasSuffix(records[n-1], []byte("{"))
			records[n-1] = append(append(records[n-1], ' '), line...)
		}
	}
	if !laidOut {
		return nil
	}
	return records[:min(len(records), scaffoldLines)]
}
