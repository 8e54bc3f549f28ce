package fingerprint

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// langChain is what a message of LangChain's has beside others. It says what it is
// by its type, {"type":"ai",...}, its members may be one deeper,
// {"type":"ai","data":{...}}, and it may be written as what makes it again:
// {"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{...}}.
type langChain struct {
	is       bool
	class    []byte        // the last name in id
	inside   rawjson.Value // kwargs or data
	calls    rawjson.Value // in additional_kwargs, where older versions have them alone
	function rawjson.Value
}

// member reads one that other messages do not have.
func (l *langChain) member(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "id":
		for s.Array(); s.NextElement(); {
			l.class = s.Text(l.class)
		}
	case "kwargs", "data":
		l.inside = s.Value()
	case "additional_kwargs":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "tool_calls":
				l.calls = s.Value()
			case "function_call":
				l.function = s.Value()
			}
		}
	}
}

// tell finds out whether an item is such a message. What is inside of any other is
// none of its own.
func (l *langChain) tell(it *item) bool {
	l.is = it.role == nil && (string(it.kind) == "constructor" || langChainKind(it.kind) != nil)
	if l.is = l.is && (l.inside.Kind() == rawjson.Object || string(it.kind) != "constructor"); !l.is || it.content != nil {
		l.inside = nil
	}
	return l.is
}

// settle takes what a message has in other places than the rest.
func (l *langChain) settle(it *item) {
	if !l.is {
		return
	}
	for _, kind := range [][]byte{langChainKind(l.class), langChainKind(it.kind)} {
		if kind != nil {
			it.kind = kind
			break
		}
	}
	if !isFilled(it.toolCalls) && isFilled(l.calls) {
		it.toolCalls = l.calls
	}
	if !isFilled(it.toolCalls) && it.function == nil {
		it.function = l.function
	}
}

// langChainKind is the type of a message by that type or the name of its class, nil
// for any other. Parts of a stream that were put together have classes of their own.
func langChainKind(name []byte) []byte {
	switch string(bytes.TrimSuffix(bytes.TrimSuffix(name, []byte("Chunk")), []byte("Message"))) {
	case "ai", "AI":
		return []byte("ai")
	case "human", "Human":
		return []byte("human")
	case "system", "System":
		return []byte("system")
	case "tool", "Tool":
		return []byte("tool")
	case "function", "Function":
		return []byte("function")
	case "chat", "Chat":
		return []byte("chat")
	}
	return nil
}

// callsBeside tells a message whose calls stand beside its content, and in it once
// more, as the provider wrote them. Langfuse gives LangChain's messages roles.
func (it *item) callsBeside() bool {
	return isFilled(it.toolCalls) && (it.langChain.is || mayHave(it.toolCalls, `"args"`))
}
