// Package formats reads the records of each gateway's log. A format is one
// file and one line in the table [All].
//
// A parser fills the fields of a request that its record carries and leaves
// the others absent; nothing is invented. It skips the costly fields that no
// rule of the run reads. Odd input is treated as package rawjson says.
//
// That of a gateway embeds access, which does what all of them need, and accessParser
// makes it: it begins a record, goes through its members, notes there the headers, who
// called, how long it lasted and the bodies, and finishes; traefik.go is an example.
// Spans and their like end in otelCall, and LiteLLM's logs in litellm.
package formats

import (
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Format is one kind of log.
type Format struct {
	Name string // as --format takes it
	Doc  string
	// Told is what a line has by which the format is told, members' names in
	// backquotes. The table of detection in docs/formats.md is made of it.
	Told string
	// Without is what a log of it is in which no request begins, and the way out;
	// empty if it may be any other.
	Without string
	// JSON says that a record is a JSON object: then a line may also be an
	// array of records.
	JSON bool
	// Tabs says that tabs stand between its values: before the first and behind
	// the last they are no white space.
	Tabs bool
	// Zoneless says that its times have no zone, or not always one: its
	// parsers are Zoned.
	Zoneless bool
	// Flat says that dots are a part of its names, or may be. In others they are what is
	// left of objects that were flattened.
	Flat bool
	// Detect tells whether a line is of this format. Formats are made so that
	// no line is of two.
	Detect func(Line) bool
	// Loose tells of a line of it that it may be what is around one of another format;
	// nil if none may.
	Loose func(Line) bool
	// New makes a parser that reads the given costly fields.
	New func(reads fingerprint.Field) Parser
	// Wrappers are what the records of a log lie in, the outermost first; nil
	// for a log in which they lie bare.
	Wrappers []*wrap.Wrapper

	named []string // fields that a custom format says the places of; nil if it is none
}

// IsCustom tells a format of the user's own.
func (f *Format) IsCustom() bool { return f.named != nil }

// In is f inside of wrappers, under a name that [ByName] knows: docker+caddy.
func (f *Format) In(wrappers []*wrap.Wrapper) *Format {
	if len(wrappers) == 0 {
		return f
	}
	wrapped := *f
	wrapped.Wrappers, wrapped.Name = append(slices.Clip(wrappers), f.Wrappers...), ""
	for _, w := range wrappers {
		if w.Name != "" {
			wrapped.Name += w.Name + "+"
		}
	}
	wrapped.Name += f.Name
	return &wrapped
}

// Parser reads records. One goroutine uses it at a time.
type Parser interface {
	// Parse fills r, which has been reset, from one record. On failure why
	// says what is wrong, without any text of the record, and column where,
	// from 1, or 0 if it is about the whole record.
	Parse(record []byte, r *fingerprint.Request) (column int, why string)
}

// Named is a Parser to which the name of the file says something.
type Named interface {
	Parser
	// Of is called with the name before the first record of a block; it is
	// empty for what is no file.
	Of(name string)
}

// Batch is a Parser whose records hold any number of requests, as an export of
// spans does. Its Parse reads the first of them.
type Batch interface {
	Parser
	// ParseEach fills r for each request of the record, resetting it before
	// each, and calls yield, which may keep nothing of it, and says whether to
	// go on. A failure is told before any request.
	ParseEach(record []byte, r *fingerprint.Request, yield func() bool) (column int, why string)
}

// NoRequest is what Parse says of a record that is as it should be, but of
// something else than a request: a start-up message, a span of a database.
const NoRequest = "no request in it"

// All is every format.
var All = []*Format{
	{Name: "loopgauge", Doc: "the native format, one JSON object a line", Told: "`time`, readable, and one of `id`, `method`, `path`, `query`, `body`, `body_hash`, `caller`, `user`, `session`, `model`, `messages`, `tool_calls`, `attributes`; none of `startTime`, `requestOptions`, `uri`, `url`, `request`, `request_uri`, `request_method`, `status_code`, `client_ip`, `remote_addr`, `request_body`, `response_code`, `req`, not both `rule` and `fingerprint`, which verdicts and alerts of loopgauge have, and not all of `nginx-json` or `haproxy-json`; where `method`, `status`, `caller`, `session`, `messages`, `body` or `tool_calls` is missing no other name for it with a value that could be one, as `verb`, `code` or `http.status`, nor for `tool_calls` a response in JSON or in events; `headers` beside `caller` and `session` alone", JSON: true, Flat: true, Detect: byMembers(isNative), Loose: byMembers(mayHoldLine), New: newNative},
	{Name: "litellm", Doc: "LiteLLM StandardLoggingPayload", Told: "`startTime`; `call_type`, `litellm_call_id` or `custom_llm_provider`; `messages`, `model_group`, `metadata` or `response`; no `modelParameters`, and not all of `litellm-spend`", JSON: true, Detect: byMembers(isLiteLLM), New: newLiteLLM},
	{Name: "litellm-v1", Doc: "LiteLLM generic API callback with generic_api_use_v1", Told: "`startTime`, `modelParameters`, and `messages`, `response`, `call_type` or `cache_hit`", JSON: true, Zoneless: true, Detect: byMembers(isLiteLLMV1), New: newLiteLLMV1},
	{Name: "litellm-spend", Doc: "LiteLLM SpendLogs rows", Told: "`startTime`, `request_id` and `spend`", JSON: true, Zoneless: true, Detect: byMembers(isLiteLLMSpend), New: newLiteLLMSpend},
	{Name: "litellm-stdout", Doc: "LiteLLM proxy's own output as JSON", Told: "`message`, `level`, `timestamp` and `component`", JSON: true, Zoneless: true, Detect: byMembers(isLiteLLMStdout), New: newLiteLLMStdout},
	{Name: "otel", Doc: "OpenTelemetry GenAI: OTLP, Tempo, Jaeger, Phoenix, MLflow", Told: "`resourceSpans` or `resourceLogs`; or, of Tempo and Jaeger, `batches`, `trace` or `result` with `scopeSpans` in it; or, of Jaeger, `data` with `spanID` and `operationName` in it, or `traceID` and `spans` or `operationName`; or, of Zipkin, `traceId`, `id` and `localEndpoint`; or, of ClickHouse, `TraceId` and `SpanAttributes`; or, of Azure Monitor, `OperationId`, `DurationMs` and `Properties`, or `operation_Id`, `duration` and `customDimensions`; or, of CloudWatch, `spanId`, `startTimeUnixNano` and `attributes`; or, of Elasticsearch, `span_id`, `@timestamp`, `duration` and `attributes`; or, of Logfire, `span_id`, `start_timestamp` and `attributes`; or, of the console exporter and Phoenix, `context`, `parent_id`, `start_time` and `attributes`; or, of Phoenix's data frames, `context.span_id`, `context.trace_id` and `start_time`; or, of Honeycomb, `trace.span_id`, `trace.trace_id` and `duration_ms`; or, of Dynatrace, `span.id`, `trace.id`, `start_time` and `end_time`; or, of New Relic, `trace.id`, `timestamp` and `duration.ms`, these four not beside all of `envoy-json` or `nginx-json`; or, of MLflow's traces, `info` and `data`, or `spans`, with names of attributes in them that begin with `mlflow.`; or, of Node's SDK, `attributes`, and `hrTime` or `_hrTime`, or `_spanContext` and `startTime`; or, of Copilot's file, `attributes`, `traceId`, `spanId`, `startTime` and `instrumentationScope`; or `scopeMetrics`", Without: "none of its spans and events is a call of a model, as those of agents and tools are not: instrument the model's client, too\nof log records that hold another program's lines: loopgauge formats --scaffold LOG > my.yaml, then --format my.yaml", JSON: true, Flat: true, Detect: byMembers(isOtel), New: newOtel},
	{Name: "nginx-json", Doc: "nginx log_format as JSON, escape=json or default", Told: "a method (`method`, `request_method` or the text `request`), a target (`uri`, `request_uri` or the text `request`; or `path` or `url` beside `request_time`, `remote_addr`, `remote_ip`, `client_ip` or `clientip`), a readable time (`time`, `time_iso8601`, `time_local`, `msec`, `timestamp`, `@timestamp`, `date` or `_time`) and `status`; none of `ts`, `start_time`, `startTime`, `resp_headers`, `logger`, and not all of `haproxy-json`", JSON: true, Flat: true, Detect: detectNginxJSON, New: accessParser[nginxJSON]},
	{Name: "envoy-json", Doc: "Envoy, Envoy Gateway, Envoy AI Gateway access log as JSON", Told: "`start_time`, or `@timestamp`, `date` or `_time` and `response_flags`; `response_code` and `method` or `:method`", JSON: true, Flat: true, Detect: byMembers(isEnvoyJSON), New: accessParser[envoyJSON]},
	{Name: "envoy-text", Doc: "Envoy access log in its default text", Told: "the text of Envoy's default access log: a time with a zone in brackets, the request in quotes, status, flags, counts", Detect: byParsing(accessParser[envoyText]), New: accessParser[envoyText]},
	{Name: "caddy", Doc: "Caddy access log as JSON", Told: "`ts` and the object `request`; `status`, `size` or `duration`; `logger`, which begins with `http.`, `msg` or `resp_headers`. With `time`, `timestamp`, `@timestamp`, `date` or `_time` for `ts` it needs that `logger` or `resp_headers`", JSON: true, Detect: byMembers(isCaddy), New: accessParser[caddy]},
	{Name: "traefik", Doc: "Traefik access log as JSON", Told: "`StartUTC` or `StartLocal`, and `RequestMethod`, `RequestPath` or `DownstreamStatus`; or `time` and `DownstreamStatus`", JSON: true, Flat: true, Detect: byMembers(isTraefik), New: accessParser[traefik]},
	{Name: "haproxy", Doc: "HAProxy option httplog", Told: "the text of HAProxy's `option httplog`, up to the request", Zoneless: true, Detect: byParsing(accessParser[haproxy]), New: accessParser[haproxy]},
	{Name: "haproxy-json", Doc: "HAProxy log-format as JSON", Told: "`method`, `path` or `uri`, `status`, and `accept_ms`, `term`, `Ta`, or a date of HAProxy's without a zone in `tr` or `time`", JSON: true, Flat: true, Zoneless: true, Detect: byMembers(isHAProxy), New: accessParser[haproxyJSON]},
	{Name: "portkey", Doc: "Portkey gateway log stream", Told: "`requestOptions`, and `endpoint`, `duration` or `status`", JSON: true, Zoneless: true, Detect: byMembers(isPortkey), New: accessParser[portkey]},
	{Name: "portkey-export", Doc: "logs export of Portkey's cloud", Told: "`created_at`; `ai_org`, `ai_model`, `req_units` or `res_units`", JSON: true, Zoneless: true, Detect: byMembers(isPortkeyExport), New: accessParser[portkeyExport]},
	{Name: "cloudflare", Doc: "Cloudflare AI Gateway's Logpush, and what its API lists", Told: "`Gateway` and `Provider`; `RequestBody`, `ResponseBody`, `StatusCode` or `RateLimited`; or, of its API, `created_at`, `provider`, `cached`, and `tokens_in` or `tokens_out`", JSON: true, Detect: byMembers(isCloudflare), New: newCloudflare},
	{Name: "azure-apim", Doc: "Azure API Management's log of language models", Told: "`CorrelationId` and `SequenceNumber`; or `category` and `properties`, with `GatewayLlmLogs` for the category", JSON: true, Detect: detectAzureAPIM, New: newAzureAPIM},
	{Name: "claude-code", Doc: "session files of Claude Code", Told: "`type`, no `startTime`, and `sessionId`, or `leafUuid` and `summary`, or `messageId` and `snapshot`, or `session_id`, and `parent_tool_use_id`, or `subtype` and `uuid`", JSON: true, Detect: byMembers(wrap.IsTurn), New: newClaudeCode},
	{Name: "codex", Doc: "session files of OpenAI's Codex", Told: "`timestamp`, `payload`, and `type`, which is `session_meta`, `turn_context`, `response_item`, `event_msg` or `compacted`", JSON: true, Detect: byMembers(wrap.IsRollout), New: newCodex},
	{Name: "pi", Doc: "session files of pi and OpenClaw", Told: "`id`, `timestamp`, and `type`: `session`, and `cwd`; or `model_change`, `thinking_level_change`, `compaction`, `branch_summary`, `label` or `session_info`, and `parentId`; or `message`, and `parentId` and `message`; or `custom` or `custom_message`, and `parentId` and `customType`", JSON: true, Detect: byMembers(wrap.IsEntry), New: newPi},
	{Name: "copilot", Doc: "session files of GitHub's Copilot CLI", Told: "`id`, `parentId`, `timestamp`, `data`, and a `type` that begins with `assistant.`, `hook.`, `session.`, `subagent.`, `system.`, `tool.` or `user.`", JSON: true, Detect: byMembers(wrap.IsEvent), New: newCopilot},
	{Name: "gemini-cli", Doc: "session files of Gemini CLI", Told: "`id`, `timestamp`, `content`, and a `type` of `gemini`, or of `user` with a list for `content`; or `$set` alone; or `sessionId`, `projectHash` and `startTime`", JSON: true, Detect: byMembers(isGeminiCLI), New: newGeminiCLI},
	{Name: "kong", Doc: "Kong's logging plugins, with its AI plugins", Told: "`started_at` and `request`; `latencies`, `tries` or `upstream_uri`", JSON: true, Detect: byMembers(isKong), New: accessParser[kong]},
	{Name: "apisix", Doc: "APISIX's logging plugins, with ai-proxy", Told: "`start_time` and the object `request`; `apisix_latency`, `route_id` or `service_id`", JSON: true, Detect: byMembers(isAPISIX), New: accessParser[apisix]},
	{Name: "helicone", Doc: "Helicone's rows of requests", Told: "`request_created_at`; `request_id` or `response_id`", JSON: true, Zoneless: true, Detect: byMembers(isHelicone), New: accessParser[helicone]},
	{Name: "langfuse", Doc: "observations of Langfuse", Told: "`type` in capitals, `traceId` and `startTime`; `parentObservationId`, `modelParameters`, `usageDetails` or `projectId`; or, of its exports to a store, `type`, `trace_id` and `start_time`; `parent_observation_id`, `model_parameters`, `usage_details` or `project_id`", Without: "none of its observations is a generation or an embedding: export these, too", JSON: true, Zoneless: true, Detect: byMembers(isLangfuse), New: newLangfuse},
	{Name: "langsmith", Doc: "runs of LangSmith", Told: "`run_type` and `start_time`; `trace_id`, `dotted_order` or `parent_run_id`", Without: "none of its runs is one of a model (run_type llm), as root runs are not: export those inside them, too", JSON: true, Zoneless: true, Detect: byMembers(isLangSmith), New: newLangSmith},
	{Name: "bedrock", Doc: "Amazon Bedrock model invocation log", Told: "`modelId` and `timestamp`; `schemaType` or `operation`; `input` or `output`", JSON: true, Detect: byMembers(isBedrock), New: newBedrock},
	{Name: "har", Doc: "entries of an HTTP archive (HAR)", Told: "`startedDateTime` and `request`", JSON: true, Detect: byMembers(isHAR), New: accessParser[har]},
	{Name: "combined", Doc: "Apache and nginx combined or common text", Told: "the text of Apache's and nginx's access logs, up to the status", Detect: detectCombined, New: accessParser[combined]},
	{Name: "mooncake", Doc: "Mooncake trace: timestamp and hash_ids", Told: "`timestamp` and `hash_ids`", JSON: true, Detect: byMembers(isMooncake), New: newMooncake},
	{Name: "claude-code-router", Doc: "claude-code-router's log", Told: "`level`, `time`, `pid`, `hostname`, and `msg` or `type`, as pino writes them", Without: "pino's lines, and none a request of claude-code-router: if another program wrote them, loopgauge formats --scaffold LOG > my.yaml, then --format my.yaml", JSON: true, Detect: byMembers(isCCR), New: accessParser[ccr]},
}

// ByBeginning tells that the beginning of a log says more of the format than its name.
func (f *Format) ByBeginning() bool {
	return slices.ContainsFunc(f.Wrappers, func(w *wrap.Wrapper) bool { return w.Of != nil })
}

// ByName returns the format called name, or nil. The names of wrappers may
// stand in front, each with a plus sign behind it.
func ByName(name string) *Format {
	around, bare := "", name
	if i := strings.LastIndexByte(name, '+'); i >= 0 {
		around, bare = name[:i], name[i+1:]
	}
	at := slices.IndexFunc(All, func(f *Format) bool { return f.Name == bare })
	if at < 0 {
		return nil
	}
	if bare == name {
		return All[at]
	}
	return All[at].Inside(around)
}

// Inside is [Format.In] of wrappers by their names, which plus signs part; nil if one
// of them is none.
func (f *Format) Inside(names string) *Format {
	outer := strings.Split(names, "+")
	if len(outer) > wrap.MaxDepth {
		return nil
	}
	around := make([]*wrap.Wrapper, len(outer))
	for i, name := range outer {
		if around[i] = wrap.ByName(name); around[i] == nil {
			return nil
		}
	}
	return f.In(around)
}

// Names lists the formats.
func Names() []string {
	names := make([]string, len(All))
	for i, f := range All {
		names[i] = f.Name
	}
	return names
}

// noTime and badTime are why a record with no usable time is not judged.
const (
	noTime  = "no time"
	badTime = "time out of range"
)

// Times outside these years are a broken clock or a wrong unit.
const (
	minTime = 0                     // 1970
	maxTime = 7_258_118_400_000_000 // 2200
)

// byMembers makes a Detect of what tells the members of a record.
func byMembers(is func(wrap.Members) bool) func(Line) bool {
	return func(line Line) bool { return is(line.members) }
}

// byParsing makes a Detect that tells what a format's parser can read.
func byParsing(parser func(fingerprint.Field) Parser) func(Line) bool {
	return func(line Line) bool {
		_, ok := parsed(parser(0), line.text)
		return ok
	}
}

// parsed is what p reads from a line; ok is that it can, with times that may be.
func parsed(p Parser, line []byte) (r fingerprint.Request, ok bool) {
	r.Reset()
	_, why := p.Parse(line, &r)
	return r, why == "" && CheckTime(&r) == ""
}

// CheckTime says what is wrong with a request's times, or "". An end before the
// start is none: clients write 0, 1970 or the year 1 of what has not ended.
func CheckTime(r *fingerprint.Request) string {
	if r.End < r.Time {
		r.End = fingerprint.NoTime
	}
	switch {
	case r.Time == fingerprint.NoTime:
		return noTime
	case r.Time < minTime || r.Time >= maxTime || r.End >= maxTime:
		return badTime
	}
	return ""
}

// outOfRange is a time that was there but lies outside int64 microseconds.
const outOfRange = math.MaxInt64
