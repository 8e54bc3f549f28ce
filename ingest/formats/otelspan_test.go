package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestTraces: spans as systems that keep traces give them.
func TestTraces(t *testing.T) {
	f := func(want, record string) {
		t.Helper()
		if !ByName("otel").Detect(NewLine([]byte(record))) {
			t.Errorf("not known: %s", record)
		}
		areRequests(t, "otel", record, want)
	}
	const want = `took=500ms id=c caller=agent named session=s model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=0 status=429 error="429 Too Many" tokens_in=7`

	// Of Jaeger: all traces that were asked for, one of them, and a document of Elasticsearch.
	const tags = `"tags":[{"key":"gen_ai.operation.name","type":"string","value":"chat"},{"key":"gen_ai.request.model","type":"string","value":"m"},` +
		`{"key":"gen_ai.prompt.0.role","type":"string","value":"user"},{"key":"gen_ai.prompt.0.content","type":"string","value":"hi"},{"key":"gen_ai.usage.input_tokens","type":"int64","value":7},` +
		`{"key":"otel.status_code","type":"string","value":"ERROR"},{"key":"error","type":"bool","value":true},{"key":"otel.status_description","type":"string","value":"429 Too Many"}`
	const call = `{"traceID":"t","spanID":"c","operationName":"chat m","references":[{"refType":"CHILD_OF","traceID":"t","spanID":"p"},{"refType":"FOLLOWS_FROM","traceID":"t","spanID":"x"}],"startTime":1000000,"duration":500000,`
	const trace = `{"traceID":"t","spans":[{"traceID":"t","spanID":"p","operationName":"run","references":[],"startTime":1000000,"duration":500000,"tags":[{"key":"session.id","type":"string","value":"s"}],"processID":"p1"},` +
		call + tags + `],"logs":[],"processID":"p2"}],"processes":{"p1":{"serviceName":"other"},"p2":{"serviceName":"agent","tags":[]}}}`
	f(want, `{"data":[`+trace+`],"total":0}`)
	f(want, trace)
	f(want, call+tags+`,{"key":"session.id","type":"string","value":"s"}],"process":{"serviceName":"agent"}}`)
	// The library, messages in events, and an exception.
	f(`took=500ms id=c named user=k session=s model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" tool_calls=0 status=503 error="503 Busy"`, call+`"tags":[{"key":"otel.scope.name","value":"litellm"},{"key":"gen_ai.operation.name","value":"chat"},{"key":"gen_ai.request.model","value":"m"},{"key":"session.id","value":"s"},{"key":"user.id","value":"k"},`+
		`{"key":"otel.status_code","value":"ERROR"}],"logs":[{"timestamp":1,"fields":[{"key":"event","value":"gen_ai.user.message"},{"key":"content","value":"hi"}]},{"timestamp":1,"fields":[{"key":"event","value":"exception"},{"key":"exception.message","value":"503 Busy"}]}],"processID":"p1"}`)

	// OTLP in the answers of the newer APIs of Tempo and Jaeger.
	otlp := `{"resourceSpans":[{"resource":{` + otelAttributes("service.name", "agent") + `},"scopeSpans":[{"spans":[{"spanId":"c","startTimeUnixNano":"1000000000","endTimeUnixNano":"1500000000",` +
		otelAttributes("gen_ai.operation.name", "chat", "gen_ai.request.model", "m", "session.id", "s", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "hi", "gen_ai.usage.input_tokens", "7") + `,"status":{"code":2,"message":"429 Too Many"}}]}]}]}`
	f(want, `{"trace":`+otlp+`,"metrics":{}}`)
	f(want, `{"result":`+otlp+`}`)

	// Rows of ClickHouse and of Azure Monitor.
	const attributes = `{"gen_ai.operation.name":"chat","gen_ai.request.model":"m","session.id":"s","gen_ai.prompt.0.role":"user","gen_ai.prompt.0.content":"hi","gen_ai.usage.input_tokens":"7"`
	f(want, `{"Timestamp":"1970-01-01 00:00:01.000000000","TraceId":"t","SpanId":"c","ParentSpanId":"","SpanName":"chat m","ServiceName":"agent","ResourceAttributes":{"service.name":"agent"},"ScopeName":"l","SpanAttributes":`+attributes+`},"Duration":"500000000","StatusCode":"Error","StatusMessage":"429 Too Many"}`)
	f(strings.Replace(want, `"429 Too Many"`, "429", 1), `{"time":"1970-01-01T00:00:01.0000000Z","Type":"AppDependencies","AppRoleName":"agent","OperationId":"t","ParentId":"p","Id":"c","Name":"chat m","DurationMs":500,"Success":false,"Properties":`+attributes+`,"error.type":"429"}}`)

	// A gateway's service is not who called.
	f("id=c named", `{"Timestamp":"1970-01-01 00:00:01.000000000","TraceId":"t","SpanId":"c","ServiceName":"proxy","ScopeName":"litellm","SpanAttributes":{"gen_ai.operation.name":"chat"}}`)
	f("took=500ms id=c named", `{"Timestamp":"1970-01-01T00:00:01Z","duration_ms":500,"trace.trace_id":"t","trace.span_id":"c","service.name":"proxy","library.name":"litellm","gen_ai.operation.name":"chat"}`)

	// As Azure's command line prints them, and of Application Insights.
	text, _ := json.Marshal(attributes + `,"error.type":"429"}`)
	failed := strings.Replace(want, `"429 Too Many"`, "429", 1)
	f(failed, `{"AppRoleName":"agent","DurationMs":"500","Id":"c","Name":"chat m","OperationId":"t","ParentId":"p","Properties":`+string(text)+`,"Success":"False","TimeGenerated":"1970-01-01T00:00:01Z"}`)
	f(failed, `{"timestamp":"1970-01-01T00:00:01Z","id":"c","name":"chat m","success":false,"duration":500,"customDimensions":`+attributes+`,"error.type":"429"},"operation_Id":"t","operation_ParentId":"p","cloud_RoleName":"agent"}`)
	// Of CloudWatch.
	f(want, `{"resource":{"attributes":{"service.name":"agent"}},"scope":{"name":"l"},"traceId":"t","spanId":"c","startTimeUnixNano":1000000000,"endTimeUnixNano":1500000000,"durationNano":500000000,"attributes":`+attributes+`},"status":{"code":"ERROR","message":"429 Too Many"}}`)

	// Of Elasticsearch, as it was sent and as it is printed.
	for _, at := range []string{"1000.0", "1970-01-01T00:00:01.000000000Z"} {
		f(want, `{"@timestamp":"`+at+`","data_stream":{"type":"traces"},"trace_id":"t","span_id":"c","name":"chat m","kind":"Client","duration":500000000,"attributes":`+attributes+`},"status":{"message":"429 Too Many","code":"Error"},"resource":{"attributes":{"service.name":"agent"}},"scope":{"name":"l"}}`)
	}
	f("1970-01-01T00:00:01.000456Z id=c named", `{"@timestamp":"1000.456789","duration":0,"span_id":"c","attributes":{"gen_ai.operation.name":"chat"}}`)

	// Of Logfire's table.
	whole, _ := json.Marshal(attributes + "}")
	for _, attributes := range []string{attributes + "}", string(whole)} {
		f(want, `{"start_timestamp":"1970-01-01T00:00:01.000000Z","end_timestamp":"1970-01-01T00:00:01.500000Z","duration":0.5,"trace_id":"t","span_id":"c","parent_span_id":"p","span_name":"chat m","kind":"span","service_name":"agent","otel_scope_name":"l","otel_status_code":"ERROR","otel_status_message":"429 Too Many","attributes":`+attributes+`}`)
	}

	// Attributes beside the ids, of Honeycomb, Dynatrace and New Relic.
	beside := strings.TrimPrefix(attributes, "{") + `,"service.name":"agent",`
	f(want, `{"Timestamp":"1970-01-01T00:00:01Z","duration_ms":500,"trace.trace_id":"t","trace.span_id":"c","trace.parent_id":"p","name":"chat m","status_code":2,"status_message":"429 Too Many",`+strings.TrimSuffix(beside, ",")+"}")
	f(want, `{"start_time":"1970-01-01T00:00:01.000000000Z","end_time":"1970-01-01T00:00:01.500000000Z","duration":"500000000",`+beside+`"span.id":"c","trace.id":"t","span.status_code":"error","span.status_message":"429 Too Many"}`)
	f(strings.Replace("1996-01-01T00:00:00.000000Z "+want, `"429 Too Many"`, "429", 1), `{"timestamp":820454400000,"duration.ms":500,`+beside+`"id":"c","trace.id":"t","error.type":"429","otel.status_code":"ERROR"}`)

	// Of a data frame of Phoenix's, in which messages are lists.
	f(`took=500ms id=c named session=s model=m messages=3 last="{\"tool_call_id\":\"x\",\"content\":\"[1]\",\"role\":\"tool\"}" has_tools=true tool_calls=1 call=y name=g arguments={} status=429 error="429 Too Many" tokens_in=7`,
		`{"context.span_id":"c","context.trace_id":"t","name":"ChatCompletion","span_kind":"LLM","parent_id":"p","start_time":"1970-01-01 00:00:01+00:00","end_time":"1970-01-01 00:00:01.500000+00:00","status_code":"ERROR","status_message":"429 Too Many","events":[],"attributes.llm.input_messages":[{"message.role":"user","message.content":"hi"},`+
			`{"message.role":"assistant","message.tool_calls":[{"tool_call.id":"x","tool_call.function.name":"g","tool_call.function.arguments":"{}"}]},{"message.tool_call_id":"x","message.content":"[1]","message.role":"tool"}],`+
			`"attributes.llm.output_messages":[{"message.role":"assistant","message.tool_calls":[{"tool_call.id":"y","tool_call.function.name":"g","tool_call.function.arguments":"{}"}]}],"attributes.llm.tools":[{"tool.json_schema":"{}"}],"attributes.llm.model_name":"m","attributes.llm.token_count.prompt":7.0,"attributes.session.id":"s"}`)

	// Of MLflow 2, whose spans look like those of consoles.
	f(`2026-11-21T03:24:40.384000Z took=500ms id=c named session=s model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" has_tools=false tool_calls=0 status=429 error="429 Too Many" stream=false`, `{"info":{"request_id":"t","request_metadata":{"mlflow.trace.session":"s"}},"data":{"spans":[{"name":"chat","context":{"span_id":"0xc","trace_id":"0xt"},"parent_id":null,"start_time":1795231480384000123,"end_time":1795231480884000123,`+
		`"status_code":"ERROR","status_message":"429 Too Many","attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"},"events":[]}],"request":"{}","response":null}}`)
	// A row of its data frames.
	f(`took=500ms id=c named user=k session=s model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" has_tools=false stream=false`, `{"trace_id":"tr-t","trace":"{}","state":"OK","request_time":1000,"execution_duration":500,"trace_metadata":{"mlflow.trace.session":"s","mlflow.trace.user":"k"},`+
		`"spans":[{"trace_id":"t","span_id":"c","name":"chat","start_time_unix_nano":1000000000,"end_time_unix_nano":1500000000,"attributes":{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"},"status":{"code":"STATUS_CODE_OK"}}]}`)
}

// TestNamesInMessages: of each number in a list of messages its name, as long as the names
// around it are, was kept, also where nobody reads it.
func TestNamesInMessages(t *testing.T) {
	const n = 10_000
	long := strings.Repeat("k", n)
	for _, messages := range []string{
		`[{"` + long + `":[` + strings.Repeat("0,", n) + `0]}]`,
		`{"` + long + `":[` + strings.Repeat("0,", n) + `0]}`,
		strings.Repeat(`{"aaaaaaaaaa":`, 900) + `0` + strings.Repeat("}", 900),
		`[` + strings.Repeat("0,", n) + `{"message.role":"user","message.content":"hi"}]`,
	} {
		p := newOtel(fingerprint.AllFields).(*otel)
		var r fingerprint.Request
		r.Reset()
		if _, why := p.Parse([]byte(`{"context.span_id":"c","context.trace_id":"t","start_time":1,"attributes.openinference.span.kind":"LLM","attributes.llm.input_messages":`+messages+`}`), &r); why != "" || len(p.call.names) > 3*n {
			t.Errorf("%.30s: %s, %d bytes of names", messages, why, len(p.call.names))
		}
	}
}

// TestJaegerReadsProcessesOnce: for each span all of them were, their names decoded anew.
func TestJaegerReadsProcessesOnce(t *testing.T) {
	const n = 300
	var spans, processes []string
	for i := range n {
		spans = append(spans, fmt.Sprintf(`{"spanID":"%d","processID":"p%d"}`, i, i))
		processes = append(processes, fmt.Sprintf(`"\u0070%d":{"serviceName":"agent"}`, i))
	}
	p := newOtel(fingerprint.AllFields).(*otel)
	var r fingerprint.Request
	p.Parse([]byte(`{"traceID":"t","spans":[`+strings.Join(spans, ",")+`],"processes":{`+strings.Join(processes, ",")+`}}`), &r)
	if string(p.spans[n-1].service) != "agent" || p.scan.Memory()+p.late.Memory() > 100*n {
		t.Errorf("service %q, %d bytes decoded", p.spans[n-1].service, p.scan.Memory()+p.late.Memory())
	}
}

// TestWritten: however a value is laid out, its text is found.
func TestWritten(t *testing.T) {
	f := func(value, want string) {
		t.Helper()
		if got := string(written([]byte(value))); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	f(`{"stringValue":"a\"b"}`, `a\"b"}`)
	f("{\r\n\t\"stringValue\" : \"a\"\n}", "a\"\n}")
	f(`"{\"id\":1}"`, `{\"id\":1}"`)
	f(`{"arrayValue":{}}`, `arrayValue":{}}`)
	f(``, ``)
}
