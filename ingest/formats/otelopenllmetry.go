package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// isOpenLLMetryJS tells spans of OpenLLMetry for JavaScript.
func isOpenLLMetryJS(library []byte) bool { return bytes.HasPrefix(library, []byte("@traceloop/")) }

// itemsSaid is what OpenLLMetry for JavaScript keeps of the input of the Responses API:
// all its items as the text of one user's message. It is nil of other messages.
func itemsSaid(s *rawjson.Scanner, messages []byte) (items []byte) {
	if !bytes.HasPrefix(messages, []byte(`[{"role":"user","parts":[{"type":"text","content":"[{`)) {
		return nil
	}
	s.Reset(messages)
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextNamed("parts"); {
			for s.Array(); s.NextElement(); {
				if items != nil {
					return nil
				}
				for s.Object(); s.NextNamed("content"); {
					items = s.Text(nil)
				}
			}
		}
	}
	return items
}

// forgetJSCalls forgets what OpenLLMetry for JavaScript says of calls where it leaves them
// out, as of the Responses API, whose text is empty then, or their arguments, as of Anthropic's
// streams, which end for no reason.
func forgetJSCalls(output []byte, r *fingerprint.Request) {
	mark := []byte(`{"type":"text","content":""}`)
	if len(r.ToolCalls) > 0 {
		mark = []byte(`"finish_reason":""`)
	}
	if bytes.Contains(output, mark) {
		r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	}
}
