package kafka

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"
)

func TestParse(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		c, err := Parse(name)
		got := fmt.Sprint(c.Brokers, " ", c.Topic)
		if len(c.Offsets) > 0 {
			got += fmt.Sprint(" ", c.Offsets)
		}
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
	f("kafka://a:1/t", "[a:1] t")
	f("kafka://a,b:2,[::1]:3,[::1]/x.y_z-1", "[a:9092 b:2 [::1]:3 [::1]:9092] x.y_z-1")
	f("kafka://a/t?offsets=0,1:5-,2:-9,3:4-4", "[a:9092] t [{0 -1 -1} {1 5 -1} {2 -1 9} {3 4 4}]")
	f("kafka://a/", `kafka://a/: "" is no name of a topic`)
	f("kafka://a", `kafka://a: "" is no name of a topic`)
	f("kafka:///t", `kafka:///t: ":9092" is no broker`)
	f("kafka://a:x/t", `kafka://a:x/t: "a:x" is no broker`)
	f("kafka://a/t/u", `kafka://a/t/u: "t/u" is no name of a topic`)
	f("kafka://bob:geheim@a/t", "kafka://...@a/t: a user does not belong here: the policy names one, under kafka: sasl:")
	f("kafka://a/t?group=x", `kafka://a/t?group=x: "group" is unknown; there is offsets`)
	f("kafka://a/t?offsets=0:5", `kafka://a/t?offsets=0:5: offsets: "0:5" is not PARTITION:FROM-TO`)
	f("kafka://a/t?offsets=0:5-4", `kafka://a/t?offsets=0:5-4: offsets: "0:5-4" ends before it begins`)
	f("kafka://a/t?offsets=0,0", `kafka://a/t?offsets=0,0: offsets: partition 0 is there twice`)
	f("file", "file: not the name of a topic")
}

// TestPasswordStaysSecret: no error holds a password, whatever is in it.
func TestPasswordStaysSecret(t *testing.T) {
	for _, mechanism := range []string{"scram-sha-256", "scram-sha-512"} {
		c := Config{Brokers: []string{"127.0.0.1:1"}, Topic: "log", SASL: &SASL{mechanism, "bob", "geheim\n1"}}
		_, err := newClient(&c)
		if err == nil || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "SCRAM does not allow") {
			t.Errorf("%s: %v", mechanism, err)
		}
	}
}

// TestChoose: which member of the group gets the topic.
func TestChoose(t *testing.T) {
	f := func(want int, claims ...claim) {
		t.Helper()
		if got := choose(claims); got != want {
			t.Errorf("%+v: %d, want %d", claims, got, want)
		}
	}
	f(0, claim{State: "a", Start: 1}, claim{State: "b", Start: 2}) // the one that waits longest
	f(1, claim{State: "b", Start: 2}, claim{State: "a", Start: 1})
	f(1, claim{State: "a", Start: 1}, claim{State: "a", Start: 2}) // the older one is dead
	f(1, claim{State: "b", Start: 1}, claim{State: "a", Start: 2, Since: 3})
	f(1, claim{State: "a", Start: 1, Since: 2}, claim{State: "b", Start: 3, Since: 4}) // the first was silent
	// It comes back after a kill: it has what its dead self had.
	f(1, claim{State: "a", Start: 1, Since: 2}, claim{State: "a", Start: 5}, claim{State: "b", Start: 3})
}

// TestOneReaderATopic: members that read different topics have each their own, for
// two watches by one policy are in one group. The second was refused, and told that
// the first reads its topic.
func TestOneReaderATopic(t *testing.T) {
	var members []kafka.GroupMember
	for i, m := range []string{"t", "u", "t"} {
		g := &group{claim: claim{State: fmt.Sprint(i), Start: int64(i)}}
		data, err := balancer{g}.UserData()
		must(t, err)
		members = append(members, kafka.GroupMember{ID: fmt.Sprint(i), Topics: []string{m}, UserData: data})
	}
	got := balancer{}.AssignGroups(members, []kafka.Partition{{Topic: "t", ID: 0}, {Topic: "u", ID: 0}, {Topic: "u", ID: 1}})
	want := kafka.GroupMemberAssignments{"0": {"t": {0}}, "1": {"u": {0, 1}}, "2": {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParsePlace(t *testing.T) {
	f := func(in string, want Place, ok bool) {
		t.Helper()
		if got, is := ParsePlace(in); got != want || is != ok {
			t.Errorf("%q is read as %+v %v, want %+v %v", in, got, is, want, ok)
		}
	}
	f("llm-log/3:1234", Place{Topic: "llm-log", Partition: 3, Offset: 1234}, true)
	f("llm.log_2/0:0", Place{Topic: "llm.log_2"}, true)
	f("llm-log/3:123456789012:7", Place{Topic: "llm-log", Partition: 3, Offset: 123456789012, Item: 7}, true)
	f("kafka://a:9092,b/llm-log/3:4", Place{Source: "kafka://a:9092,b/llm-log", Topic: "llm-log", Partition: 3, Offset: 4}, true)
	f("llm-log/3:4:0", Place{}, false) // requests count from 1
	f("llm-log/3", Place{}, false)
	f("llm-log:3", Place{}, false)
	f("dir/llm-log/3:4", Place{}, false)
	f("s3://bucket/3:4", Place{}, false)
	f("llm-log/3:-4", Place{}, false)
	f("kafka://a:9092/llm-log", Place{}, false)
}
