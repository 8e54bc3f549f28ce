package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// nativeBody is what a body has in the words of Google's or Bedrock's own API.
// Whether to stream stands in the URL of both.
type nativeBody struct {
	contents, instruction rawjson.Value // Google's messages and system prompt
	cached                bool          // Google keeps what goes before them, and maybe tools
	converse              bool          // it is Converse, by what it has beside messages
}

// field reads a member of the body, or of what is nested in it.
func (n *nativeBody) field(s *rawjson.Scanner, b *fingerprint.Request) {
	switch string(s.Key) {
	case "contents":
		switch s.Kind() {
		case rawjson.Array, rawjson.Object, rawjson.String:
			n.contents = s.Value()
		}
	case "systemInstruction", "system_instruction":
		n.instruction = s.Value()
	case "cachedContent", "cached_content":
		n.cached = n.cached || s.Kind() == rawjson.String
	case "maxOutputTokens", "max_output_tokens", "maxTokens", "maxTokenCount":
		b.MaxTokens = readCount(s, b.MaxTokens)
	case "tools":
		b.HasTools = readTools(s, b.HasTools)
	case "generationConfig", "generation_config", "textGenerationConfig", // the last of Titan
		"config": // as Google's SDK has it, with all but contents
		for s.Object(); s.NextKey(); {
			n.field(s, b)
		}
	case "inferenceConfig":
		n.converse = true
		for s.Object(); s.NextKey(); {
			n.field(s, b)
		}
	case "toolConfig": // Google's has no tools in it
		for s.Object(); s.NextNamed("tools"); {
			n.converse = true
			n.field(s, b)
		}
	}
}

// urlStreams says that the body does not tell whether to stream: the URL does.
func (n *nativeBody) urlStreams() bool { return n.converse || n.contents != nil }

// reword puts native messages into Anthropic's words, which identities know.
func (p *requestBody) reword(n *nativeBody, b *fingerprint.Request, reads fingerprint.Field) {
	if n.contents != nil {
		b.Messages = fingerprint.Messages{Items: b.Messages.Items[:0], Logged: true, Reworded: true}
	}
	switch {
	case reads&fingerprint.ReadsMessages == 0:
	case n.contents != nil:
		p.gemini.read(n.contents, n.instruction, &b.Messages)
	case n.converse || p.bedrock:
		p.converse.all(b.Messages.Items)
	}
}
