package otlp

import (
	"strings"
	"testing"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestMessagesAreOpenTelemetrys: the table has the messages of spans and log records
// as OpenTelemetry describes them, each field of each.
func TestMessagesAreOpenTelemetrys(t *testing.T) {
	seen := map[id]bool{}
	var check func(of id, m protoreflect.MessageDescriptor)
	check = func(of id, m protoreflect.MessageDescriptor) {
		if seen[of] {
			return
		}
		seen[of] = true
		if name := string(m.Name()); messages[of].name != name {
			t.Errorf("%s is called %s", name, messages[of].name)
		}
		for number := range fieldNumbers {
			theirs, ours := m.Fields().ByNumber(protoreflect.FieldNumber(number)), &field{}
			if f, known := fieldOf(of, protoreflect.FieldNumber(number)); known {
				ours = f
			}
			switch {
			case theirs == nil && ours.kind == 0:
				continue
			case theirs != nil && strings.HasSuffix(string(theirs.Name()), "_strindex"): // of profiles
				continue
			case theirs == nil || ours.kind == 0:
				t.Errorf("%s: field %d: %v and %+v", m.Name(), number, theirs, *ours)
				continue
			}
			if want := kindOf(theirs); ours.kind != want || ours.name != theirs.JSONName() || ours.list != theirs.IsList() {
				t.Errorf("%s: field %d is %+v, want %s of kind %d, list: %v", m.Name(), number, *ours, theirs.JSONName(), want, theirs.IsList())
			}
			if ours.kind == message {
				check(ours.of, theirs.Message())
			}
		}
		for i := range m.Fields().Len() {
			if n := m.Fields().Get(i).Number(); n >= fieldNumbers {
				t.Errorf("%s has a field %d", m.Name(), n)
			}
		}
	}
	check(tracesData, (&trace.TracesData{}).ProtoReflect().Descriptor())
	check(logsData, (&logs.LogsData{}).ProtoReflect().Descriptor())
	for of := range messages {
		if !seen[id(of)] && id(of) != metricsData && id(of) != resourceMetrics {
			t.Errorf("nothing holds a %s", messages[of].name)
		}
	}
}

func kindOf(f protoreflect.FieldDescriptor) kind {
	switch f.Kind() {
	case protoreflect.StringKind:
		return text
	case protoreflect.BytesKind:
		if strings.HasSuffix(string(f.Name()), "_id") {
			return hexText
		}
		return base64Text
	case protoreflect.BoolKind:
		return boolean
	case protoreflect.EnumKind:
		return enum
	case protoreflect.Uint32Kind:
		return number
	case protoreflect.Int64Kind:
		return bigNumber
	case protoreflect.Fixed32Kind:
		return fixed
	case protoreflect.Fixed64Kind:
		return bigFixed
	case protoreflect.DoubleKind:
		return double
	case protoreflect.MessageKind:
		return message
	default:
		return 0
	}
}
