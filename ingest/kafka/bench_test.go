package kafka

import (
	"bytes"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// BenchmarkRead reads a topic of real lines, packed by zstd, as fast as it
// comes. scripts/bench compares it with Kafka's own consumer.
func BenchmarkRead(b *testing.B) {
	lines := bytes.Split(bytes.TrimSpace(fixtures.Read(b, "tau2/tau2_litellm.jsonl.zst")), []byte("\n"))
	broker := kafkatest.Start(b)
	for _, size := range []int{2000, 0} { // of a line; 0 leaves it
		b.Run("line="+strconv.Itoa(size), func(b *testing.B) {
			topic := broker.Topic(b, 1)
			var total int64
			var records []*kgo.Record
			for total < 512<<20 {
				for i, l := range lines {
					if size > 0 {
						at := (i * 1000) % max(1, len(l)-size)
						l = l[at:min(len(l), at+size)]
					}
					total += int64(len(l))
					records = append(records, &kgo.Record{Topic: topic, Value: l})
				}
			}
			broker.ProduceRecords(b, records, kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerLinger(5*time.Millisecond), kgo.MaxBufferedRecords(1<<20))
			b.Logf("KAFKA %s %s %d", broker.Address, topic, len(records))
			if os.Getenv("HOLD") != "" {
				time.Sleep(40 * time.Second)
			}
			want := int64(len(records))
			b.SetBytes(total)
			for b.Loop() {
				f, err := Open(b.Context(), config(broker, topic), nil)
				if err != nil {
					b.Fatal(err)
				}
				all, err := f.Accept(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				for at := int64(0); at < want; {
					c, err := all[0].Next(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if at = c.Mark.Offset; c.Block != nil {
						c.Block.Release()
					}
				}
				_ = f.Close()
			}
		})
	}
}
