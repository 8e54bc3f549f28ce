package formats

import "testing"

// TestAzureOpenAI: the URL names the deployment, where the body does not.
func TestAzureOpenAI(t *testing.T) {
	f := func(path, body, want string) {
		t.Helper()
		r := exchanged(t, "https://acme.openai.azure.com"+path+"?api-version=2024-10-21", body, ``)
		r.Body, r.Path = nil, nil
		want = "1970-01-01T00:00:01.000000Z method=POST query=api-version=2024-10-21" + want + " status=200"
		if got := render(r, 0, ""); got[:min(len(got), len(want))] != want {
			t.Errorf("%s %s\ngot  %s\nwant %s", path, body, got, want)
		}
	}
	const none = ` messages=0 has_tools=false`
	f("/openai/deployments/gpt-4o/chat/completions", `{"messages":[]}`, ` model=gpt-4o`+none)
	f("/openai/deployments/my%20gpt/chat/completions", `{"messages":[]}`, ` model="my gpt"`+none)
	f("/team/openai/deployments/gpt-4o/embeddings", `{"input":[]}`, ` model=gpt-4o`+none)
	f("/openai/deployments/gpt-4o/chat/completions", `{"model":"gpt-4.1","messages":[]}`, ` model=gpt-4.1`+none)
	// Their own URL, and those of the API that has the model in the body.
	f("/openai/deployments/gpt-4o", `{"messages":[]}`, none)
	f("/openai/deployments//chat/completions", `{"messages":[]}`, none)
	f("/openai/v1/chat/completions", `{"messages":[]}`, none)
}
