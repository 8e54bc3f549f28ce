package kafka

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl"
)

const clientID = "loopgauge"

// client speaks to the brokers.
type client struct {
	config    *Config
	addr      net.Addr
	transport *kafka.Transport
	kafka     *kafka.Client
	dialer    *kafka.Dialer // of the group
	ids       atomic.Bool   // the brokers tell ids of topics
}

// layoutAge is how old the known layout of the cluster gets: how long it takes
// to follow a partition to its new leader.
const layoutAge = 2 * time.Second

func newClient(config *Config) (*client, error) {
	encrypted, err := config.TLS.config()
	if err != nil {
		return nil, config.fail(fmt.Errorf("tls: %w", err), "")
	}
	var mechanism sasl.Mechanism
	if mechanism, err = config.SASL.mechanism(); err != nil {
		return nil, config.fail(fmt.Errorf("sasl: %w", err), "")
	}
	dial := (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	c := &client{
		config: config,
		addr:   kafka.TCP(config.Brokers...),
		transport: &kafka.Transport{
			Dial: dial, MetadataTTL: layoutAge, MetadataTopics: []string{config.Topic},
			ClientID: clientID, TLS: encrypted, SASL: mechanism,
		},
		dialer: &kafka.Dialer{ClientID: clientID, DialFunc: dial, Timeout: 5 * time.Second, TLS: encrypted, SASLMechanism: mechanism},
	}
	c.kafka = &kafka.Client{Addr: c.addr, Timeout: 10 * time.Second, Transport: c.transport}
	return c, nil
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// topic is what the brokers say of the topic now.
type topic struct {
	id         string // hex; tells it from others of its name. Empty before Kafka 2.8
	partitions int
}

// topicRequest asks for the topic's id too, which kafka-go cannot.
type topicRequest struct {
	name    string
	version int16
}

// ApiKey makes it a message of kafka-go's.
func (*topicRequest) ApiKey() protocol.ApiKey { return protocol.Metadata } //nolint:revive,staticcheck // kafka-go's name

// Required is called before RawExchange.
func (*topicRequest) Required(map[protocol.ApiKey]int16) bool { return true }

// idVersion is the first version of the metadata with ids of topics.
const idVersion = 10

// RawExchange sends the request and reads the answer, alone on the connection.
func (t *topicRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	const correlation = 1
	b := make([]byte, 4, 256) // its length
	b = binary.BigEndian.AppendUint16(b, uint16(protocol.Metadata))
	b = binary.BigEndian.AppendUint16(b, idVersion)
	b = binary.BigEndian.AppendUint32(b, correlation)
	b = binary.BigEndian.AppendUint16(b, uint16(len(clientID)))
	b = append(b, clientID...)
	b = append(b, 0)                   // no tags
	b = append(b, 2)                   // one topic
	b = append(b, make([]byte, 16)...) // by name, not by id
	b = binary.AppendUvarint(b, uint64(len(t.name))+1)
	b = append(b, t.name...)
	b = append(b, 0, 0, 0, 0, 0) // no tags; do not create it; no operations; no tags
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	if _, err := rw.Write(b); err != nil {
		return nil, err
	}
	answer, err := receive(rw, correlation, func(n int) []byte { return make([]byte, n) })
	if err != nil {
		return nil, err
	}
	res := &topicResponse{}
	return res, res.read(answer)
}

type topicResponse struct {
	code int16
	topic
}

// ApiKey makes it a message of kafka-go's.
func (*topicResponse) ApiKey() protocol.ApiKey { return protocol.Metadata } //nolint:revive,staticcheck // kafka-go's name

func (t *topicResponse) read(answer []byte) error {
	w := wire{b: answer}
	w.tags()
	w.int32() // throttled for
	for range w.uvarint() - 1 {
		w.int32() // broker
		w.compact()
		w.int32()
		w.compact()
		w.tags()
	}
	w.compact() // cluster
	w.int32()   // controller
	if w.uvarint() < 2 {
		return errShort
	}
	t.code = w.int16()
	w.compact()
	if id := w.bytes(16); id != nil && [16]byte(id) != [16]byte{} {
		t.id = hex.EncodeToString(id)
	}
	w.int8() // internal
	t.partitions = w.uvarint() - 1
	if w.short {
		return errShort
	}
	return nil
}

// describe asks what there is of the topic.
func (c *client) describe(ctx context.Context) (topic, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	m, err := c.transport.RoundTrip(ctx, c.addr, &topicRequest{name: c.config.Topic})
	if err != nil && !c.ids.Load() && ctx.Err() == nil {
		return c.describeOld(ctx, err)
	}
	if err != nil {
		return topic{}, err
	}
	c.ids.Store(true)
	res := m.(*topicResponse)
	if res.code != 0 {
		return topic{}, kafka.Error(res.code)
	}
	return res.topic, nil
}

// offsets asks where partitions stand: at their first record, their end, or a
// time. That of a time after the last record is -1.
func (c *client) offsets(ctx context.Context, timestamp int64, partitions ...int) (map[int]int64, error) {
	list := make([]kafka.OffsetRequest, len(partitions))
	for i, p := range partitions {
		list[i] = kafka.OffsetRequest{Partition: p, Timestamp: timestamp}
	}
	res, err := c.kafka.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{c.config.Topic: list}})
	if err != nil {
		return nil, err
	}
	found := map[int]int64{}
	for _, p := range res.Topics[c.config.Topic] {
		if p.Error != nil {
			return nil, p.Error
		}
		switch timestamp {
		case kafka.FirstOffset:
			found[p.Partition] = p.FirstOffset
		case kafka.LastOffset:
			found[p.Partition] = p.LastOffset
		default:
			for offset := range p.Offsets { // one: the key is the offset, the value the time
				found[p.Partition] = offset
			}
		}
	}
	if len(found) != len(partitions) {
		return nil, errors.New("the brokers do not say where all partitions stand")
	}
	return found, nil
}

// describeOld asks brokers from before Kafka 2.8, which hang up on who asks
// for ids. why is what came of that.
func (c *client) describeOld(ctx context.Context, why error) (topic, error) {
	res, err := c.kafka.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{c.config.Topic}})
	if err != nil {
		return topic{}, why
	}
	if res.Topics[0].Error != nil {
		return topic{}, res.Topics[0].Error
	}
	return topic{partitions: len(res.Topics[0].Partitions)}, nil
}
