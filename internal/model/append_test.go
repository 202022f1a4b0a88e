package model

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"recado/internal/jsonenc"
)

// sameAsReflection fails when a noun's AppendJSON differs from what its tags say.
func sameAsReflection(t *rapid.T, noun JSONAppender) {
	t.Helper()
	want, err := json.Marshal(withoutMethods(reflect.ValueOf(noun)).Interface(), jsonOptions)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(noun.AppendJSON(nil)); got != string(want) {
		t.Fatalf("\n got %s\nwant %s", got, want)
	}
}

// withoutMethods gives a pointer to a struct as one whose types have no AppendJSON.
func withoutMethods(v reflect.Value) reflect.Value {
	bare := reflect.New(bareType(v.Type().Elem()))
	for i := range bare.Elem().NumField() {
		from, to := v.Elem().Field(i), bare.Elem().Field(i)
		switch {
		case from.Type() == to.Type():
			to.Set(from)
		case !from.IsNil():
			to.Set(withoutMethods(from))
		}
	}
	return bare
}

func bareType(t reflect.Type) reflect.Type {
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		f := t.Field(i)
		if f.Type.Kind() == reflect.Pointer && f.Type.Implements(reflect.TypeFor[JSONAppender]()) {
			f.Type = reflect.PointerTo(bareType(f.Type.Elem()))
		}
		fields[i] = reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag}
	}
	return reflect.StructOf(fields)
}

func TestAConversationWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Custom(anyConversation).Draw(t, "conversation")
		sameAsReflection(t, &c)
	})
}

func TestAContactWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameAsReflection(t, &Contact{
			ID: anyID(t), Name: rapid.String().Draw(t, "name"), Phone: maybe(t, rapid.String()), BusinessName: maybe(t, rapid.String()),
			City: maybe(t, rapid.String()), Channel: maybe(t, ids), LabelIDs: rapid.SliceOfN(ids, 0, 3).Draw(t, "labels"),
			Blocked: rapid.Bool().Draw(t, "blocked"), CreatedAt: moments.Draw(t, "created"), UpdatedAt: moments.Draw(t, "updated"),
		})
	})
}

func TestAnIdentityWritesItselfAsReflectionWould(t *testing.T) {
	texts := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		i := Identity{
			User:       IdentityUser{ID: anyID(t), Name: texts.Draw(t, "name"), Email: texts.Draw(t, "email"), Role: RoleManager},
			Company:    Company{ID: anyID(t), Name: texts.Draw(t, "company"), Timezone: texts.Draw(t, "zone")},
			APIVersion: texts.Draw(t, "version"),
		}
		if rapid.Bool().Draw(t, "is a key") {
			i.Integration = &Integration{
				ID: anyID(t), Name: texts.Draw(t, "key"), Scopes: rapid.SliceOfN(rapid.SampledFrom(AllScopes), 0, 4).Draw(t, "scopes"),
				CreatedAt: moments.Draw(t, "created"), ExpiresAt: maybe(t, moments),
			}
			if rapid.Bool().Draw(t, "has boards") {
				i.Integration.Boards = Boards(rapid.SliceOfN(ids, 0, 3).Draw(t, "boards"))
			}
		}
		sameAsReflection(t, &i)
	})
}

func anyConversation(t *rapid.T) Conversation {
	c := Conversation{
		ID: anyID(t), Kind: rapid.SampledFrom([]string{KindDirect, KindGroup}).Draw(t, "kind"), Name: rapid.String().Draw(t, "name"),
		Phone: maybe(t, rapid.String()), Contact: maybe(t, ids), Channel: anyID(t), Assignee: maybe(t, ids), Sector: maybe(t, ids),
		Archived: rapid.Bool().Draw(t, "archived"), Pinned: rapid.Bool().Draw(t, "pinned"), Muted: rapid.Bool().Draw(t, "muted"),
		LabelIDs: rapid.SliceOfN(ids, 0, 3).Draw(t, "labels"), Unread: rapid.Bool().Draw(t, "unread"), UnreadCount: rapid.Int64().Draw(t, "count"),
		CreatedAt: moments.Draw(t, "created"), UpdatedAt: moments.Draw(t, "updated"),
	}
	if rapid.Bool().Draw(t, "has a message") {
		c.LastMessage = &LastMessage{
			ID: anyID(t), Type: TypeText, Text: maybe(t, rapid.String()), Direction: Inbound, CreatedAt: moments.Draw(t, "at"),
			Status: StatusReceived, FileName: maybe(t, rapid.String()),
			DurationSeconds: maybe(t, rapid.Map(rapid.Int64Range(0, 100_000_000), func(ms int64) float64 { return float64(ms) / 1000 })),
		}
	}
	return c
}

var (
	ids     = rapid.Custom(anyID)
	moments = rapid.Custom(func(t *rapid.T) time.Time {
		at := time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "ms")).Add(time.Duration(rapid.Int64Range(0, 999_999).Draw(t, "ns")))
		return at.In(time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600))
	})
)

func anyID(t *rapid.T) ID { return ID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")) }

func maybe[T any](t *rapid.T, of *rapid.Generator[T]) *T { return rapid.Ptr(of, true).Draw(t, "maybe") }

func TestAppendedStringsAreEscapedAsReflectionWould(t *testing.T) {
	var every strings.Builder
	for r := range rune(0x3000) {
		every.WriteRune(r)
	}
	every.WriteString("<script>&amp;\U0001f600\ufffd\ufeff")
	for _, s := range []string{"", `"`, "\\", "é", every.String()} {
		want, err := json.Marshal(s, jsonOptions)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsonenc.AppendString(nil, s)); got != string(want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
	if got := string(jsonenc.AppendString(nil, "a\xffb\xc3")); got != "\"a\ufffdb\ufffd\"" {
		t.Errorf("bytes that are not UTF-8: %q", got)
	}
}

func BenchmarkConversationJSON(b *testing.B) {
	text := "Bom dia! O pão de queijo de hoje já saiu?"
	now := time.Now()
	id := NewID()
	c := Conversation{
		ID: id, Kind: KindDirect, Name: "João da Silva", Phone: &text, Contact: &id, Channel: id, LabelIDs: []ID{id},
		LastMessage: &LastMessage{ID: id, Type: TypeText, Text: &text, Direction: Inbound, CreatedAt: now}, CreatedAt: now, UpdatedAt: now,
	}
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = c.AppendJSON(out[:0])
	}
}
