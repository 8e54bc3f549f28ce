package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/loopgauge/loopgauge/ingest"
)

// fake is a cluster with the topic t, in a bubble of virtual time, that ends with
// the test.
type fake struct {
	*kfake.Cluster
	network kfake.VirtualNetwork
	away    atomic.Bool // nobody can be reached
}

var errAway = errors.New("connection refused")

func newFake(t *testing.T, partitions int32, more ...kfake.Opt) *fake {
	t.Helper()
	f := &fake{}
	var err error
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(partitions, "t"), kfake.ListenFn(f.network.Listen)}
	f.Cluster, err = kfake.NewCluster(append(options, more...)...)
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if f.away.Load() {
		return nil, errAway
	}
	conn, err := f.network.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &cuttable{conn, f}, nil
}

// cuttable is a connection that ends when its cluster is away.
type cuttable struct {
	net.Conn
	f *fake
}

func (c *cuttable) Write(b []byte) (int, error) {
	if c.f.away.Load() {
		_ = c.Close()
		return 0, errAway
	}
	return c.Conn.Write(b)
}

// client reaches the cluster also when it is away for others.
func (f *fake) client(t *testing.T) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(f.ListenAddrs()...), kgo.Dialer(f.network.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMaxAge(time.Minute), kgo.MetadataMinAge(10*time.Second),
	)
	must(t, err)
	return client
}

func (f *fake) produce(t *testing.T, values ...string) {
	t.Helper()
	client := f.client(t)
	defer client.Close()
	for _, v := range values {
		must(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: []byte(v)}).FirstErr())
	}
}

func (f *fake) config() Config {
	return Config{Brokers: f.ListenAddrs(), Topic: "t", Start: Start{Earliest: true}, dial: f.dial}
}

// share opens the topic of a config to be shared in the group g, for the test's time.
func (f *fake) share(t *testing.T, c Config) *Share {
	t.Helper()
	c.Group = "g"
	s, err := OpenShare(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// hold serves a partition for as long as it is ours.
func hold(ctx context.Context, _ *Part) error {
	<-ctx.Done()
	return nil
}

// streams opens what there is in the topic, for the test's time.
func (f *fake) streams(t *testing.T) []ingest.Stream {
	t.Helper()
	streams, err := Streams(t.Context(), f.config(), time.Time{}, 0)
	must(t, err)
	t.Cleanup(func() { ingest.CloseAll(streams) })
	return streams
}

// TestAway: as long as the brokers are away Next returns about once a second,
// with nothing, and never at the end; it is said twice, that they are away and
// that they are back.
func TestAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		l := accept(t, open(t, f.config()))
		same(t, until(t, l, atEnd).values, lines(0, 5))

		f.away.Store(true)
		r, began := &read{}, time.Now()
		for time.Since(began) < 10*time.Minute {
			before := time.Now()
			c, err := l.Next(t.Context())
			must(t, err)
			if d := time.Since(before); d > 2*time.Second {
				t.Fatalf("Next returned after %s", d)
			}
			if r.add(c); c.AtEnd && time.Since(began) > time.Second {
				t.Fatal("at the end, though nobody could be asked")
			}
		}
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "connection refused") {
			t.Errorf("said %q", r.whys)
		}
		f.away.Store(false)
		f.produce(t, lines(5, 8)...)
		r = until(t, l, func(r *read) bool { return len(r.values) == 3 })
		same(t, r.values, lines(5, 8))
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "is read again, after 10m") {
			t.Errorf("said %q", r.whys)
		}
	})
}

// TestReadAway: a topic of ours is read however long the brokers are away
// meanwhile.
func TestReadAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		out, err := OpenOut(t.Context(), f.config(), nil)
		must(t, err)
		defer out.Close()
		f.away.Store(true)
		go func() {
			time.Sleep(10 * time.Minute)
			f.away.Store(false)
		}()
		var got []string
		err = out.Read(t.Context(), 0, 0, func(_ int64, value []byte) bool {
			got = append(got, string(value))
			return true
		})
		must(t, err)
		same(t, got, lines(0, 5))
	})
}

// TestNobody: brokers that never answer, when a topic is opened.
func TestNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.away.Store(true)
		began := time.Now()
		_, err := Open(t.Context(), f.config(), nil)
		var e *ingest.Error
		if !errors.As(err, &e) || !errors.Is(err, errAway) || !strings.Contains(e.Hint, "is this the address of a broker") {
			t.Errorf("%v", err)
		}
		if d := time.Since(began); d < openTime || d > 2*openTime {
			t.Errorf("after %s", d)
		}
	})
}

// hungUp is a connection that the other side ends.
type hungUp struct{ net.Conn }

func (hungUp) Read([]byte) (int, error)    { return 0, io.EOF }
func (hungUp) Write(b []byte) (int, error) { return len(b), nil }

// TestHangUp: brokers that end connections because of TLS, which say no more
// than that.
func TestHangUp(t *testing.T) {
	for _, encrypted := range []*TLS{nil, {}} {
		synctest.Test(t, func(t *testing.T) {
			c := Config{Brokers: []string{"127.0.0.1:9092"}, Topic: "log", TLS: encrypted}
			c.dial = func(context.Context, string, string) (net.Conn, error) {
				ours, _ := net.Pipe()
				return hungUp{ours}, nil
			}
			want := "want TLS or a user there"
			if encrypted != nil {
				want = "leave kafka: tls: out of the policy"
			}
			_, err := Open(t.Context(), c, nil)
			if e, ok := errors.AsType[*ingest.Error](err); !ok || !strings.Contains(e.Hint, want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// TestWait: who shall wait for brokers does so however long they are away when
// a topic is opened, and says so once.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		f.away.Store(true)
		go func() {
			time.Sleep(10 * time.Minute)
			f.away.Store(false)
		}()
		var said []string
		c := f.config()
		c.Wait, c.Say = true, func(what string) { said = append(said, what) }
		feed := open(t, c)
		if len(said) != 1 || !strings.Contains(said[0], "/t: the brokers do not answer") || !strings.Contains(said[0], "connection refused") {
			t.Errorf("said %q", said)
		}
		same(t, until(t, accept(t, feed), atEnd).values, lines(0, 5))

		f.away.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := Open(ctx, c, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("in an hour without brokers: %v", err)
		}
	})
}

// TestRefusal: with the default timeouts, a second instance waits for twice
// the session timeout, and takes over if the first dies in that time.
func TestRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 3)
		c := f.config()
		c.Group, c.State = "g", "one"
		first, err := Open(t.Context(), c, nil)
		must(t, err)
		c.State = "two"
		began := time.Now()
		if _, err := Open(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), "reads it already") {
			t.Errorf("%v", err)
		}
		if d := time.Since(began); d < time.Minute || d > 2*time.Minute {
			t.Errorf("refused after %s", d)
		}
		go func() {
			time.Sleep(50 * time.Second)
			_ = first.Close()
		}()
		began = time.Now()
		second, err := Open(t.Context(), c, nil)
		must(t, err)
		if d := time.Since(began); d < 50*time.Second || d > time.Minute {
			t.Errorf("took over after %s", d)
		}
		if err := second.Commit(t.Context(), []ingest.Mark{{Stream: 2, Offset: 0}}); err != nil {
			t.Error(err)
		}
		_ = second.Close()
	})
}

// delete deletes the topic.
func (f *fake) delete(t *testing.T) {
	t.Helper()
	client := f.client(t)
	defer client.Close()
	name := "t"
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = &name
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TopicNames, request.Topics = []string{name}, append(request.Topics, topic)
	if _, err := request.RequestWith(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

// create creates the topic.
func (f *fake) create(t *testing.T, partitions int32) {
	t.Helper()
	client := f.client(t)
	defer client.Close()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = "t", partitions, 1
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	if _, err := request.RequestWith(t.Context(), client); err != nil {
		t.Fatal(err)
	}
}

// TestFewerPartitions: a partition that the topic does not have since it was
// created again holds the others back no longer. It did for ever. When it is
// there again it is read.
func TestFewerPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 2)
		feed := open(t, f.config())
		_, one := accept(t, feed), accept(t, feed)
		until(t, one, atEnd)
		f.delete(t)
		f.create(t, 1)
		began := time.Now()
		until(t, one, func(r *read) bool { return len(r.whys) > 0 })
		r := until(t, one, atEnd)
		if d := time.Since(began); d < goneTime || d > goneTime+10*time.Second {
			t.Errorf("at the end after %s", d)
		}
		if got := strings.Join(r.whys, "; "); !strings.Contains(got, "with fewer partitions") {
			t.Errorf("said %q", got)
		}
		for range 10 {
			if c, err := one.Next(t.Context()); err != nil || !c.AtEnd || c.Why != "" {
				t.Fatalf("%+v, %v", c, err)
			}
		}
		f.delete(t)
		f.create(t, 2)
		client := f.client(t)
		defer client.Close()
		must(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Partition: 1, Value: []byte(line(7))}).FirstErr())
		same(t, until(t, one, func(r *read) bool { return len(r.values) > 0 }).values, lines(7, 8))
	})
}

// TestCommitOfGone: what a topic does not have any more keeps no commit from
// being taken, and as long as there is no topic it is not tried without a break.
// All alerts waited for it, and the group was shared out anew a thousand times a
// second.
func TestCommitOfGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 2)
		c := f.config()
		c.Group, c.State = "g", "s"
		feed := open(t, c)
		marks := []ingest.Mark{accept(t, feed).Mark(), accept(t, feed).Mark()}
		commit := func() (tries int32, err error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var n atomic.Int32
			f.ControlKey(int16(kmsg.OffsetCommit), func(kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				if n.Add(1) > 1000 {
					cancel()
				}
				return nil, nil, false
			})
			err = feed.Commit(ctx, marks)
			return n.Load(), err
		}
		f.delete(t)
		if n, err := commit(); n < 2 || n > 200 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("tried %d times within a minute, %v", n, err)
		}
		f.create(t, 1)
		must(t, feed.look(t.Context()))
		if n, err := commit(); n != 1 || err != nil {
			t.Errorf("tried %d times, %v", n, err)
		}
	})
}

// TestGone: a topic may be unknown for a moment, not for longer.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, line(0))
		l := accept(t, open(t, f.config()))
		until(t, l, atEnd)
		f.delete(t)
		began := time.Now()
		var err error
		for err == nil {
			_, err = l.Next(t.Context())
		}
		if d := time.Since(began); !strings.Contains(err.Error(), "the topic is there no more") || d < goneTime || d > goneTime+10*time.Second {
			t.Errorf("after %s: %v", d, err)
		}
	})
}

// refuse has the cluster answer all requests of a key with an error from now on.
func (f *fake) refuse(key kmsg.Key, answer func(kmsg.Request) kmsg.Response) {
	f.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
		f.KeepControl()
		return answer(r), nil, true
	})
}

// TestTrouble: what fails is said when it lasts, with the cause: alerts wait for
// it.
func TestTrouble(t *testing.T) {
	const notAvailable, notEnough = 15, 19
	test := func(try func(ctx context.Context, c Config, f *fake) error, want ...string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, 1)
			var mutex sync.Mutex
			var said []string
			c, began := f.config(), time.Now()
			c.Group, c.State, c.Wait = "g", "s", true
			c.Say = func(what string) {
				mutex.Lock()
				defer mutex.Unlock()
				said = append(said, what)
				if d := time.Since(began); d <= quietTime {
					t.Errorf("said after %s: %s", d, what)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := try(ctx, c, f); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if len(said) != 1 {
				t.Fatalf("said %q", said)
			}
			for _, want := range append(want, "do all brokers run?") {
				if !strings.Contains(said[0], want) {
					t.Errorf("said %q, want %q", said[0], want)
				}
			}
		})
	}
	noCoordinator := func(r kmsg.Request) kmsg.Response {
		answer := r.ResponseKind().(*kmsg.FindCoordinatorResponse)
		answer.ErrorCode = notAvailable
		return answer
	}
	noCommit := func(r kmsg.Request) kmsg.Response {
		answer, topic, partition := r.ResponseKind().(*kmsg.OffsetCommitResponse), kmsg.NewOffsetCommitResponseTopic(), kmsg.NewOffsetCommitResponseTopicPartition()
		partition.ErrorCode = notAvailable
		topic.Topic, topic.Partitions = "t", append(topic.Partitions, partition)
		answer.Topics = append(answer.Topics, topic)
		return answer
	}
	test(func(ctx context.Context, c Config, f *fake) error {
		f.refuse(kmsg.FindCoordinator, noCoordinator)
		_, err := Open(ctx, c, nil)
		return err
	}, `the group "g" cannot be joined`, "[15]")
	test(func(ctx context.Context, c Config, f *fake) error {
		f.refuse(kmsg.FindCoordinator, noCoordinator)
		s, err := OpenShare(ctx, c)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		return s.Run(ctx, nil, nil)
	}, `the group "g" cannot be joined`, "[15]")
	test(func(ctx context.Context, c Config, f *fake) error {
		feed, err := Open(ctx, c, nil)
		if err != nil {
			return err
		}
		defer func() { _ = feed.Close() }()
		f.refuse(kmsg.OffsetCommit, noCommit)
		return feed.Commit(ctx, []ingest.Mark{{}})
	}, "so nothing leaves", "[15]")
	test(func(ctx context.Context, c Config, f *fake) error {
		s, err := OpenShare(ctx, c)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }()
		f.refuse(kmsg.OffsetCommit, noCommit)
		return s.Run(ctx, nil, func(ctx context.Context, p *Part) error { return p.Commit(ctx, 0, "") })
	}, "so nothing leaves", "[15]")
	test(func(ctx context.Context, c Config, f *fake) error {
		out, err := OpenOut(ctx, c, nil)
		if err != nil {
			return err
		}
		defer out.Close()
		f.refuse(kmsg.Produce, func(r kmsg.Request) kmsg.Response {
			answer, topic, partition := r.ResponseKind().(*kmsg.ProduceResponse), kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
			partition.ErrorCode = notEnough
			topic.Topic, topic.Partitions = "t", append(topic.Partitions, partition)
			answer.Topics = append(answer.Topics, topic)
			return answer
		})
		_, err = out.Write(ctx, [][]Message{{{Value: []byte("a")}}})
		if !errors.Is(err, kafka.NotEnoughReplicas) {
			t.Errorf("without its cause: %v", err)
		}
		return err
	}, "nothing can be written", "[19]")
}

// TestGoneShared: a topic that is there no more ends who shares it, too.
func TestGoneShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		c := f.config()
		var said []string
		c.Say = func(what string) { said = append(said, what) }
		s := f.share(t, c)
		began := time.Now()
		err := s.Run(t.Context(), func(int) { f.delete(t) }, hold)
		if len(said) != 1 || !strings.Contains(said[0], "the brokers answer with an error") || !strings.Contains(said[0], "was the topic deleted?") {
			t.Errorf("said %q", said)
		}
		if d := time.Since(began); err == nil || !strings.Contains(err.Error(), "the topic is there no more") || d < goneTime || d > goneTime+30*time.Second {
			t.Errorf("after %s: %v", d, err)
		}
	})
}

// TestSharedBefore: a topic that is created while the group shares it out is shared out
// again. Nobody ever got a partition of it.
func TestSharedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 2)
		joins, told := false, false
		f.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			joins = true
			return nil, nil, false
		})
		f.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if !joins || told {
				return nil, nil, false
			}
			told = true
			none := r.ResponseKind().(*kmsg.MetadataResponse)
			topic := kmsg.NewMetadataResponseTopic()
			topic.Topic, topic.ErrorCode = new("t"), int16(kafka.UnknownTopicOrPartition)
			none.Topics = append(none.Topics, topic)
			return none, nil, true
		})
		s := f.share(t, f.config())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var shared []int
		err := s.Run(ctx, func(n int) {
			if shared = append(shared, n); n > 0 {
				cancel()
			}
		}, hold)
		if !told || err != nil || !slices.Equal(shared, []int{2}) {
			t.Errorf("shared out %v, %v", shared, err)
		}
	})
}

// TestSharedBeside: a group may share out two topics, as the one that nobody names does
// wherever two logs are read, each to who reads it.
func TestSharedBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 2, kfake.SeedTopics(3, "other"))
		ctx, cancel := context.WithCancel(t.Context())
		var serving atomic.Int32
		var all sync.WaitGroup
		for _, topic := range []string{"t", "other"} {
			c := f.config()
			c.Topic = topic
			s := f.share(t, c)
			all.Go(func() {
				err := s.Run(ctx, nil, func(ctx context.Context, _ *Part) error {
					serving.Add(1)
					defer serving.Add(-1)
					<-ctx.Done()
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", topic, err)
				}
			})
		}
		time.Sleep(time.Minute)
		if n := serving.Load(); n != 5 {
			t.Errorf("%d partitions are read, want 5", n)
		}
		cancel()
		all.Wait()
	})
}

// TestLeave: who waits for the group to be shared out ends soon all the same. It
// waited for as long as others did not come, a session long.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		defer time.Sleep(time.Minute) // until the group has been shared out
		f.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			f.SleepControl(func() { time.Sleep(25 * time.Second) })
			return nil, nil, false
		})
		s := f.share(t, f.config())
		const before = 5 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), before)
		defer cancel()
		began := time.Now()
		err := s.Run(ctx, nil, nil)
		if d := time.Since(began); d > before+leaveTime {
			t.Errorf("after %s: %v", d, err)
		}
	})
}

// TestLeaveInTheMidst: who ends while the group is being shared out is no member
// any more. Others waited for it, and what it was given stood still, a session long.
func TestLeaveInTheMidst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		client := f.client(t)
		defer client.Close()
		silent := func() { // joins, and says nothing more
			protocol, join := kmsg.NewJoinGroupRequestProtocol(), kmsg.NewPtrJoinGroupRequest()
			protocol.Name = "range"
			metadata := kmsg.NewConsumerMemberMetadata()
			metadata.Topics = []string{"t"}
			protocol.Metadata = metadata.AppendTo(nil)
			join.Group, join.ProtocolType, join.Protocols = "g", "consumer", append(join.Protocols, protocol)
			join.SessionTimeoutMillis, join.RebalanceTimeoutMillis = 60_000, 60_000
			for range 2 { // the first answer is our name
				answer, err := join.RequestWith(t.Context(), client)
				if err != nil {
					return
				}
				join.MemberID = answer.MemberID
			}
		}
		s := f.share(t, f.config())
		ctx, cancel := context.WithCancel(t.Context())
		var member atomic.Value
		var run sync.WaitGroup
		run.Go(func() {
			_ = s.Run(ctx, nil, func(ctx context.Context, p *Part) error {
				member.Store(p.member)
				<-ctx.Done()
				return nil
			})
		})
		for range 2 { // the second finds the first silent
			time.Sleep(10 * time.Second)
			go silent()
		}
		time.Sleep(10 * time.Second)
		cancel()
		began := time.Now()
		run.Wait()
		if d := time.Since(began); d > leaveTime {
			t.Errorf("it takes %s", d)
		}
		describe := kmsg.NewPtrDescribeGroupsRequest()
		describe.Groups = []string{"g"}
		answer, err := describe.RequestWith(t.Context(), client)
		must(t, err)
		for _, m := range answer.Groups[0].Members {
			if m.MemberID == member.Load() {
				t.Error("it is a member still")
			}
		}
		if n := len(answer.Groups[0].Members); n == 0 {
			t.Error("nobody is")
		}
		time.Sleep(2 * time.Minute) // until the group has been shared out
	})
}

// TestOutOfRange: where a broker does not give out a record that is there it is
// asked again once a second, and that is said. It was asked without a break.
func TestOutOfRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, line(0))
		l := accept(t, open(t, f.config()))
		f.refuse(kmsg.Fetch, func(r kmsg.Request) kmsg.Response {
			return answerFetch(r, func(p *kmsg.FetchResponseTopicPartition) { p.ErrorCode = 1 })
		})
		r, began := &read{}, time.Now()
		for range 60 {
			c, err := l.Next(t.Context())
			must(t, err)
			r.add(c)
		}
		if d := time.Since(began); d < 30*time.Second || len(r.whys) != 1 || !strings.Contains(r.whys[0], "[1]") {
			t.Errorf("asked 60 times within %s, said %q", d, r.whys)
		}
	})
}

// answerFetch is an answer to a fetch of one partition, without records.
func answerFetch(r kmsg.Request, fill func(*kmsg.FetchResponseTopicPartition)) kmsg.Response {
	answer, topic, partition := r.ResponseKind().(*kmsg.FetchResponse), kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
	fill(&partition)
	topic.TopicID, topic.Partitions = r.(*kmsg.FetchRequest).Topics[0].TopicID, append(topic.Partitions, partition)
	answer.Topics = append(answer.Topics, topic)
	return answer
}

// TestWrittenWhileAsked: where nothing was written since a time, a feed begins at the
// end as it is when that is asked for: what is written before both are known is read.
func TestWrittenWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		time.Sleep(time.Second)
		c, asked := f.config(), 0
		c.Start = Start{Time: time.Now()}
		f.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if asked++; asked == 2 {
				f.SleepControl(func() { f.produce(t, line(5)) })
			}
			return nil, nil, false
		})
		same(t, until(t, accept(t, open(t, c)), atEnd).values, lines(5, 6))
	})
}

// TestDiverged: where a leader says that it lacks what was read, it is gone on from
// where it does not, and that is said; who reads to an end cannot, and fails.
func TestDiverged(t *testing.T) {
	const end = 3
	diverge := func(f *fake) {
		f.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if p := r.(*kmsg.FetchRequest).Topics[0].Partitions[0]; p.LastFetchedEpoch < 0 || p.FetchOffset <= end {
				return nil, nil, false
			}
			return answerFetch(r, func(p *kmsg.FetchResponseTopicPartition) {
				p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = 0, end
			}), nil, true
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		l := accept(t, open(t, f.config()))
		same(t, until(t, l, atEnd).values, lines(0, 5))
		diverge(f)
		f.produce(t, line(5))
		r := until(t, l, func(r *read) bool { return len(r.values) > 0 })
		same(t, r.values, lines(end, 6))
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "has other records from 3 on, before 5") {
			t.Errorf("said %q", r.whys)
		}
		again := open(t, f.config(), r.chunk.Mark) // as the next process does
		r = until(t, accept(t, again), func(r *read) bool { return len(r.values) > 0 })
		same(t, r.values, lines(end, 6))
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "has other records from 3 on, before 6") {
			t.Errorf("said %q", r.whys)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		streams := f.streams(t)
		s := streams[0].(*stream)
		s.p.maxBytes = 1 // a batch at a time
		diverge(f)
		var err error
		for err == nil {
			var b *ingest.Block
			if b, err = s.Next(); err == nil {
				b.Release()
			}
		}
		if !strings.Contains(err.Error(), "brokers lost records from offset 3 on") {
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // a broker may also say what is left out where there is nothing to say
		f := newFake(t, 1)
		f.produce(t, lines(0, 5)...)
		l := accept(t, open(t, f.config()))
		same(t, until(t, l, atEnd).values, lines(0, 5))
		f.refuse(kmsg.Fetch, func(r kmsg.Request) kmsg.Response {
			return answerFetch(r, func(p *kmsg.FetchResponseTopicPartition) {
				p.HighWatermark, p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = 5, 0, -1
			})
		})
		if c, err := l.Next(t.Context()); err != nil || c.Mark.Offset != 5 || c.Why != "" {
			t.Errorf("%v, at %d, said %q", err, c.Mark.Offset, c.Why)
		}
	})
}

// TestTopicEnd: a bounded reader ends where the topic ended when it was opened. What
// a new leader takes for the end at first, and a broker that only hangs up, passed
// for it: the rest was left out, and nothing was said.
func TestTopicEnd(t *testing.T) {
	test := func(answer func(f *fake, r kmsg.Request) (kmsg.Response, error, bool), recovers bool, want string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, 1)
			f.produce(t, lines(0, 8)...)
			streams := f.streams(t)
			began := time.Now()
			f.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
				f.KeepControl()
				if recovers && time.Since(began) > openTime/2 {
					return nil, nil, false
				}
				return answer(f, r)
			})
			if want == "" {
				if got := drain(t, streams); got != "0:0-8" {
					t.Errorf("read %s", got)
				}
				return
			}
			_, err := streams[0].Next()
			if d := time.Since(began); err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), want) || d < openTime || d > 2*openTime {
				t.Errorf("after %s: %v", d, err)
			}
		})
	}
	late := func(_ *fake, r kmsg.Request) (kmsg.Response, error, bool) {
		return answerFetch(r, func(p *kmsg.FetchResponseTopicPartition) { p.HighWatermark = 0 }), nil, true
	}
	hangUp := func(*fake, kmsg.Request) (kmsg.Response, error, bool) { return nil, io.EOF, true }
	test(late, true, "")
	test(hangUp, true, "")
	test(late, false, "partition 0, from record 0 on: the broker gives none of the records that should be there")
	test(hangUp, false, "partition 0, from record 0 on: EOF: the connection was closed")
}

// TestQuota: who has used up his quota waits as long as he is told, over another
// connection, which brokers do not hold back. A bounded reader failed after 20 s, and
// a feed took what it was told for an answer that is cut.
func TestQuota(t *testing.T) {
	const held = 3 * openTime
	throttle := func(f *fake) (asked *atomic.Int32) {
		asked = &atomic.Int32{}
		began := time.Now()
		f.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			left := held - time.Since(began)
			if left <= 0 {
				return nil, nil, false
			}
			asked.Add(1)
			answer := r.ResponseKind().(*kmsg.FetchResponse)
			answer.ThrottleMillis = int32(left.Milliseconds()) + 1
			return answer, nil, true
		})
		return asked
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		streams := f.streams(t)
		asked := throttle(f)
		if got := drain(t, streams); got != "0:0-8" {
			t.Errorf("read %s", got)
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		l := accept(t, open(t, f.config()))
		asked := throttle(f)
		r := &read{}
		for len(r.values) < 8 {
			before := time.Now()
			c, err := l.Next(t.Context())
			must(t, err)
			if r.add(c); c.AtEnd && len(r.values) == 0 || time.Since(before) > 2*time.Second {
				t.Fatalf("at the end: %v, after %s", c.AtEnd, time.Since(before))
			}
		}
		if n := asked.Load(); n != 1 || len(r.whys) != 1 || !strings.Contains(r.whys[0], "quota") {
			t.Errorf("asked %d times, said %q", n, r.whys)
		}
	})
	synctest.Test(t, func(t *testing.T) { // what a topic holds is asked with no patience
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		throttle(f)
		if value, err := First(t.Context(), f.config()); err != nil || string(value) != line(0) {
			t.Errorf("%q, %v", value, err)
		}
	})
}

// TestSlowStore: a broker that answers without records, though there are some, as
// where a remote store is slow to give them, is asked again. The fifth such answer
// ended the reading for good. Where it lasts the partition holds back no others.
func TestSlowStore(t *testing.T) {
	slow := func(f *fake, last time.Duration) {
		began := time.Now()
		f.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if time.Since(began) > last {
				return nil, nil, false
			}
			return answerFetch(r, func(p *kmsg.FetchResponseTopicPartition) { p.HighWatermark = 8 }), nil, true
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		streams := f.streams(t)
		slow(f, openTime/2)
		if got := drain(t, streams); got != "0:0-8" {
			t.Errorf("read %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		f.produce(t, lines(0, 8)...)
		l := accept(t, open(t, f.config()))
		slow(f, 10*time.Minute)
		began := time.Now()
		r := until(t, l, atEnd)
		if d := time.Since(began); d < goneTime || d > goneTime+10*time.Second || len(r.values) > 0 || len(r.whys) != 2 || !strings.Contains(r.whys[1], "holds back no others") {
			t.Errorf("at the end after %s, said %q", d, r.whys)
		}
		r = until(t, l, func(r *read) bool { return len(r.values) == 8 })
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "is read again, after 10m") {
			t.Errorf("said %q", r.whys)
		}
	})
}

// silent is the address of a broker that takes connections and answers nothing.
const silent = "silent:9092"

// TestSilentBroker: where the first broker of the list takes connections and answers
// nothing the next one is asked where the group is. The group was never joined.
func TestSilentBroker(t *testing.T) {
	test := func(user *SASL, options ...kfake.Opt) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, 1, options...)
			defer time.Sleep(time.Minute) // until the group has been left
			c := f.config()
			c.Brokers = append([]string{silent}, c.Brokers...)
			c.Group, c.Wait, c.SASL = "g", true, user
			c.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == silent {
					ours, theirs := net.Pipe()
					go func() { _, _ = io.Copy(io.Discard, theirs) }()
					return ours, nil
				}
				return f.dial(ctx, network, address)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			feed, err := Open(ctx, c, nil)
			must(t, err)
			if err := feed.Commit(ctx, []ingest.Mark{{}}); err != nil {
				t.Error(err)
			}
			_ = feed.Close()
			s, err := OpenShare(ctx, c)
			must(t, err)
			defer func() { _ = s.Close() }()
			served := false
			if err := s.Run(ctx, nil, func(context.Context, *Part) error {
				served = true
				cancel()
				return nil
			}); err != nil || !served {
				t.Errorf("served: %v, %v", served, err)
			}
		})
	}
	test(nil)
	test(&SASL{"plain", "bob", "secret"}, kfake.EnableSASL(), kfake.Superuser("PLAIN", "bob", "secret"))
}

// TestOneBadCertificate: a broker whose certificate is wrong is waited for as long as
// others are read, and said; where nobody can be read that is the end, as the
// certificates that we have may be old. It ended the reading of all.
func TestOneBadCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 2, kfake.NumBrokers(2), kfake.Ports(9092, 9093))
		good, bad := f.ListenAddrs()[0], f.ListenAddrs()[1]
		for p := range int32(2) {
			must(t, f.MoveTopicPartition("t", p, p))
		}
		c := f.config()
		c.Brokers = []string{good}
		c.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == bad {
				return nil, &tls.CertificateVerificationError{Err: errors.New("signed by nobody")}
			}
			return f.dial(ctx, network, address)
		}
		feed := open(t, c, ingest.Mark{Stream: 0}, ingest.Mark{Stream: 1})
		zero, one := accept(t, feed), accept(t, feed)
		r := &read{}
		for began := time.Now(); time.Since(began) < 10*time.Minute; {
			if _, err := zero.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			c, err := one.Next(t.Context())
			if err != nil {
				t.Fatalf("after %s: %v", time.Since(began), err)
			}
			if r.add(c); c.AtEnd {
				t.Fatal("at the end, though it cannot be read")
			}
		}
		if len(r.whys) != 1 || !strings.Contains(r.whys[0], "signed by nobody") {
			t.Errorf("said %q", r.whys)
		}
		began := time.Now()
		var err error
		for err == nil {
			_, err = one.Next(t.Context())
		}
		if d := time.Since(began); !strings.Contains(err.Error(), "kafka: tls:") || d > goneTime+10*time.Second {
			t.Errorf("after %s: %v", d, err)
		}
	})
}

// TestBadCertificateInList: one of the brokers that are named may have it.
func TestBadCertificateInList(t *testing.T) {
	for range 20 { // which one is asked is random
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t, 1)
			f.produce(t, line(0))
			c := f.config()
			c.Brokers = append(c.Brokers, silent)
			bad := map[string]bool{silent: true}
			c.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := f.dial(ctx, network, f.ListenAddrs()[0])
				if bad[address] && err == nil {
					conn = unverified{conn}
				}
				return conn, err
			}
			streams, err := Streams(t.Context(), c, time.Time{}, 0)
			must(t, err)
			ingest.CloseAll(streams)
			bad[f.ListenAddrs()[0]] = true
			if _, err := Streams(t.Context(), c, time.Time{}, 0); err == nil || !strings.Contains(err.Error(), "kafka: tls:") {
				t.Errorf("with none that is right: %v", err)
			}
		})
	}
}

// unverified is a connection to a broker whose certificate is wrong.
type unverified struct{ net.Conn }

func (unverified) Write([]byte) (int, error) {
	return 0, &tls.CertificateVerificationError{Err: errors.New("signed by nobody")}
}

// TestForget: a member that we were is taken out of the group also by a coordinator
// that has to read first what the group is. It said so, and that was that: the group
// waited for the member, a session long.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, 1)
		const loading = 14
		asked := 0
		f.ControlKey(int16(kmsg.LeaveGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
			f.KeepControl()
			if asked++; asked > 3 {
				return nil, nil, false // there is no such member, nor group
			}
			answer := r.ResponseKind().(*kmsg.LeaveGroupResponse)
			answer.ErrorCode = loading
			return answer, nil, true
		})
		config := f.config()
		config.Group = "g"
		c, err := newClient(&config)
		must(t, err)
		defer c.close()
		(&members{c: c, ended: make(chan struct{})}).forget("member")
		if asked != 4 {
			t.Errorf("asked %d times", asked)
		}
	})
}
