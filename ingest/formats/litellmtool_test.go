package formats

import "testing"

// TestLiteLLMTools: a tool that LiteLLM's MCP gateway ran is its call and what came of it.
func TestLiteLLMTools(t *testing.T) {
	f := func(members, wantCall, want string) {
		t.Helper()
		record := `{"startTime":1,"call_type":"call_mcp_tool","litellm_call_id":"c","messages":[{"role":"user","content":"default-message-value"}],` + members + `}`
		areRequests(t, "litellm", record, want)
		if r := parse(t, "litellm", record); wantCall != "" && string(r.Messages.Items[0]) != wantCall {
			t.Errorf("%s\ncalls %s\nwant  %s", record, r.Messages.Items[0], wantCall)
		}
	}
	const ran = `"mcp_tool_call_metadata":{"name":"find","arguments":{"id":7},"mcp_server_name":"parcels","mcp_session_id":"m"}`
	const call = `{"role":"assistant","tool_calls":[{"type":"function","id":"c","function":{"name":"mcp__parcels__find","arguments":{"id":7}}}]}`
	f(`"metadata":{`+ran+`},"response":{"content":[{"type":"text","text":"in Bern"}],"is_error":false}`, call,
		`id=c named session=m messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":[{\"type\":\"text\",\"text\":\"in Bern\"}]}" tail`)
	f(`"metadata":{`+ran+`,"requester_custom_headers":{"x-litellm-session-id":"s"}},"response":{},"error_str":"no such parcel","status":"failure","error_information":{"error_class":"MCPToolResultError"}`, call,
		`id=c named session=s messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"no such parcel\"}" tail error=MCPToolResultError header:x-litellm-session-id=s`)
	f(`"metadata":{`+ran+`},"response":{}`, "", `id=c named session=m tool_calls=1 call=c name=mcp__parcels__find arguments="{\"id\":7}"`) // what came of it is not logged
	f(`"metadata":{"mcp_tool_call_metadata":null},"response":{}`, "", `id=c named lost="parts of the messages lost by the logger"`)
}
