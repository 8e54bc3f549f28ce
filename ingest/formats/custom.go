package formats

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Custom describes a log of the user's own: where each field of a request
// stands in a record. docs/formats.md has the file that it is read from.
type Custom struct {
	Name    string
	Pattern *regexp.Regexp // of a line of text; nil: a record is a JSON object, or CSV
	// Columns are the names of the values on a line of CSV, in their order; nil
	// if it is none. Separator stands between them.
	Columns   []string
	Separator byte
	Missing   []string       // texts that stand for no value, such as -
	Zone      *time.Location // of times that have none, unless the run has one; nil is UTC
	// Fields are by the names of CustomFields, Attributes by their own.
	Fields, Attributes []CustomField
}

// CustomField says where a field stands.
type CustomField struct {
	Name string
	// Paths lead to the value: the first that leads to one counts. A path is a
	// name, or names with dots between them; where a record has a name with
	// dots in it, that comes first. A number picks an element of a list, a text
	// is looked into if it holds JSON, or what Python prints, also in base64 or
	// behind words. In a text log the first name is that of a group, in CSV of a
	// column.
	Paths []string
	Const *string // instead of paths
	// Layout is how a time is written: unix_s, unix_ms, unix_us, unix_ns,
	// rfc3339, or as package time has it. Empty is RFC 3339, or a number of
	// seconds.
	Layout string
	Unit   time.Duration // of a duration that is a number; 0 is a second
}

// CustomFields are the fields that a custom format can fill.
var CustomFields = []struct{ Name, Doc string }{
	{"time", "start, or the only time"},
	{"end", "when the response was complete"},
	{"duration", "how long the call took: end is time and duration, or time is end without it"},
	{"id", "the gateway's own id of this call"},
	{"method", "HTTP method"},
	{"path", "URL path"},
	{"query", "the query, as a text or an object"},
	{"url", "path and query in one, or a request's first line: method, these, version"},
	{"caller", "API key or consumer; taken for a secret"},
	{"caller_name", "caller by a name that may be shown; of an address without the port"},
	{"user", "end user"},
	{"session", "session or conversation"},
	{"agent", "in a session that several agents share, which of them"},
	{"model", "what the client asked for"},
	{"backend", "provider that served it"},
	{"headers", "object of the request's headers: they name session and caller, and become attributes"},
	{"body", "request body of OpenAI, Anthropic, Google or Bedrock, as JSON or as its text: messages, model, tools, session, ...; with the request's head in front also what its headers say"},
	{"body_hash", "a hash of the body"},
	{"messages", "the list of messages alone, in the words of any API, of OpenTelemetry, Vercel's AI SDK, LlamaIndex, TensorZero or Datadog"},
	{"has_tools", "whether tools were offered: true or false, or the list of them"},
	{"response", "response body of OpenAI, Anthropic, Google or Bedrock, also as events, or its message, choice or candidate alone, or a list of them: tool calls, tokens"},
	{"tool_calls", "the list of calls that the model issued alone"},
	{"status", "HTTP status"},
	{"error", "class or message of an error, or an object with its message; without a status, the one that it names or stands for is taken"},
	{"tokens_in", "prompt tokens"},
	{"tokens_out", "completion tokens"},
	{"tokens_cached", "those of tokens_in that the provider had in its cache"},
	{"cost", "USD"},
	{"stream", "whether the response was streamed"},
	{"cached", "whether it came from a cache"},
	{"max_tokens", "limit that the client set"},
}

// NewCustom makes the format. What it describes has been checked.
func NewCustom(c *Custom) *Format {
	f := &Format{Name: c.Name, Doc: "custom", JSON: c.Pattern == nil && c.Columns == nil, Flat: true, Tabs: c.Separator == '\t'}
	for _, x := range c.Fields {
		f.named = append(f.named, x.Name)
		f.Zoneless = f.Zoneless || c.Zone == nil && zoneOfLayout(x.Layout) == noZone
	}
	if c.Columns != nil {
		f.Wrappers = []*wrap.Wrapper{wrap.CSVRows(len(c.Columns), c.Separator)}
	}
	f.New = func(reads fingerprint.Field) Parser { return newCustom(c, reads) }
	f.Detect = byParsing(f.New)
	return f
}

// shownIn are the fields of a request that a custom field shows in, where they
// are others: one of them at least.
var shownIn = map[string][]string{
	"duration": {"end"}, "url": {"path"}, "caller_name": {"caller"}, "headers": {"attributes"},
	"body": {"body", "model", "messages"}, "response": {"tool_calls", "tokens_in", "tokens_out"},
}

// Astray are the fields that a custom format says the places of and no request
// has; fields counts the requests with each of [NativeFields].
func (f *Format) Astray(fields map[string]int64) (names []string) {
	for _, name := range f.named {
		in := shownIn[name]
		if in == nil {
			in = []string{name}
		}
		if !slices.ContainsFunc(in, func(shown string) bool { return fields[shown] > 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// custom reads what a Custom describes.
type custom struct {
	access
	zoned
	c       *Custom
	members []member // of the record: named values, or groups

	said chat // in OpenTelemetry's words, or those of the AI SDK

	took, ended int64 // of the record, if it says so
	nicknamed   bool  // a time of it has a nickname of a zone that nobody knows

	zones map[string]zoneOf // by layout

	names      [][]byte // of groups, empty for those without, or of columns
	attributes [][]byte // names of c.Attributes

	cells    [][]byte // of a line of CSV
	unquoted []byte   // those of them in which quotes were doubled

	// opened are scanners whose texts live as long as the record.
	opened []*rawjson.Scanner
	used   int
	// decoded, held and entered are what has been looked into: several fields lie in
	// the same text or object.
	decoded []decodedText
	held    []heldJSON
	entered []enteredObject
}

func newCustom(c *Custom, reads fingerprint.Field) *custom {
	p := &custom{access: access{reads: reads}, zoned: zoned{zone: c.Zone}, c: c, zones: map[string]zoneOf{}}
	for i := range c.Fields {
		p.zones[c.Fields[i].Layout] = zoneOfLayout(c.Fields[i].Layout)
	}
	names := c.Columns
	if c.Pattern != nil {
		names = c.Pattern.SubexpNames()
	}
	for _, name := range names {
		p.names = append(p.names, []byte(name))
	}
	for i := range c.Attributes {
		p.attributes = append(p.attributes, []byte(c.Attributes[i].Name))
	}
	return p
}

// In sets the zone of times that have none, if the run has one.
func (p *custom) In(zone *time.Location) { p.zoned.In(cmp.Or(zone, p.c.Zone)) }

// comment begins a line of W3C's logs that is none of a request.
var comment = []byte("#")

func (p *custom) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.begin(nil)
	p.said.reset()
	p.used, p.members, p.decoded, p.held, p.entered = 0, p.members[:0], p.decoded[:0], p.held[:0], p.entered[:0]
	if p.c.Columns != nil {
		if why := p.columns(record); why != "" {
			return 0, why
		}
	} else if p.c.Pattern != nil {
		at := p.c.Pattern.FindSubmatchIndex(record)
		if at == nil && bytes.HasPrefix(record, comment) {
			return 0, NoRequest
		} else if at == nil {
			return 0, "does not match the pattern"
		}
		for i, name := range p.names {
			if len(name) > 0 && at[2*i] >= 0 {
				p.members = append(p.members, member{name, found{text: p.unescaped(record[at[2*i]:at[2*i+1]:at[2*i+1]])}})
			}
		}
	} else {
		s := &p.scan
		s.Reset(record)
		p.members = appendMembers(p.members, s)
		if column, why := wrap.Failure(s); why != "" {
			return column, why
		}
	}
	p.fill(r)
	if p.c.Pattern != nil && bytes.HasPrefix(record, comment) && r.Time == fingerprint.NoTime && r.End == fingerprint.NoTime {
		return 0, NoRequest // W3C's logs name their columns, again and again
	}
	if p.nicknamed {
		return 0, unknownZone
	}
	return 0, ""
}

// unescaped undoes what loggers of text escape between quotes, where JSON was: no
// object begins so; and what databases escape in rows of tabs.
func (p *custom) unescaped(text []byte) []byte {
	if p.c.Separator == '\t' {
		text = wrap.Uncopied(text)
	}
	if !bytes.HasPrefix(text, []byte(`{\`)) {
		return text
	}
	text = p.scan.Join("", text)
	return appendUnquoted(text[:0], text)
}

func (p *custom) lookup(f *CustomField) (v found, ok bool) {
	if f.Const != nil {
		return found{text: []byte(*f.Const)}, true
	}
	for _, path := range f.Paths {
		if v, ok = p.among(p.members, path); ok {
			return v, true
		}
	}
	return v, false
}

// fill fills the request: first from the URL, by which a body is read that names no
// model, then from headers and bodies, and last from the other fields, which overrule
// what was found there.
func (p *custom) fill(r *fingerprint.Request) {
	p.took, p.ended, p.nicknamed = fingerprint.NoTime, fingerprint.NoTime, false
	p.fields(r, ofURL)
	p.fields(r, ofBodies)
	p.settle(r)
	p.said.reword(r)
	p.fields(r, ofOthers)
	if r.Status == fingerprint.Unknown && len(r.Error) > 0 {
		r.Status = failedStatus(nil, r.Error)
	}
	switch {
	case r.Time == fingerprint.NoTime && p.ended != fingerprint.NoTime:
		if r.Time = p.ended; p.took != fingerprint.NoTime {
			began(r, p.took)
		}
	case p.ended != fingerprint.NoTime:
		r.End = p.ended
	case p.took != fingerprint.NoTime:
		ended(r, p.took)
	}
	if p.reads&fingerprint.ReadsAttributes == 0 {
		return
	}
	for i := range p.c.Attributes {
		if v, ok := p.lookup(&p.c.Attributes[i]); ok {
			setAttribute(r, p.attributes[i], p.text(v), p.reads)
		}
	}
}

// When a field is filled.
const (
	ofURL = iota
	ofBodies
	ofOthers
)

func (f *CustomField) stage() int {
	switch f.Name {
	case "path", "url":
		return ofURL
	case "headers", "body", "response":
		return ofBodies
	}
	return ofOthers
}

// fields fills those of a stage.
func (p *custom) fields(r *fingerprint.Request, stage int) {
	for i := range p.c.Fields {
		f := &p.c.Fields[i]
		if f.stage() != stage {
			continue
		}
		if v, ok := p.lookup(f); ok {
			p.field(r, f, v)
		}
	}
}

// headers reads an object of headers; of a list of values the first counts.
func (p *custom) headers(r *fingerprint.Request, v found) {
	s := p.open(p.container(v))
	for s.Object(); s.NextKey(); {
		name, value := s.Key, s.Value()
		if value.Kind() == rawjson.Array {
			inner := p.open(value)
			if inner.Array(); !inner.NextElement() {
				continue
			}
			value = inner.Value()
		}
		if value != nil {
			p.header(r, name, p.text(found{json: value}))
		}
	}
}

// sentBody takes a request body apart: bytes as sent, perhaps with their head, or the JSON
// itself.
func (p *custom) sentBody(r *fingerprint.Request, v found) {
	text, inside := p.text(v), p.container(v)
	switch {
	case v.json.Kind() == rawjson.Object, inside != nil && rawjson.IsPython(bytes.TrimSpace(text)):
		p.bodyValue(r, inside)
		return
	case len(text) == 0 || text[0] == '{':
	default:
		head, sent := cutHead(wrap.Unencoded(text))
		p.head(r, head)
		switch {
		case inside.Kind() == rawjson.Object:
			text = inside
		case head != nil: // its keys are no part of the body
			text = sent
		}
	}
	r.Body = text
}

// messages reads a list of messages, whosever words they are in. In the arguments of
// calls may be anything, also parts.
func (p *custom) messages(r *fingerprint.Request, v found) {
	list := p.container(v)
	switch parts := bytes.Contains(list, []byte(`"parts"`)); {
	case parts && areContents(p.open(nil), list):
		p.body.gemini.bare(list, &r.Messages, p.reads)
		return
	case parts:
		p.said.messages(list, r, p.reads)
	default:
		readMessages(p.list(v), r, p.reads)
	}
	p.body.converse.all(r.Messages.Items)
	p.said.reword(r)
}

func (p *custom) field(r *fingerprint.Request, f *CustomField, v found) {
	switch f.Name {
	case "path":
		setPath(r, p.text(v))
	case "url":
		target := p.text(v)
		if method, inside, ok := requestLine(target); ok {
			r.Method, target = method, inside
		}
		splitTarget(r, target)
	case "headers":
		p.headers(r, v)
	case "body":
		p.sentBody(r, v)
	case "response":
		p.response = p.container(v)
		if text := p.text(v); p.response == nil || !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("[")) {
			if _, text = cutHead(wrap.Unencoded(text)); p.response == nil || wrap.IsEvents(text) { // that end in an object perhaps
				p.response = text
			}
		}
	case "time":
		r.Time = p.time(f, v, r.Time)
	case "end":
		p.ended = p.time(f, v, p.ended)
	case "duration":
		p.took = p.duration(f, v)
	case "id":
		r.ID = p.text(v)
	case "method":
		r.Method = p.text(v)
	case "query":
		if v.json.Kind() == rawjson.Object {
			setQuery(r, fingerprint.Query{Object: v.json})
		} else {
			setQuery(r, fingerprint.Query{Raw: p.text(v)})
		}
	case "caller":
		r.Caller, r.CallerIsName = p.text(v), false
	case "caller_name":
		r.Caller, r.CallerIsName = withoutPort(p.text(v)), true
	case "user":
		r.User = p.text(v)
	case "session":
		if t := p.text(v); fingerprint.NamesSession(t) {
			r.Session = t
		}
	case "agent":
		r.Agent = p.text(v)
	case "model":
		r.Model = p.text(v)
	case "backend":
		r.Backend = p.text(v)
	case "body_hash":
		r.BodyHash = p.text(v)
	case "messages":
		p.messages(r, v)
	case "has_tools":
		r.HasTools = readTools(p.list(v), r.HasTools)
	case "tool_calls":
		s := p.list(v)
		r.ToolCallsLogged = r.ToolCallsLogged || s.Kind() == rawjson.Array
		readToolCalls(s, r, 0, p.reads)
	case "error":
		if v.json.Kind() == rawjson.Object {
			v, _ = p.into(v, "message")
		}
		r.Error = p.text(v)
	default:
		readNumber(p.scalar(v), []byte(f.Name), r)
	}
}
