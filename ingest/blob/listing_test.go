package blob

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// TestCutListing: a listing that is cut and does not say how it goes on, as of a
// store that knows an older protocol, is not taken for all there is.
func TestCutListing(t *testing.T) {
	for _, variable := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"} {
		t.Setenv(variable, "x")
	}
	for _, file := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(file, os.DevNull)
	}
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("NO_PROXY", "127.0.0.1")
	const object = "<Contents><Key>logs/%s.log</Key><Size>1</Size><LastModified>2026-11-25T00:00:00.000Z</LastModified></Contents>"
	more := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, rest := "a", more
		if r.URL.Query().Get("continuation-token") != "" {
			key, rest = "b", "<IsTruncated>false</IsTruncated>"
		}
		fmt.Fprintf(w, "<ListBucketResult>"+object+"%s</ListBucketResult>", key, rest)
	}))
	defer server.Close()
	f := func(rest string, want int, said string) {
		t.Helper()
		more = rest
		found, err := Find(t.Context(), "s3://b/logs?use_path_style=true&endpoint="+server.URL, always)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if len(found.Sources) != want || got != said {
			t.Errorf("%s: %d objects, %q, want %d, %q", rest, len(found.Sources), got, want, said)
		}
	}
	f("<IsTruncated>false</IsTruncated>", 1, "")
	f("", 1, "")
	f("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>", 2, "")
	f("<IsTruncated>true</IsTruncated>", 0, "s3://b/: the store says that there are more objects, and not how to list them\nname less at once, such as the folder of a day")
}
