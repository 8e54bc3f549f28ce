// Package kafkatest gives tests a real Kafka broker on this machine, by
// scripts/kafka.sh, and what is needed to fill it and to hurt it.
package kafkatest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Broker is a broker that runs, unless a test has killed it.
type Broker struct {
	Address string // host:port of the plain listener

	dir       string
	listeners map[string]string // name -> host:port of those beyond the plain one
}

// Main is for the TestMain of a package: it runs the tests, then ends the
// broker that they shared.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop ends the broker that the tests shared, if there is one.
func Stop() {
	if shared.broker != nil {
		_, _ = shared.broker.script("stop")
		_ = os.RemoveAll(shared.broker.dir)
	}
}

var shared struct {
	once   sync.Once
	broker *Broker
	err    error
}

// Start returns the broker that the tests of a package share; the first call
// starts it. With -short the test is skipped. A test that kills the broker must
// not run beside others.
func Start(tb testing.TB) *Broker {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a Kafka broker")
	}
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "loopgauge-kafka-") //nolint:usetesting // it outlives the test
		if err == nil {
			shared.broker, err = start(tb.Context(), dir)
		}
		shared.err = err
	})
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.broker
}

// New starts a broker for one test, with listeners "NAME:PROTOCOL" beyond the
// plain one and with lines of server properties; it ends with the test.
func New(tb testing.TB, properties string, listeners ...string) *Broker {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts a Kafka broker")
	}
	dir := tb.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "more.properties"), []byte(properties), 0o600); err != nil {
		tb.Fatal(err)
	}
	b, err := start(tb.Context(), dir, listeners...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = b.script("kill9") })
	return b
}

// startTime is long enough for the first start on a machine, which fetches
// Kafka, and for a start on one that is busy.
const startTime = 15 * time.Minute

func start(ctx context.Context, dir string, listeners ...string) (*Broker, error) {
	b := &Broker{dir: dir, listeners: map[string]string{}}
	out, err := b.script("start", listeners...)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if name, address, ok := strings.Cut(line, " "); ok {
			b.listeners[name] = address
		} else if i == 0 {
			b.Address = line
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	return b, b.ready(ctx)
}

// script runs scripts/kafka.sh on the broker's folder. The broker ends with
// this process, however that ends.
func (b *Broker) script(command string, args ...string) (string, error) {
	_, file, _, _ := runtime.Caller(0)
	name := filepath.Join(filepath.Dir(file), "../../../scripts/kafka.sh")
	cmd := exec.Command(name, append([]string{command, b.dir}, args...)...)
	cmd.Env = append(os.Environ(), "OWNER="+strconv.Itoa(os.Getpid()), "KAFKA_JAVA_OPTS="+cmp.Or(os.Getenv("KAFKA_JAVA_OPTS"), "-XX:TieredStopAtLevel=1"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("scripts/kafka.sh %s: %w\n%s", command, err, stderr.String())
	}
	return string(out), err
}

// Listener is the address of a listener given to New.
func (b *Broker) Listener(name string) string { return b.listeners[name] }

// Kill9 ends the broker as a power cut would.
func (b *Broker) Kill9(tb testing.TB) {
	tb.Helper()
	if _, err := b.script("kill9"); err != nil {
		tb.Fatal(err)
	}
}

// Restart starts the broker again, after ending it in good order if it runs,
// and waits until every partition and every group answers.
func (b *Broker) Restart(tb testing.TB) {
	tb.Helper()
	if _, err := b.script("restart"); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), startTime)
	defer cancel()
	if err := b.ready(ctx); err != nil {
		tb.Fatal(err)
	}
}

// ready waits until there is an answer for all partitions and all groups.
func (b *Broker) ready(ctx context.Context) error {
	for {
		err := b.answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the broker does not get ready: %w\n%s", err, b.said())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (b *Broker) answers(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Address), kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = lastOffsets(ctx, client)
	if err != nil {
		return err
	}
	coordinator := kmsg.NewPtrFindCoordinatorRequest() // creates the topic of the groups
	coordinator.CoordinatorKey, coordinator.CoordinatorKeys = "kafkatest", []string{"kafkatest"}
	c, err := coordinator.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, c := range c.Coordinators {
		err = errors.Join(err, kerr.ErrorForCode(c.ErrorCode))
	}
	groups, e := kmsg.NewPtrListGroupsRequest().RequestWith(ctx, client)
	if e != nil {
		return e
	}
	return errors.Join(err, kerr.ErrorForCode(groups.ErrorCode))
}

// lastOffsets are the offsets that the next records get in the partitions of
// topics; of all if none is named.
func lastOffsets(ctx context.Context, client *kgo.Client, names ...string) (map[string]map[int32]int64, error) {
	meta := kmsg.NewPtrMetadataRequest()
	for _, name := range names {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = &name
		meta.Topics = append(meta.Topics, topic)
	}
	topics, err := meta.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	offsets := kmsg.NewPtrListOffsetsRequest()
	for _, t := range topics.Topics {
		err = errors.Join(err, kerr.ErrorForCode(t.ErrorCode))
		request := kmsg.NewListOffsetsRequestTopic()
		request.Topic = *t.Topic
		for _, p := range t.Partitions {
			partition := kmsg.NewListOffsetsRequestTopicPartition()
			partition.Partition, partition.Timestamp = p.Partition, -1
			request.Partitions = append(request.Partitions, partition)
		}
		offsets.Topics = append(offsets.Topics, request)
	}
	if err != nil {
		return nil, err
	}
	found, err := offsets.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	last := map[string]map[int32]int64{}
	for _, t := range found.Topics {
		last[t.Topic] = map[int32]int64{}
		for _, p := range t.Partitions {
			err = errors.Join(err, kerr.ErrorForCode(p.ErrorCode))
			last[t.Topic][p.Partition] = p.Offset
		}
	}
	return last, err
}

// said is what the broker said last.
func (b *Broker) said() string {
	text, err := os.ReadFile(filepath.Join(b.dir, "log"))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "the broker said last:\n" + strings.Join(lines[max(0, len(lines)-8):], "\n")
}
