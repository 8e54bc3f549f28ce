package kafkatest_test

import (
	"slices"
	"testing"

	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

func TestMain(m *testing.M) { kafkatest.Main(m) }

// TestBroker: what was acknowledged survives a kill -9.
func TestBroker(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	b.Produce(t, topic, 0, "a", "b")
	b.Produce(t, topic, 1, "c")
	b.Kill9(t)
	b.Restart(t)
	b.Produce(t, topic, 1, "d")
	var got []string
	for _, r := range b.Records(t, topic) {
		got = append(got, string(r.Value))
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}
