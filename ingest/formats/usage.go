package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// readUsageField reads a member of a response, if it holds tokens.
func readUsageField(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "usage":
		readUsage(s, r)
	case "usageMetadata", "usage_metadata":
		readUsageMetadata(s, r)
	case "prompt_eval_count": // of Ollama
		r.TokensIn = readCount(s, r.TokensIn)
	case "eval_count":
		r.TokensOut = readCount(s, r.TokensOut)
	}
}

// readCached reads of the details of a prompt what a cache had of it; old if they do
// not say so.
func readCached(s *rawjson.Scanner, old int64) int64 {
	for s.Object(); s.NextNamed("cached_tokens"); {
		old = readCount(s, old)
	}
	return old
}

// readUsage reads the tokens of a response, by the names of OpenAI's Chat
// Completions, of Responses and Anthropic, or of Converse and Nova.
// The input tokens of the latter three are those that the cache had no part in:
// what was read from it and written to it stands beside them. Of prompt_tokens,
// which LiteLLM writes, it is a part.
func readUsage(s *rawjson.Scanner, r *fingerprint.Request) {
	const none = fingerprint.Unknown
	prompt, input, read, written := int64(none), int64(none), int64(none), int64(none)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "prompt_tokens":
			prompt = readCount(s, prompt)
		case "input_tokens", "inputTokens":
			input = readCount(s, input)
		case "cache_read_input_tokens", "cacheReadInputTokens", "cacheReadInputTokenCount":
			read = readCount(s, read)
		case "cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWriteInputTokenCount":
			written = readCount(s, written)
		case "completion_tokens", "output_tokens", "outputTokens":
			r.TokensOut = readCount(s, r.TokensOut)
		case "prompt_tokens_details", "input_tokens_details":
			r.TokensCached = readCached(s, r.TokensCached)
		}
	}
	switch {
	case prompt != none:
		r.TokensIn = prompt
	case input != none:
		r.TokensIn = input + max(read, 0) + max(written, 0)
	}
	if read != none {
		r.TokensCached = read
	}
}

// readTokens reads those that Codex and MLflow have counted: a cache's are among the
// input tokens.
func readTokens(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "input_tokens":
			r.TokensIn = readCount(s, r.TokensIn)
		case "cached_input_tokens", "cache_read_input_tokens":
			r.TokensCached = readCount(s, r.TokensCached)
		case "output_tokens":
			r.TokensOut = readCount(s, r.TokensOut)
		}
	}
}

// readUsageMetadata reads the tokens of a response. Those of its own tools'
// results are tokens that it read, thoughts are tokens that it wrote; models on
// Vertex AI may have counted them among the candidates', which the sum tells.
func readUsageMetadata(s *rawjson.Scanner, r *fingerprint.Request) {
	const none = fingerprint.Unknown
	prompt, results, candidates, thoughts, total := int64(none), int64(0), int64(none), int64(0), int64(none)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "promptTokenCount", "prompt_token_count":
			prompt = readCount(s, prompt)
		case "toolUsePromptTokenCount", "tool_use_prompt_token_count":
			results = readCount(s, results)
		case "cachedContentTokenCount", "cached_content_token_count":
			r.TokensCached = readCount(s, r.TokensCached)
		case "candidatesTokenCount", "candidates_token_count":
			candidates = readCount(s, candidates)
		case "thoughtsTokenCount", "thoughts_token_count":
			thoughts = readCount(s, thoughts)
		case "totalTokenCount", "total_token_count":
			total = readCount(s, total)
		}
	}
	if prompt == none {
		return
	}
	r.TokensIn = prompt + results
	if candidates != none || thoughts > 0 {
		r.TokensOut = max(candidates, 0)
		if total != r.TokensIn+r.TokensOut {
			r.TokensOut += thoughts
		}
	}
}

// keepTokens puts back what the log itself counted, which goes before what the
// answer says.
func keepTokens(r *fingerprint.Request, in, out, cached int64) {
	if in != fingerprint.Unknown {
		r.TokensIn = in
	}
	if out != fingerprint.Unknown {
		r.TokensOut = out
	}
	if cached != fingerprint.Unknown {
		r.TokensCached = cached
	}
}
