package volatile

import "bytes"

// smolagents lists calls as Python writes objects, each with an id that is new at each
// step: [{'id': 'call_1', 'type': 'function', 'function': {'name': ...}}, ...].
var (
	callIDName   = []byte("{'id': '")
	behindCallID = []byte("', 'type': 'function', 'function': {'name': '")
)

// listedID is the id of a call in such a list.
var listedID = nonce{mark: callIDName, span: spanListedID, placeholder: CallID}

// WithoutListedIDs puts placeholders for those ids into a text of which the first object
// is that of a call; others in what a tool is given stay.
func (c *Cleaner) WithoutListedIDs(whole []byte) []byte { return c.without(whole, &listedID) }

// spanListedID is that of the first, or of one behind another.
func spanListedID(text []byte, at int) (start, end int) {
	first := bytes.IndexByte(text[:at], '{') < 0
	start = at + len(callIDName)
	n := bytes.IndexByte(text[start:], '\'')
	if n < 0 || !bytes.HasPrefix(text[start+n:], behindCallID) || !first && !bytes.HasSuffix(text[:at], []byte("}}, ")) {
		return 0, 0
	}
	return start, start + n
}
