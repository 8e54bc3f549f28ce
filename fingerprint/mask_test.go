package fingerprint

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

func TestMasks(t *testing.T) {
	covered := map[string]bool{}
	f := func(names, text, want string) {
		t.Helper()
		list := strings.Split(names, ",")
		for _, name := range list {
			covered[name] = true
		}
		m, err := newMask(list)
		must(t, err)
		if got := string(m.append([]byte("|"), []byte(text))); got != "|"+want {
			t.Errorf("%s: %q gives %q, want %q", names, text, got[1:], want)
		}
	}
	same := func(names string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			f(names, text, text)
		}
	}
	const uuid = "123e4567-e89b-12d3-a456-426614174000"
	f("uuids", uuid, "<uuid>")
	f("uuids", strings.ToUpper(uuid), "<uuid>")
	f("uuids", "id="+uuid+", "+uuid+".", "id=<uuid>, <uuid>.")
	f("uuids", "urn:uuid:"+uuid, "urn:uuid:<uuid>")
	f("uuids", "req-"+uuid+"-x", "req-<uuid>-x")
	same("uuids", "x"+uuid, uuid+"0", uuid[:35], strings.ReplaceAll(uuid, "-", ""), "g"+uuid[1:],
		strings.Replace(uuid, "-", "_", 1), "123e456-7e89b-12d3-a456-426614174000", "12 2026-11-21 0x1F", "é"+uuid)

	for _, id := range []string{
		"call_hH9FGAwxmczG9F9v", "call_3", "call_123", "call_00_Xy", "call_a-9Zx_", "call_5e1c2e9d-1111-4222-8333-444455556666", "fc_68a1", "toolu_01AbC", "toolu_bdrk_01AbC",
		"srvtoolu_01AbC", "tooluse_Kx-_aB-77", "chatcmpl-tool-3f2c",
	} {
		f("call_ids", id, "<call-id>")
		f("call_ids", "'"+id+"', "+id+"-", "'<call-id>', <call-id>-")
		same("call_ids", "x"+id, "_"+id, id+"é", strings.ToUpper(id))
	}
	same("call_ids", "", "call_", "call_id", "call_log", "call_log_24", "call_for-2026", "tool_call_1", "call-3", "call3", "callx_3", "fc_", "toolu_", "tooluse_it",
		"user_123", "order_7", "step_2", "chatcmpl-3f2c", "msg_01Ab", "call_10293", "call_"+strings.Repeat("1", 200))

	f("timestamps", "2026-11-21", "<timestamp>")
	for _, zone := range []string{"", "Z", "z", "+01:00", "-0530"} {
		for _, clock := range []string{"10:00", "10:00:59", "10:00:59.1", "10:00:59,123", "10:00:59.123456789"} {
			f("timestamps", "at 2026-11-21T"+clock+zone+".", "at <timestamp>.")
			f("timestamps", "2026-11-21 "+clock+zone+" x", "<timestamp> x")
			f("timestamps", "2026-11-21t"+clock+zone, "<timestamp>")
		}
	}
	f("timestamps", "2026-11-21 is", "<timestamp> is")
	f("timestamps", "2026-11-21 10:0", "<timestamp> 10:0")
	f("timestamps", "2026-11-21 is:10", "<timestamp> is:10")
	f("timestamps", "2026-11-21 10:00:59.a", "<timestamp>.a")
	f("timestamps", "2026-11-21 10:00+ab:10", "<timestamp>+ab:10")
	f("timestamps", "2026-11-21/2026-11-22", "<timestamp>/<timestamp>")
	same("timestamps", "26-11-21", "2026-1-21", "2026/11/21", "12026-11-21", "20x6-11-21", "2026.11-21", "2026-1x-21", "2026-11.21", "2026-11-2x", "2026-11-211", "2026-11-21x", "v2026-11-21",
		"2026-11-21T10:00:59.1234567890Z", "10:00:59", "2026-11", "20261121", "2026-11-21T10:00:59Zulu", "1732183200")

	for _, text := range []string{
		"0.41s", "12ms", "12 ms", "1m23s", "1m 23.4s", "2h5m", "3d4h", "5m", "3.2 seconds", "1 second", "2 minutes 5 seconds", "7 min", "1 hr 2 mins",
		"250µs", "250μs", "9us", "80ns", "0:01:23", "14:03:22", "120:00:59.25", "01:23.456", "0.41 s", "4 days",
	} {
		f("durations", text, "<duration>")
		f("durations", "in "+text+" (1 failed)", "in <duration> (1 failed)")
		f("durations", "["+text+"]", "[<duration>]")
		if !strings.ContainsAny(text, " .:") { // else a part of it is one
			same("durations", "x"+text, text+"x", text+"é", "_"+text)
		}
	}
	f("durations", "took 2s, then 3s.", "took <duration>, then <duration>.")
	f("durations", "5m 3 failed", "<duration> 3 failed")
	f("durations", "5m 3s4", "<duration> 3s4")
	f("durations", "1d2h3m4s5ms6us7ns", "<duration>")
	same("durations", "", "5", "0.41", "12:30", "main.go:12:30", "5 m", "3 d", "10 h", "7 files", "1s2x", "s", "ms", "10:75:00", "12:3:4", "2026-11-21", "5M", "3rd", "2nd", "5 mice", "10 dollars")

	f("hex", "deadbee1", "<hex>")
	f("hex", "commit 0xDEADBEEF!", "commit <hex>!")
	f("hex", "0x12345678 0XABCDEFAB", "<hex> <hex>")
	f("hex", "d41d8cd98f00b204e9800998ecf8427e", "<hex>")
	same("hex", "deadbee", "0x1234567", "deadbeef", "12345678", "deadbee1g", "xdeadbee1", "_deadbee1", "0x", "0xdeadbeeg1", "feedface cafe")

	f("numbers", "5", "<number>")
	f("numbers", "-5 +5 (5)", "<number> <number> (<number>)")
	f("numbers", "1.5e-7 1E+5 2.50, 3.", "<number> <number> <number>, <number>.")
	f("numbers", "10:30, 50%, $3", "<number>:<number>, <number>%, $<number>")
	f("numbers", "1,000", "<number>,<number>")
	f("numbers", "a-5", "a-<number>")
	f("numbers", "1.2.3", "<number>.<number>")
	same("numbers", "", "abc123", "123abc", "x5", "5x", "1e5x", "1e+", "é5", "5é", "_5", "5_", "٣", "-", "+", ".", "e5", "one")

	// Beyond ASCII letters make words, where these have spaces between them, and
	// punctuation does not.
	f("numbers", "第5页，共10页", "第<number>页，共<number>页")
	f("numbers", "5ページの3つ目 หน้า5จาก10", "<number>ページの<number>つ目 หน้า<number>จาก<number>")
	f("numbers", "エラー404 ｻｰﾊﾞｰ3 ﾕｰｻﾞ5 コ\u30995", "エラー<number> ｻｰﾊﾞｰ<number> ﾕｰｻﾞ<number> コ\u3099<number>")
	f("numbers", "“5” 3–4 ≈7° →8… 1\u00a0000 \u200b9 −2", "“<number>” <number>–<number> ≈<number>° →<number>… <number>\u00a0<number> \u200b<number> −<number>")
	same("numbers", "é5", "5é", "e\u03015", "ж5", "5ж", "제5회", "ب5", "५5", "²5")
	f("timestamps", "时间：2026-11-21 10:00:00。", "时间：<timestamp>。")
	f("uuids", "编号"+uuid+"的", "编号<uuid>的")
	f("durations", "用时0.41s，等了3 ms的", "用时<duration>，等了<duration>的")
	f("hex", "「deadbee1」", "「<hex>」")
	f("call_ids", "对call_3的", "对<call-id>的")

	// Where several match, the more specific wins; where a specific one does
	// not, another may.
	f("numbers,hex,timestamps,uuids", uuid+" 2026-11-21 12345678 deadbee1 0x12345678", "<uuid> <timestamp> <number> <hex> <hex>")
	f("numbers,uuids", "123e4567-e89b-12d3-a456-42661417400", "<number>-e89b-12d3-a456-<number>") // 123e4567 is a number
	f("numbers", "2026-11-21", "<number>-<number>-<number>")
	for _, k := range Masks {
		if !covered[k.Name] {
			t.Errorf("no case for the mask %s", k.Name)
		}
	}
	if _, err := newMask([]string{"numbers", "uuid"}); err == nil || !strings.Contains(err.Error(), `"uuid"; there are call_ids, uuids, timestamps, durations, hex, numbers`) {
		t.Error(err)
	}
}

// Masks apply to message text, arguments, path, query, body and attributes, not
// to names.
func TestMaskedIdentity(t *testing.T) {
	names := []string{"numbers", "uuids", "timestamps", "hex"}
	f := func(parts, want string, members ...string) {
		t.Helper()
		id := mustNew(t, "", Options{Parts: strings.Split(parts, ","), Mask: names})
		wantCanonicals(t, id, request(t, members...), want)
	}
	f("messages", `[["messages",[{"role":"user","text":"try <number>"}]]]`, "messages", `[{"role":"user","content":"try 7"}]`)
	f("tool_call", `[["tool_call",{"arguments":{"5":["<number>","<number>","a <hex>",true,null]},"name":"f7"}]]`, "response", `f7 {"5":[1,"2","a\u00200xdeadbee1",true,null]}`)
	f("tool_call", `[["tool_call",{"name":"f","raw":"{<number>"}]]`, "response", `f {1`)
	f("query", `[["query",{"1":"<number>"}]]`, "query", "1=2")
	f("body", `[["body","n=<number>"]]`, "body", "n=3")
	f("attr:5", `[["attr:5","<number>"]]`, "attr:5", "6")
	f("path,model", `[["path","/v1/Jobs/<number>/steps/<uuid>"],["model","4"]]`, "path", "/v1/Jobs/17/steps/123e4567-e89b-12d3-a456-426614174000", "model", "4")
}

func TestNormalizeLower(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"messages"}, Lower: true})
	f := func(content, want string) {
		t.Helper()
		wantCanonicals(t, id, request(t, "messages", `[{"role":"User","content":`+content+`}]`),
			`[["messages",[{"role":"User","text":"`+want+`"}]]]`)
	}
	f(`" STOP Now "`, "stop now")
	f(`"ΟΔΟΣ İ ÀÉ"`, "οδος i̇ àé")
	f(`[{"type":"text","text":"A"},{"type":"text","text":"B"}]`, "a b")
	// Arguments keep their case: names of files and the like are told by it.
	wantCanonicals(t, id, request(t, "messages", `[{"role":"assistant","tool_calls":[{"name":"F","arguments":"{\"A\":\"B\"}"}]}]`),
		`[["messages",[{"calls":[{"arguments":{"A":"B"},"name":"F"}],"role":"assistant"}]]]`)
	if got := canonicals(mustNew(t, "", Options{Parts: []string{"messages"}}), request(t, "messages", `["A"]`)); !slices.Equal(got, []string{`[["messages",[{"text":"A"}]]]`}) {
		t.Errorf("case is not kept: %s", got)
	}
}

// Masks on hostile text: words and near misses of any length.
func TestMasksAreLinear(t *testing.T) {
	m, err := newMask([]string{"numbers", "uuids", "timestamps", "durations", "hex", "call_ids"})
	must(t, err)
	var dst []byte
	for _, piece := range []string{"1", "1.", "-1", "1e", "+-", "a1", "0x", "2026-11-21T", "123e4567-", "1,1x", "é", "1e-1", "call_", "call_a-", "chatcmpl-tool-", "fc_-", "1s ", "1m2", "1.1s", "1:11", "页1", "é1", "页"} {
		hostile(t, func(size int) {
			dst = m.append(dst[:0], []byte(strings.Repeat(piece, size)))
			dst = m.append(dst[:0], []byte(strings.Repeat(piece, size)+"x"))
			dst = m.append(dst[:0], []byte(strings.Repeat(piece, size)+"1s2"))
			volatile.MayHaveCallID([]byte(strings.Repeat(piece, size)))
		})
	}
	hostile(t, func(size int) {
		dst = appendPythonLower(dst[:0], []byte(strings.Repeat("Σ'", size)+strings.Repeat("'", size)+strings.Repeat("'Σ", size)))
	})
}
