// Package otlptest gives tests OpenTelemetry's protobuf of its JSON, and the JSON of
// its protobuf, by the types that OpenTelemetry generates.
package otlptest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/loopgauge/loopgauge/fixtures"
)

// Logs are the lines of OTLP JSON in the fixtures, by the fixture's name.
func Logs(tb testing.TB) map[string][][]byte {
	tb.Helper()
	logs, batches := map[string][][]byte{}, 0
	for _, folder := range []string{"formats/otel", "wrappers"} {
		for _, name := range fixtures.Names(tb, folder) {
			for line := range bytes.Lines(fixtures.Read(tb, name)) {
				if bytes.HasPrefix(line, []byte(`{"resourceSpans":[{`)) || bytes.HasPrefix(line, []byte(`{"resourceLogs":[{`)) {
					logs[name] = append(logs[name], bytes.TrimSpace(line))
					batches++
				}
			}
		}
	}
	if batches < 150 {
		tb.Fatalf("%d batches", batches)
	}
	return logs
}

// FromJSON is the protobuf of a line of OTLP JSON, spans or log records; nil if it is
// neither.
func FromJSON(tb testing.TB, line []byte) []byte {
	tb.Helper()
	var m proto.Message
	switch {
	case bytes.Contains(line, []byte(`"resourceSpans"`)):
		m = &trace.TracesData{}
	case bytes.Contains(line, []byte(`"resourceLogs"`)):
		m = &logs.LogsData{}
	default:
		return nil
	}
	line, err := recoded(line, func(id string) (string, error) {
		b, err := hex.DecodeString(id)
		return base64.StdEncoding.EncodeToString(b), err
	})
	if err == nil {
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(line, m)
	}
	var data []byte
	if err == nil {
		data, err = proto.Marshal(m)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// ToJSON is the JSON of spans or log records, and the protobuf of them in its usual
// form.
func ToJSON(data []byte, spans bool) (line, usual []byte, err error) {
	var m proto.Message = &logs.LogsData{}
	if spans {
		m = &trace.TracesData{}
	}
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, nil, err
	}
	usual, err = proto.Marshal(m)
	if err != nil {
		return nil, nil, err
	}
	line, err = protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		return nil, nil, err
	}
	line, err = recoded(line, func(id string) (string, error) {
		b, err := base64.StdEncoding.DecodeString(id)
		return hex.EncodeToString(b), err
	})
	return line, usual, err
}

// recoded writes the ids in a line in another coding.
func recoded(line []byte, recode func(string) (string, error)) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if err := recodeIn(v, recode); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func recodeIn(v any, recode func(string) (string, error)) (err error) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if err := recodeIn(element, recode); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, member := range v {
			id, is := member.(string)
			switch name {
			case "traceId", "spanId", "parentSpanId":
				if !is {
					return fmt.Errorf("%s is no text", name)
				}
				if v[name], err = recode(id); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			default:
				if err := recodeIn(member, recode); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
