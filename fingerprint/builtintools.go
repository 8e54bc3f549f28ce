package fingerprint

import "bytes"

// IsBuiltinCall tells the items of Responses that call a tool which the model
// knows by itself and the client runs. The type is the tool's name, and what to
// do is in action, actions or operation.
func IsBuiltinCall(kind []byte) bool {
	switch string(kind) {
	case "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
		return true
	}
	return false
}

// isBuiltinOutput tells the items with their results.
func isBuiltinOutput(kind []byte) bool {
	call, ok := bytes.CutSuffix(kind, []byte("_output"))
	return ok && IsBuiltinCall(call)
}
