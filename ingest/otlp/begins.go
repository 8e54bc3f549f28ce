package otlp

import "google.golang.org/protobuf/encoding/protowire"

// Begins tells whether data are OpenTelemetry's protobuf, or the beginning of it that
// goes as far as its first span, log record or metric. They have no mark of their own:
// it is told by that, and by what lies around it.
func Begins(data []byte) bool {
	_, ok := dataOf(data)
	return ok
}

// Cut tells of data that the end of them is missing.
func Cut(data []byte) bool {
	f := fields{rest: data}
	for f.next() {
	}
	return f.cut
}

// dataOf is the message that data begin.
func dataOf(data []byte) (of id, ok bool) {
	ok = len(data) > 0 && data[0] == 1<<3|byte(protowire.BytesType) // which most others do not begin with
	for resources := (fields{rest: data}); ok && resources.next(); {
		if ok = resources.number == 1 && resources.wire == protowire.BytesType; !ok {
			break
		}
		for scopes := (fields{rest: resources.value}); ok && scopes.next(); {
			if ok = scopes.around(); !ok || scopes.number != 2 {
				continue
			}
			for items := (fields{rest: scopes.value}); ok && items.next(); {
				if ok = items.around(); ok && items.number == 2 {
					return ofItem(items.value)
				}
			}
		}
	}
	return 0, false
}

// ofItem is the message that an item lies in.
func ofItem(item []byte) (of id, ok bool) {
	var seen [fieldNumbers]bool
	isSpan, isLog, isMetric := true, true, true
	for f := (fields{rest: item}); f.next(); {
		if f.number < fieldNumbers {
			seen[f.number] = true
		}
		isSpan = isSpan && f.fits(span) && (f.number != 1 || f.length == 16) && (f.number != 2 || f.length == 8)
		isLog = isLog && f.fits(logRecord)
		isMetric = isMetric && f.wire == protowire.BytesType
	}
	switch {
	case isSpan && seen[1] && seen[2] && (seen[7] || seen[8]): // with a time
		return tracesData, true
	case isLog && (seen[1] || seen[5] || seen[11]): // with a time or a body
		return logsData, true
	case isMetric && seen[1] && (seen[5] || seen[7] || seen[9] || seen[10] || seen[11]): // with a name and data
		return metricsData, true
	}
	return 0, false
}

// around tells a field of what is around spans, log records and metrics.
func (f *fields) around() bool {
	return f.number <= 3 && f.wire == protowire.BytesType
}

// fits tells a field that a message has, or may have in times to come.
func (f *fields) fits(m id) bool {
	x, known := fieldOf(m, f.number)
	return !known || x.kind.wire() == f.wire
}
