package main

import (
	"bytes"
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// s3Stub is a store that speaks as much of S3 as is needed, with one bucket. It
// remembers what it was asked, as METHOD KEY, and refuses what refuse says.
type s3Stub struct {
	mu      sync.Mutex
	objects map[string][]byte
	asked   []string
	refuse  func(asked string) bool // nil for nothing
}

// startS3Stub starts one, and sets the variables with which it is found.
func startS3Stub(t *testing.T) *s3Stub {
	t.Helper()
	s := &s3Stub{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	setenv(t, map[string]string{
		"AWS_ACCESS_KEY_ID": s3Key, "AWS_SECRET_ACCESS_KEY": s3Secret, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": server.URL, "NO_PROXY": "127.0.0.1",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
	})
	return s
}

// name names a place in it.
func (s *s3Stub) name(key string) string { return "s3://bucket/" + key + "?use_path_style=true" }

func (s *s3Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/")
	asked := r.Method + " " + key
	s.asked = append(s.asked, asked)
	switch text, there := s.objects[key]; {
	case s.refuse != nil && s.refuse(asked):
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
	case key == "":
		s.list(w, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		text, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.objects[key] = text
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	default:
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(text))))
		http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(text))
	}
}

func (s *s3Stub) list(w io.Writer, prefix string) {
	type object struct {
		Key, LastModified string
		Size              int
	}
	var answer struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []object
	}
	for key, text := range s.objects {
		if strings.HasPrefix(key, prefix) {
			answer.Contents = append(answer.Contents, object{key, "2026-11-25T00:00:00.000Z", len(text)})
		}
	}
	slices.SortFunc(answer.Contents, func(a, b object) int { return strings.Compare(a.Key, b.Key) })
	_ = xml.NewEncoder(w).Encode(answer)
}

// locked does something while the store answers nothing.
func (s *s3Stub) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// keys are those of its objects.
func (s *s3Stub) keys() (list []string) {
	s.locked(func() { list = slices.Sorted(maps.Keys(s.objects)) })
	return list
}
