package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// attributeLimit is how many attributes of a span SDKs keep if nobody says otherwise.
const attributeLimit = 128

// classify finds out what a span is, and what it says of those inside it.
func (sp *otelSpan) classify(s *rawjson.Scanner) {
	asks, used, told := false, false, false // names a model, says what that did, and what the span is
	asked, answered := false, false
	counted := false // its tokens, as OpenInference has them
	var sent naming  // the headers of the request
	n := 0
	sp.attributes = eachAttribute(s, func(key []byte) {
		n++
		switch string(key) {
		case "gen_ai.request.model":
			sp.asked, asks = otelText(s), true
		case "llm.model_name":
			sp.asked = first(sp.asked, otelText(s))
		case "ai.operationId": // Vercel's AI SDK to version 6
			name := otelText(s)
			switch string(name[bytes.LastIndexByte(name, '.')+1:]) {
			case "doGenerate", "doStream", "doEmbed":
				sp.calls(name)
			}
			told = true
		case "gen_ai.operation.name":
			told = true
			switch name := bytes.TrimSuffix(otelText(s), []byte("_streaming")); string(name) { // Rig's to 0.43
			case "chat", "text_completion", "generate_content", "embeddings":
				sp.calls(name)
			}
		case "llm.request.type": // OpenLLMetry to 0.40, LiteLLM
			kind := otelText(s)
			sp.responses = sp.responses || bytes.HasSuffix(kind, []byte("responses"))
			sp.excerpt = sp.excerpt || isExcerpt(kind)
			sp.calls(kind)
		case "spring.ai.tool.call.arguments": // whose calls of a model have nothing of what was said
			sp.ran = true
		case "gen_ai.tool.call.result":
			sp.ranAs = true
		case "mastra.span.type":
			sp.isMastra = true
		case "litellm.call_type": // LiteLLM's second
			sp.excerpt = sp.excerpt || isExcerpt(otelText(s))
		case "http.request.method":
			sp.serves = true
		case "openinference.span.kind":
			told = true
			sp.modelKind(otelText(s))
		case "mlflow.spanType":
			told = true
			switch kind := bareText(otelText(s)); string(kind) {
			case "CHAT_MODEL", "LLM", "EMBEDDING":
				sp.calls(kind)
			}
		case "genkit:metadata:subtype":
			if kind := otelText(s); string(kind) == "model" {
				sp.calls(kind)
			}
		case "haystack.agent.step.llm.input":
			sp.content, sp.isCall = asMessages, true
		case "haystack.component.type": // of a pipeline
			if kind := otelText(s); bytes.HasSuffix(kind, []byte("Generator")) {
				sp.calls(kind)
			}
		case "span.type": // OpenRouter's: a part of a call, an attempt at a provider, is chat, too
			sp.prepares = string(otelText(s)) == "span" || sp.prepares
		case "langsmith.span.kind": // those of prompts and retrievers are chat and embeddings, too
			switch string(otelText(s)) {
			case "prompt", "retriever":
				sp.prepares = true
			}
		case "langfuse.observation.type":
			told = true
			switch name := otelText(s); string(name) {
			case "generation", "embedding":
				sp.calls(name)
			}
		case "gen_ai.response.id":
			sp.responseID, used = first(otelText(s), sp.responseID), true
			sp.responses = sp.responses || bytes.HasPrefix(sp.responseID, []byte("resp_"))
		case "gcp.vertex.agent.llm_request": // {} on spans of tools, and where Google's ADK was told to keep nothing
			if !bytes.HasPrefix(written(s.Value()), []byte(`{}"`)) {
				sp.content, sp.isCall = asMessages, true
			}
		case "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt_json", "ai.prompt.messages", "langfuse.observation.input", "genkit:input":
			sp.content = asMessages
			answered = answered || string(key) == "gen_ai.output.messages"
		case "input.value", "request_data", "gen_ai.prompt", "mlflow.spanInputs":
			sp.content = max(sp.content, asValue)
			asked = asked || string(key) == "request_data"
		case "response_data":
			answered = true
		case "otel.scope.name", "otel.library.name", "library.name": // of Jaeger, as the next, and Honeycomb
			sp.library = otelText(s)
		case "otel.status_code":
			sp.failed = string(otelText(s)) == "ERROR"
		case "error": // of Zipkin
			sp.errorTag = otelText(s)
		case "otel.status_description":
			sp.message = otelText(s)
		case "logfire.span_type":
			sp.opens = string(otelText(s)) == "span"
		case "output.value": // OpenInference has no attribute for the id
			value := s.Value()
			sp.responseID = first(sp.responseID, answerID(value))
			sp.prepares = sp.prepares || isPrepared(value)
		default:
			if sp.attribute(s, key) {
				told = told || len(sp.agent) > 0
				return
			}
			if name, ok := bytes.CutPrefix(key, []byte("http.request.header.")); ok {
				sent.sessionHeader(bytes.ReplaceAll(name, []byte("_"), []byte("-")), onlyText(s)) // Python's libraries write x_session_id
				return
			}
			answered = answered || bytes.HasPrefix(key, []byte("gen_ai.usage."))
			used = used || answered || bytes.HasPrefix(key, []byte("gen_ai.response."))
			counted = counted || bytes.HasPrefix(key, []byte("llm.token_count."))
			if bytes.HasPrefix(key, []byte("gen_ai.prompt.")) || bytes.HasPrefix(key, []byte("llm.input_messages.")) || bytes.HasPrefix(key, []byte("llm.output_messages.")) {
				sp.content = asMessages
			}
			if bytes.HasPrefix(key, []byte("llm.input_messages.")) && bytes.HasSuffix(key, []byte(".content")) {
				sp.said += saidSum(key, s.Value())
				return
			}
		}
	})
	sp.session = first(sp.session, sent.value)
	sp.isCall = sp.isCall && !sp.prepares
	sp.opens = sp.opens && asked && !answered
	sp.dropped = sp.dropped || n == attributeLimit && sp.attributes.Kind() == rawjson.Object // of which the console says nothing
	// LiteLLM names the model on spans of its own work, too.
	if told || sp.isCall {
		return
	}
	sp.says = (used || counted) && sp.content > noContent
	if asks && (used || sp.content > noContent) {
		sp.isCall, sp.guessed = true, true
	}
}

// calls notes that a span is a call of a model, by the name of its kind.
func (sp *otelSpan) calls(kind []byte) {
	sp.isCall = true
	sp.embeds = sp.embeds || bytes.Contains(kind, []byte("mbed")) || string(kind) == "EMBEDDING"
}

// modelKind reads OpenInference's kind, of which two call a model.
func (sp *otelSpan) modelKind(kind []byte) {
	switch string(kind) {
	case "LLM", "EMBEDDING":
		sp.calls(kind)
	}
}

// answerID is the id with which an answer begins, or nil. It is JSON in a text,
// which is long, and is not decoded for it.
func answerID(value rawjson.Value) []byte {
	rest, ok := bytes.CutPrefix(written(value), []byte(`{\"id\":\"`))
	if !ok {
		return nil
	}
	id, _, _ := bytes.Cut(rest, []byte{'\\'})
	return id
}

// isPrepared tells what LlamaIndex's _prepare_chat_with_tools gives, which is a
// span like that of a call: the request that comes next, its messages in
// Python's words.
func isPrepared(value rawjson.Value) bool {
	messages, named := bytes.CutPrefix(written(value), []byte(`{\"messages\":`))
	message, ok := bytes.CutPrefix(bytes.TrimLeft(messages, " "), []byte(`[\"`))
	return named && ok && rawjson.IsPythonObject(message)
}
