package formats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestMCP: a call of a tool of MCP is that call, with what came of it where the response
// is there.
func TestMCP(t *testing.T) {
	f := func(body, members, want string) {
		t.Helper()
		areRequests(t, "nginx-json", `{"msec":1,"method":"POST","uri":"/mcp","http_mcp_session_id":"m","request_body":`+strconv.Quote(body)+members+`}`, want)
	}
	answer := func(text string) string { return `,"response_body":` + strconv.Quote(text) }
	const head = `method=POST path=/mcp `
	const call = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find","arguments":{"id":7},"_meta":{"progressToken":3}}}`
	const from = ` header:mcp-session-id=m`
	ran := func(last string) string {
		return head + `body=` + strconv.Quote(call) + ` session=m messages=2 last=` + strconv.Quote(`{"role":"tool","tool_call_id":"3","content":`+last+`}`) + ` tail` + from
	}
	const unlogged = ` lost="no response logged"`
	issued := head + `body=` + strconv.Quote(call) + ` session=m tool_calls=1 call=3 name=find arguments="{\"id\":7}"` + from + unlogged

	f(call, ``, issued)
	f(call, answer(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"in Bern"}],"isError":false}}`), ran(`[{"type":"text","text":"in Bern"}]`))
	f(call, answer(`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such tool"}}`), ran(`"no such tool"`))
	f(call, answer(`{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"in":"Bern"},"content":[]}}`), ran(`{"in":"Bern"}`))
	f(call, answer(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"in Bern"}],"structuredContent":{"in":"Bern"}}}`), ran(`[{"type":"text","text":"in Bern"}]`))
	f(call, answer("event: message\r\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progress\":1},\"jsonrpc\":\"2.0\"}\r\n\r\n"+
		"event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"in Bern\"}]}}\r\n\r\n"), ran(`[{"type":"text","text":"in Bern"}]`))
	f(call, answer("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"ty"), issued) // cut

	// One that failed on the way, and what is no call of a tool.
	f(call, `,"status":502`+answer("<p>Bad gateway</p>"), strings.Replace(ran(`"<p>Bad gateway</p>"`), " tail", " tail status=502", 1))
	f(call, `,"status":502`, strings.Replace(issued, ` header`, ` status=502 header`, 1))
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	f(list, answer(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"find"}]}}`), head+`body=`+strconv.Quote(list)+` session=m tool_calls=0`+from)
	const chat = `{"jsonrpc":"2.0","method":"chat","model":"m","messages":[{"role":"user","content":"hi"}]}` // of no MCP
	f(chat, ``, head+`body=`+strconv.Quote(chat)+` session=m model=m messages=1 last="{\"role\":\"user\",\"content\":\"hi\"}" has_tools=false stream=false`+from)
	const bare = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"find"}}`
	f(bare, ``, head+`body=`+strconv.Quote(bare)+` session=m tool_calls=1 call="\"a\"" name=find arguments={}`+from+unlogged)

	areRequests(t, "har", `{"startedDateTime":"1970-01-01T00:00:01Z","request":{"postData":{"text":`+strconv.Quote(call)+`}},"response":{"status":200,"content":{"text":"{\"result\":{\"content\":[]}}"}}}`,
		`body=`+strconv.Quote(call)+` messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"3\",\"content\":[]}" tail status=200`)
	own := newCustom(&Custom{Fields: []CustomField{pathTo("response", "got"), pathTo("body", "sent")}}, fingerprint.AllFields)
	want := `body=` + strconv.Quote(call) + ` messages=[{"role":"assistant","tool_calls":[{"type":"function","id":"3","function":{"name":"find","arguments":{"id":7}}}]},{"role":"tool","tool_call_id":"3","content":"none"}]`
	if got := asNative(own, `{"sent":`+strconv.Quote(call)+`,"got":{"jsonrpc":"2.0","id":3,"result":{"content":"none"}}}`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
