package fingerprint

import "testing"

func TestQuery(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"query"}})
	raw := func(query, want string) {
		t.Helper()
		wantCanonicals(t, id, request(t, "query", query), `[["query",`+want+`]]`)
	}
	raw("", `{}`)
	raw("a=1", `{"a":"1"}`)
	raw("b=2&a=1", `{"a":"1","b":"2"}`)
	raw("a=2&b=x&a=1", `{"a":["2","1"],"b":"x"}`) // values of one name keep their order
	raw("a", `{"a":true}`)                        // no value is not an empty one
	raw("a=", `{"a":""}`)
	raw("a&a=&a=1", `{"a":[true,"","1"]}`)
	raw("&&a=1&=2&", `{"a":"1"}`) // without a name there is no pair
	raw("a=1=2", `{"a":"1=2"}`)
	raw("a+b=c+d", `{"a b":"c d"}`)
	raw("%61=%C3%A9%26", `{"a":"é&"}`)
	raw("a=%2", `{"a":"%2"}`)
	raw("a=%zz%", `{"a":"%zz%"}`)
	raw("a=%00", `{"a":"\u0000"}`)
	raw("a;b=1", `{"a;b":"1"}`)
	// The order is that of RFC 8785, not of the bytes.
	raw("%EE%80%80=1&%F0%90%80%80=2", "{\"\U00010000\":\"2\",\"\ue000\":\"1\"}")

	object := func(query, want string) {
		t.Helper()
		wantCanonicals(t, id, request(t, "query_object", query), `[["query",`+want+`]]`)
	}
	object(`{}`, `{}`)
	object(`{"b":"2","a":"1"}`, `{"a":"1","b":"2"}`)
	object(`{"a":["2","1"]}`, `{"a":["2","1"]}`)
	object(`{"a":["1"]}`, `{"a":"1"}`)
	object(`{"a":true,"b":""}`, `{"a":true,"b":""}`)
	object(`{"a":false,"b":7,"c":null}`, `{"a":"false","b":"7"}`)
	object(`{"a+b":"%41"}`, `{"a+b":"%41"}`) // decoded already

	// With a path and no query, the query is empty; with neither there is none.
	wantCanonicals(t, id, request(t, "path", "/"), `[["query",{}]]`)
	wantCanonicals(t, id, request(t), notComputable(NoQuery))
	wantCanonicals(t, id, request(t, "query_object", `{"a":"\q"}`), notComputable(BrokenJSON))
}

func TestFairvisor(t *testing.T) {
	f := func(o Options, want string, members ...string) {
		t.Helper()
		wantCanonicals(t, mustNew(t, "fairvisor", o), request(t, members...), want)
	}
	all := []string{"method", "POST", "path", "/v1", "query", "b=2&a=1&c", "body_hash", "bh", "attr:jwt:org", "o", "attr:header:x", "h"}
	f(Options{}, "POST|/v1|a=1|b=2|c=true|bh|header:x=h|jwt:org=o", all...)
	f(Options{IgnoreBody: true}, "POST|/v1|a=1|b=2|c=true|header:x=h|jwt:org=o", all...)
	f(Options{LimitKeys: []string{"jwt:org"}}, "POST|/v1|a=1|b=2|c=true|bh|jwt:org=o", all...)
	f(Options{LimitKeys: []string{"jwt:org", "header:x", "nothing"}, IgnoreBody: true}, "POST|/v1|a=1|b=2|c=true|header:x=h|jwt:org=o", all...)
	f(Options{}, "GET|/", "method", "GET", "path", "/")
	// Of nothing that it looks at it says nothing: all requests of a log of calls were
	// one, and a gateway that stops healthy agents.
	f(Options{}, notComputable(NoPath))
	f(Options{}, notComputable(NoPath), "caller", "c", "messages", `["x"]`)
	f(Options{IgnoreBody: true}, notComputable(NoPath), "body", "x", "body_hash", "bh")
	f(Options{}, "||header:x=h", "attr:header:x", "h")
	// A body without a hash of the gateway's is hashed; the hash wins.
	f(Options{}, "||2363233923", "body", "x")
	f(Options{}, "||bh", "body", "x", "body_hash", "bh")
	f(Options{}, notComputable(RepeatedName), "query", "a=1&b=1&a=1")
	f(Options{}, "|||a=1", "path", "|", "query_object", `{"a":["1"]}`)
	// Its decimal CRC-32.
	id := mustNew(t, "fairvisor", Options{})
	if got, _ := compute(t, id, request(t, "method", "GET", "path", "/")); got != "3285538436" {
		t.Errorf("fingerprint %s", got)
	}
}
