package parted

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestMergeOfUnequalParts: what does not add up is not added up, be a part cut
// short between two lines or counted otherwise.
func TestMergeOfUnequalParts(t *testing.T) {
	part := func(key Key, o CountOptions) []byte {
		t.Helper()
		var out bytes.Buffer
		o.Plan, o.Key, o.MaxKeys = testPlan(t), key, 100
		if err := Count(t.Context(), strings.NewReader(rowWith(nil)+rowWith(map[int]string{colTime: "2000000"})), &out, o); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	plain := CountOptions{Policy: "p", Windows: []time.Duration{time.Minute}, Most: 3}
	f := func(name, want string, otherwise func(o *CountOptions), cut func(part []byte) []byte) {
		t.Helper()
		o := plain
		otherwise(&o)
		m := NewMerge()
		err := m.Add("one", bytes.NewReader(part(Keys[0], plain)))
		if err == nil {
			err = m.Add("other", bytes.NewReader(cut(part(Keys[1], o))))
		}
		if err == nil {
			_, err = m.Document("v0")
		}
		if ok := err == nil; ok != (want == "") || !ok && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	whole := func(part []byte) []byte { return part }
	f("alike", "", func(*CountOptions) {}, whole)
	f("cut", "nothing was counted by scope", func(*CountOptions) {}, func(part []byte) []byte {
		return part[:bytes.LastIndexByte(part[:len(part)-1], '\n')+1]
	})
	f("threshold", "up to threshold 4 here and to 3 before", func(o *CountOptions) { o.Most = 4 }, whole)
	f("windows", "with windows of [1 60] s here and of [60] s before", func(o *CountOptions) { o.Windows = []time.Duration{time.Second, time.Minute} }, whole)
	f("policy", "by another policy", func(o *CountOptions) { o.Policy = "q" }, whole)
}
