package formats

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// appendMCPName appends the name that a tool of a server of MCP has for a model.
func appendMCPName(dst, server, name []byte) []byte {
	return append(append(append(append(dst, "mcp__"...), server...), "__"...), name...)
}

// appendToolTurn appends the messages of a tool that was run, its call and what came
// of it, as a model is sent them next; the second begins at result.
func appendToolTurn(dst, id, name []byte, arguments, content rawjson.Value) (json []byte, result int) {
	dst = rawjson.AppendString(append(dst, `{"role":"assistant","tool_calls":[{"type":"function","id":`...), id)
	dst = rawjson.AppendString(append(dst, `,"function":{"name":`...), name)
	dst = append(append(append(dst, `,"arguments":`...), arguments...), "}}]}"...)
	result = len(dst)
	dst = rawjson.AppendString(append(dst, `{"role":"tool","tool_call_id":`...), id)
	return append(append(append(dst, `,"content":`...), content...), '}'), result
}
