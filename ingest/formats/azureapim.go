package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// azureAPIM reads the log that Azure API Management keeps of language models:
// the table ApiManagementGatewayLlmLog of Log Analytics, or what a diagnostic
// setting sends elsewhere, with the same members in properties. The wrapper
// rows puts the rows of a request together.
type azureAPIM struct {
	reads             fingerprint.Field
	scan              rawjson.Scanner
	list              rawjson.Scanner
	request, response pieces
	deployment, model []byte
	sequenced         bool // it is a row of the log of language models
}

// pieces are messages that may come on several rows: lists of messages, or the
// text of one list cut anywhere.
type pieces struct {
	text  []byte          // put together
	items []rawjson.Value // of lists
	lists bool
}

func newAzureAPIM(reads fingerprint.Field) Parser { return &azureAPIM{reads: reads} }

func detectAzureAPIM(line Line) bool {
	if line.members.Has("CorrelationId", "SequenceNumber") {
		return true
	}
	return line.members.Has("category", "properties") && bytes.Contains(line.text, []byte("GatewayLlmLogs"))
}

func (p *azureAPIM) Parse(record []byte, r *fingerprint.Request) (int, string) {
	p.request.reset()
	p.response.reset()
	p.deployment, p.model, p.sequenced = nil, nil, false
	s := &p.scan
	s.Reset(record)
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "rows" {
			p.member(r)
			continue
		}
		for s.Array(); s.NextElement(); {
			for s.Object(); s.NextKey(); {
				p.member(r)
			}
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	if !p.sequenced { // of the other log of the same gateway, which may lie in the same place
		return 0, NoRequest
	}
	r.Model = first(p.deployment, p.model)
	p.read(r)
	return 0, ""
}

func (p *azureAPIM) member(r *fingerprint.Request) {
	s := &p.scan
	switch {
	case string(s.Key) == "time" || wrap.RowMember(s.Key, "TimeGenerated"):
		if t := readTime(s, fingerprint.NoTime); r.Time == fingerprint.NoTime || t != fingerprint.NoTime && t < r.Time {
			r.Time = t // rows are written one after the other
		}
	case wrap.RowMember(s.Key, "CorrelationId"):
		r.ID = value(s, r.ID)
	case wrap.RowMember(s.Key, "SequenceNumber"):
		if _, ok := s.Int(); ok {
			p.sequenced = true
		}
	case wrap.RowMember(s.Key, "DeploymentName"):
		p.deployment = value(s, p.deployment)
	case wrap.RowMember(s.Key, "ModelName"):
		p.model = value(s, p.model)
	case wrap.RowMember(s.Key, "PromptTokens"):
		r.TokensIn = p.tokens(r.TokensIn)
	case wrap.RowMember(s.Key, "CompletionTokens"):
		r.TokensOut = p.tokens(r.TokensOut)
	case wrap.RowMember(s.Key, "IsStreamCompletion"):
		r.Stream = readTri(s, r.Stream)
	case wrap.RowMember(s.Key, "RequestMessages"):
		p.request.add(s)
	case wrap.RowMember(s.Key, "ResponseMessages"):
		p.response.add(s)
	case string(s.Key) == "properties":
		for s.Object(); s.NextKey(); {
			p.member(r)
		}
	}
}

// tokens reads a count. Rows that hold messages have 0.
func (p *azureAPIM) tokens(old int64) int64 {
	if n := readCount(&p.scan, 0); n > 0 || old == fingerprint.Unknown {
		return n
	}
	return old
}

func (m *pieces) reset() { m.text, m.items, m.lists = m.text[:0], m.items[:0], false }

// add takes the messages of a row.
func (m *pieces) add(s *rawjson.Scanner) {
	switch s.Kind() {
	case rawjson.String:
		m.text = append(m.text, s.Text(nil)...)
	case rawjson.Array:
		m.lists, m.items = true, s.Elements(m.items)
	default:
		s.Skip()
	}
}

// read takes the messages apart.
func (p *azureAPIM) read(r *fingerprint.Request) {
	s := &p.list
	if p.request.lists {
		r.Messages.Logged = true
		r.Messages.Items = append(r.Messages.Items[:0], p.request.items...)
	} else if text := p.request.text; len(text) > 0 {
		s.Reset(text)
		if readMessages(s, r, fingerprint.AllFields); s.End() != nil { // a row is missing
			r.Messages.Items, r.Messages.Logged = r.Messages.Items[:0], false
			r.Lost = fingerprint.TruncatedContent
		}
	}
	if p.reads&fingerprint.ReadsMessages == 0 {
		r.Messages.Items = r.Messages.Items[:0]
	}
	if p.response.lists {
		s.Reset(nil)
		for _, m := range p.response.items {
			s.Then(m)
			p.said(s, r)
		}
	} else if text := p.response.text; len(text) > 0 {
		s.Reset(text)
		for s.Array(); s.NextElement(); {
			p.said(s, r)
		}
		if s.End() != nil {
			r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
		}
	}
}

// said reads a message of the response. Whether calls are logged is not
// documented: none may mean that they are not.
func (p *azureAPIM) said(s *rawjson.Scanner, r *fingerprint.Request) {
	before := len(r.ToolCalls)
	for s.Object(); s.NextNamed("tool_calls"); {
		r.ToolCallsLogged = r.ToolCallsLogged || s.Kind() == rawjson.Array
		readToolCalls(s, r, before, p.reads)
	}
}
