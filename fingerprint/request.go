package fingerprint

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// NoTime marks a time that the log does not carry.
const NoTime = math.MinInt64

// Unknown marks a number that the log does not carry.
const Unknown = -1

// Position is where a request stands in its log. Positions order requests of
// equal time: by stream, then by offset.
type Position struct {
	Stream int32 // index of the stream (file or partition) in this run, from 0
	Item   int32 // index inside the line where a line is a JSON array, from 0
	Line   int64 // line number, from 1
	Offset int64 // bytes from the start of the unpacked stream to the line
}

// Before reports whether p stands before q.
func (p Position) Before(q Position) bool {
	if p.Stream != q.Stream {
		return p.Stream < q.Stream
	}
	if p.Offset != q.Offset {
		return p.Offset < q.Offset
	}
	return p.Item < q.Item
}

// Request is one call by a client, as a gateway logged it.
//
// Byte slices are text in UTF-8 (with lone surrogates as package rawjson keeps
// them). Nil means that the log does not carry the field; empty means that it
// carries it and it is empty. All of them alias the log line: a Request and
// what hangs on it are valid until the next line is read into it.
type Request struct {
	Position Position

	Time int64 // start, or the only time there is; microseconds since 1970, UTC
	End  int64 // when the response was complete, likewise; NoTime if not logged
	// Again is how much later both may be as well: the log's clocks, whose zone it
	// does not tell, show them twice. 0 if they do not.
	Again int64

	ID     []byte // the gateway's own id for this call
	Span   Span
	Method []byte // HTTP method
	Path   []byte // URL path, without query
	Query  Query

	Body     []byte // request body, as sent
	BodyHash []byte // a hash of it that the gateway computed

	Caller []byte // API key, its hash, or the consumer it belongs to
	// CallerIsName says that Caller is a hash, an alias or an address, and so
	// may be written out; otherwise it is taken for a secret key.
	CallerIsName bool
	User         []byte // end user
	Session      []byte // session that the client or gateway named
	Agent        []byte // in a session that several agents share, which of them
	Model        []byte // what the client asked for
	Backend      []byte // provider that served it

	Messages  Messages
	HasTools  Tri
	ToolCalls []ToolCall // issued by the model in the response, in order
	// ToolCallsLogged says that the log carries responses: no ToolCalls then
	// means that the model issued none.
	ToolCallsLogged bool

	Status    int    // HTTP status, Unknown (-1) if not logged
	Error     []byte // error class or message
	TokensIn  int64  // prompt tokens, Unknown if not logged
	TokensOut int64  // completion tokens, Unknown if not logged
	// TokensCached are those of TokensIn that the provider had in its cache,
	// Unknown if not logged.
	TokensCached int64
	Cost         float64 // USD, NaN if not logged
	// Response is the id of the response that the request is a part of, where a log
	// writes each of its calls as a request that has the tokens and the cost of all.
	Response  []byte
	Stream    Tri
	Cached    Tri
	MaxTokens int64 // limit that the client set, Unknown if none

	// Attributes is all else that has a name: header:x-api-key, jwt:org_id.
	Attributes []Attribute
	// Lost says why messages or body are missing where the logger lost them.
	Lost Cause
	// Dropped says that the logger dropped some of what it had, for it was more than
	// it may keep: any field may be missing, and messages may be the end of longer ones.
	Dropped bool
}

// Span is where a request stands in a trace. A call that two libraries write is
// two spans, one inside the other.
type Span struct {
	Trace, ID, Around []byte // Around is the id of the span around it
	Says              Says
	Embeds            bool // it asks for embeddings: it is no part of another kind of call

	Library []byte // that wrote it, or what that calls it
	Said    uint64 // a sum over the messages, where two libraries write the same; 0 elsewhere
}

// Says is how much a span has of what was said: the more the higher.
type Says uint8

const (
	SaysNothing Says = iota
	SaysPart
	SaysAll
)

// Tri is a truth value that may not be logged.
type Tri int8

const (
	NotLogged Tri = iota
	No
	Yes
)

// TriOf is Yes or No.
func TriOf(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// Attribute is one free field of a request.
type Attribute struct{ Name, Value []byte }

// ToolCall is one call of a tool. Arguments is the text of the arguments:
// JSON where the model wrote JSON, whether the log had it as a JSON text or as
// an object. Nil if there are none.
type ToolCall struct{ ID, Name, Arguments []byte }

// Reset clears r for the next line and keeps its slices' memory.
func (r *Request) Reset() {
	*r = Request{
		Time: NoTime, End: NoTime,
		Status: Unknown, TokensIn: Unknown, TokensOut: Unknown, TokensCached: Unknown, MaxTokens: Unknown, Cost: math.NaN(),
		Messages:   Messages{Items: r.Messages.Items[:0]},
		ToolCalls:  r.ToolCalls[:0],
		Attributes: r.Attributes[:0],
	}
}

// Attribute is the value of the attribute called name, nil if there is none.
func (r *Request) Attribute(name string) []byte {
	for i := range r.Attributes {
		if string(r.Attributes[i].Name) == name {
			return r.Attributes[i].Value
		}
	}
	return nil
}

// why is the cause of what is missing: that it was dropped, if all calls have it.
func (r *Request) why(missing Cause) Cause {
	if !r.Dropped {
		return missing
	}
	switch missing {
	case NoModel, NoMessages, NoResponse, NoConversation, LossyContent:
		return DroppedAttributes
	}
	return missing
}

// needMessages says why the messages cannot be read, if so.
func (r *Request) needMessages() Cause {
	switch {
	case r.Lost != Computable:
		return r.Lost
	case !r.Messages.Logged:
		return NoMessages
	}
	return Computable
}

// Messages is the conversation that a request carries, in the dialect in which
// it was sent: OpenAI chat messages, Anthropic messages or Responses items.
// Those of other dialects are put into Anthropic's words.
type Messages struct {
	Items  []rawjson.Value // as logged, in order
	System rawjson.Value   // Anthropic's system prompt, which stands outside the list
	Logged bool            // the log carries a list, even if it is empty
	// Tail says that the list is the end of a longer one, of which the log
	// carries no more with this request.
	Tail bool
	// Digest stands for the whole prompt in logs that carry no text but
	// something that is equal when prompts are; nil otherwise.
	Digest []byte
	// Reworded says that the request had no list of messages: these were made
	// of what it had, in Anthropic's words.
	Reworded bool
}

// Field is a set of the costly fields of a request. Formats skip what no rule
// of the run reads; all other fields are always read.
type Field uint16

const (
	ReadsMessages   Field = 1 << iota // Messages
	ReadsResponse                     // ToolCalls
	ReadsBody                         // Body, BodyHash
	ReadsQuery                        // Query
	ReadsTools                        // HasTools
	ReadsAttributes                   // Attributes
)

// AllFields is every costly field.
const AllFields = ReadsAttributes<<1 - 1
