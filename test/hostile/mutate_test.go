package hostile

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recado/internal/kernel"
)

// values are raw JSON values for fields of a body.
var values = []string{
	`null`, `true`, `false`, `0`, `-0`, `-1`, `1.5`, `1e3`, `1e400`, `-1e400`, `9223372036854775807`, `9223372036854775808`,
	`123456789012345678901234567890`, `""`, `" "`, `"\t\n"`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udfff\ud800"`,
	"\"\xff\xfe\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\x01\"", `"\u202e\u2066"`, `"𝕏👩‍👩‍👧‍👦"`, `"e\u0301\u0301\u0301\u0301"`,
	`"%00%ff"`, `"'; DROP TABLE messages; --"`, `"$1 $2 ?1 ?2 %s %n {0}"`, `"\\"`, `"\u2028\u2029"`, `[]`, `{}`, `[null]`, `[[]]`, `[{}]`,
	`{"id":null}`, `{"":""}`, `{"__proto__":{}}`, `"00000000-0000-0000-0000-000000000000"`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`,
	`"FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF"`, `"{0193b0a0-0000-7000-8000-000000000000}"`, `"0193b0a0000070008000000000000000"`,
	`"2026-13-45T99:99:99Z"`, `"0000-01-01T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"9999-12-31T23:59:59.999999999-23:59"`, `"-292277022399-01-01"`,
	`"1"`, `"+"`, `"me"`, `"none"`, `"any"`, `"ATD-99999999999999999999"`, `"file:///etc/passwd"`, `"javascript:alert(1)"`, `NaN`, `Infinity`, `0x10`, `01`,
	`+1`, `.5`, `'a'`, `undefined`, `"`, `[1,`, `//x`,
}

// odd values are valid and must pass through every layer unchanged.
var odd = []string{
	`"\u202e\u2066"`, `"𝕏👩‍👩‍👧‍👦"`, `"e\u0301\u0301\u0301\u0301"`, `"%00%ff"`, `"'; DROP TABLE messages; --"`, `"$1 $2 ?1 ?2 %s %n {0}"`, `"\\"`, `"a\u2028\u2029b"`,
	`"ẞßſK"`, `"İıI"`, `"\u00a0x\u3000"`, `"\"\"\""`, `"* OR \"a\" NEAR b^"`, `"_%\\_"`, `"\u007f\u0085x"`, `"\ufffd\ufeffx"`, `"\udbff\udfff"`, `"<b>&amp;</b>"`,
}

// wide values are large, so they are generated on demand.
var wide = []func() string{
	func() string { return `"` + strings.Repeat("a", 5000) + `"` },
	func() string { return `"` + strings.Repeat("é", 10_001) + `"` },
	func() string { return `"` + strings.Repeat("x", 70_000) + `"` },
	func() string { return strings.Repeat("[", 40) + strings.Repeat("]", 40) },
	func() string { return strings.Repeat("[", 30_000) },
	func() string { return strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) },
	func() string { return "[" + strings.Repeat("null,", 5000) + "null]" },
	func() string { return "[" + strings.Repeat(`"0193b0a0-0000-7000-8000-000000000000",`, 1000) + `""]` },
	func() string { return strings.Repeat("9", 10_000) },
	func() string { return `"` + strings.Repeat(`\ud83d\ude00`, 3000) + `"` },
}

// texts are used in paths, queries and headers, already escaped where necessary.
var texts = []string{
	"", "%", "%zz", "%00", "%ff%fe", "%c0%80", "%ed%a0%80", "-1", "0", "1.5", "101", "1e3", "+1", "99999999999999999999", "null", "true", "undefined",
	"%20", "a%20b", "%27%3B--", "..", "%2e%2e", "%2F", "a%2Fb", "%E2%80%AE", "%F0%9F%98%80", "00000000-0000-0000-0000-000000000000",
	"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "%7B0193b0a0-0000-7000-8000-000000000000%7D", "0193b0a0-0000-7000-8000-00000000000", "*", "[]", "$(id)",
	"%E1%BA%9E%C5%BF%E2%84%AA", "%22%20OR%20%22", "a%5C_%25b", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9", "%C2%A0", "2026-02-30", "2026-05-06T07:08:09Z", "0000-00-00", "America/Sao_Paulo", "..%2F..%2Fetc%2Fpasswd", "Local", "none", "me",
}

var contentTypes = []string{
	"", "text/plain", "application/xml", "application/json; charset=latin1", "application/json;", "APPLICATION/JSON", "multipart/form-data",
	"multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/merge-patch+json", "application/json, text/plain", "a/b/c", "*/*",
}

var oddHeaders = [][2]string{
	{"X-Request-Id", `"><script>`},
	{"X-Request-Id", strings.Repeat("x", 4000)},
	{"X-Request-Id", "\xff\xfe"},
	{"Accept", "text/html"},
	{"Accept", "*/*;q=0"},
	{"Accept-Encoding", "gzip;q=0, br, \x7f"},
	{"Content-Encoding", "gzip"},
	{"Range", "bytes=5-1"},
	{"If-Match", "*"},
	{"If-Match", `"1", "2"`},
	{"If-Match", `W/"-1"`},
	{"If-Match", "99999999999999999999"},
	{"If-None-Match", `"1"`},
	{"If-Modified-Since", "yesterday"},
	{"Idempotency-Key", "short"},
	{"Idempotency-Key", strings.Repeat("k", 129)},
	{"Idempotency-Key", "with space in it"},
	{"Idempotency-Key", "\xc3\x28aaaaaaaa"},
	{"Last-Event-ID", "x"},
	{"Last-Event-ID", "\xff"},
	{"Expect", "100-continue"},
	{"Upgrade", "websocket"},
	{"Forwarded", "for=1.2.3.4"},
	{"X-Forwarded-Host", "evil.example"},
	{"X-HTTP-Method-Override", "DELETE"},
	{"Cookie", strings.Repeat("a=b; ", 2000)},
	{"Origin", "null"},
	{"Host", "evil.example"},
	{"TE", "trailers"},
	{"Trailer", "Authorization"},
}

// mutate corrupts one part of a request, sometimes two. Sometimes it only replaces texts with odd ones, which pass
// validation.
func mutate(r *rand.Rand, q *request, parameters []string) {
	if r.IntN(3) == 0 && q.makeOdd(r, parameters) {
		return
	}
	for range 1 + r.IntN(5)/4 {
		switch r.IntN(10) {
		case 0:
			q.mutatePath(r)
		case 1, 2:
			q.mutateQuery(r, parameters)
		case 3:
			h := oddHeaders[r.IntN(len(oddHeaders))]
			q.note("header " + h[0])
			q.headers = append(q.headers, h)
		case 4:
			if q.body != nil {
				q.mutateBody(r)
			}
		default:
			if q.body != nil {
				q.mutateField(r)
			} else {
				q.mutateQuery(r, parameters)
			}
		}
	}
}

// makeOdd replaces free texts with unusual but valid ones. It reports whether there were any.
func (q *request) makeOdd(r *rand.Rand, parameters []string) bool {
	for name, value := range q.fields {
		if text, ok := value.(string); ok && strings.HasPrefix(text, "word") {
			q.fields[name] = verbatim(odd[r.IntN(len(odd))])
			q.note("an odd " + name)
		}
	}
	if q.mutations != nil {
		q.body = encode(q.fields)
	}
	if slices.Contains(parameters, "q") {
		var text string
		_ = json.Unmarshal([]byte(odd[r.IntN(len(odd))]), &text)
		q.query = "q=" + url.QueryEscape(text)
		q.note("an odd search")
	}
	return q.mutations != nil
}

func (q *request) note(what string) { q.mutations = append(q.mutations, what) }

func (q *request) mutatePath(r *rand.Rand) {
	parts := strings.Split(q.path, "/")
	i := 1 + r.IntN(len(parts)-1)
	if !strings.Contains(parts[i], "-") { // only ids; other paths have their own tests
		return
	}
	parts[i] = texts[r.IntN(len(texts))]
	if r.IntN(20) == 0 {
		parts[i] = strings.Repeat("a", 8000)
	}
	q.path = strings.Join(parts, "/")
	q.note("path")
}

func (q *request) mutateQuery(r *rand.Rand, parameters []string) {
	name := texts[r.IntN(len(texts))]
	if len(parameters) > 0 && r.IntN(6) > 0 {
		name = parameters[r.IntN(len(parameters))]
	}
	value := texts[r.IntN(len(texts))]
	if r.IntN(20) == 0 {
		value = strings.Repeat("%F0%9F%98%80", 500)
	}
	pair := name + "=" + value
	switch r.IntN(8) {
	case 0:
		pair += "&" + pair
	case 1:
		pair = name
	case 2:
		pair += ";x=1"
	}
	if q.query != "" && r.IntN(2) == 0 {
		pair = q.query + "&" + pair
	}
	q.query = pair
	q.note("query " + name)
}

// mutateField replaces, duplicates, removes or adds one field.
func (q *request) mutateField(r *rand.Rand) {
	if q.fields == nil {
		q.fields = map[string]any{}
	}
	target := q.fields
	names := slices.Sorted(maps.Keys(target))
	if len(names) == 0 {
		target["unknown"] = hostileValue(r)
		q.body = encode(q.fields)
		q.note("an unknown field")
		return
	}
	name := names[r.IntN(len(names))]
	if below, ok := target[name].(map[string]any); ok && len(below) > 0 && r.IntN(2) == 0 {
		target = below
		names = slices.Sorted(maps.Keys(below))
		name = names[r.IntN(len(names))]
	}
	switch r.IntN(12) {
	case 0:
		delete(target, name)
	case 1:
		target[name] = twice{target[name]}
	case 2:
		target[strings.ToUpper(name)] = target[name]
		delete(target, name)
	case 3:
		target[name+"\x00"] = target[name]
	default:
		if list, ok := target[name].([]any); ok && r.IntN(2) == 0 {
			target[name] = append(slices.Clone(list), hostileValue(r))
		} else {
			target[name] = hostileValue(r)
		}
	}
	q.body = encode(q.fields)
	q.note("field " + name)
}

func hostileValue(r *rand.Rand) verbatim {
	if r.IntN(3) == 0 {
		return verbatim(odd[r.IntN(len(odd))])
	}
	if r.IntN(8) == 0 {
		return verbatim(wide[r.IntN(len(wide))]())
	}
	return verbatim(values[r.IntN(len(values))])
}

// mutateBody corrupts the body as a whole, or the headers that describe it.
func (q *request) mutateBody(r *rand.Rand) {
	switch r.IntN(9) {
	case 0:
		q.body = q.body[:r.IntN(len(q.body)+1)]
		q.note("a body cut short")
	case 1:
		q.body = append(q.body, hostileValue(r)...)
		q.note("something behind the body")
	case 2:
		q.body = []byte(hostileValue(r))
		q.note("another body")
	case 3:
		q.body = append([]byte("\xef\xbb\xbf"), q.body...)
		q.note("a byte order mark")
	case 4:
		q.body = []byte{}
		q.note("an empty body")
	case 5:
		q.body = []byte(strings.Repeat(" ", kernel.MaxBody) + string(q.body))
		q.note("a body of spaces")
	case 6:
		b := slices.Clone(q.body)
		if len(b) > 0 {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		q.body = b
		q.note("a spoilt byte")
	default:
		kind := contentTypes[r.IntN(len(contentTypes))]
		q.headers = slices.DeleteFunc(q.headers, func(h [2]string) bool { return h[0] == "Content-Type" })
		if kind != "" {
			q.headers = append(q.headers, [2]string{"Content-Type", kind})
		}
		q.note("content type " + strconv.Quote(kind))
	}
}
