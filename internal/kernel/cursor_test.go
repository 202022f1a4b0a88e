package kernel

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCursor(t *testing.T) {
	key := CursorKey{1, 2, 3}
	company, other := NewID(), NewID()
	const filter = "attendances status=open"
	payload := IntID(1_700_000_000_123, other)
	sealed := key.Seal(company, filter, payload)

	t.Run("opens for the same company and filter", func(t *testing.T) {
		got, err := key.Open(company, filter, sealed)
		if err != nil || !bytes.Equal(got, payload) {
			t.Fatalf("want err == nil and bytes.Equal(got, payload); got %+v, %+v", got, err)
		}
		n, id, err := ReadIntID(got)
		if err != nil || n != 1_700_000_000_123 || id != other {
			t.Errorf("want err == nil and n == 1_700_000_000_123 and id == other; got %+v, %+v, %+v", n, id, err)
		}
	})

	t.Run("the empty payload is a payload", func(t *testing.T) {
		if got, err := key.Open(company, "", key.Seal(company, "", nil)); err != nil || len(got) != 0 {
			t.Errorf("want err == nil and number of got == 0; got %+v, %+v", got, err)
		}
	})

	t.Run("needs no escaping in a query", func(t *testing.T) {
		if strings.Trim(sealed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			t.Errorf(`want strings.Trim(sealed, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""; got %+v`, sealed)
		}
	})

	refused := func(name string, key CursorKey, company ID, filter, cursor string) {
		t.Run(name+" is refused", func(t *testing.T) {
			_, err := key.Open(company, filter, cursor)
			if err == nil || err.Code != CodeInvalidCursor || err.Message == "" {
				t.Errorf("error %v", err)
			}
		})
	}
	refused("another company's cursor", key, other, filter, sealed)
	refused("a cursor of another filter", key, company, filter+" ", sealed)
	refused("a cursor of another installation", CursorKey{9}, company, filter, sealed)
	refused("the empty cursor", key, company, filter, "")
	refused("a truncated cursor", key, company, filter, sealed[:len(sealed)-2])
	refused("a cursor with a line break", key, company, filter, sealed[:8]+"\n"+sealed[8:])
	refused("a padded cursor", key, company, filter, sealed+"=")
	refused("a cursor with spaces", key, company, filter, " "+sealed)
	refused("a huge cursor", key, company, filter, strings.Repeat("A", 1<<20))
	refused("a byte moved from payload to filter", key, company, filter+string(payload[:1]), key.Seal(company, filter, payload[1:]))

	t.Run("any changed character is refused", func(t *testing.T) {
		for i := range sealed {
			for _, c := range []byte("A9_") {
				changed := sealed[:i] + string(c) + sealed[i+1:]
				if changed == sealed {
					continue
				}
				if _, err := key.Open(company, filter, changed); err == nil {
					t.Fatalf("accepted with %q at %d", c, i)
				}
			}
		}
	})
}

func TestCursorPayloads(t *testing.T) {
	for _, n := range []int64{0, 1, -1, math.MaxInt64, math.MinInt64} {
		if got, err := ReadInt(Int(n)); err != nil || got != n {
			t.Errorf("%d became %d, %v", n, got, err)
		}
	}
	if _, err := ReadInt(IntID(1, NewID())); err == nil || err.Code != CodeInvalidCursor {
		t.Error("a payload of another shape was read")
	}
	if _, _, err := ReadIntID(Int(1)); err == nil || err.Code != CodeInvalidCursor {
		t.Error("a payload of another shape was read")
	}
}

func FuzzOpenCursor(f *testing.F) {
	key, company := CursorKey{7}, ID{1}
	f.Add("q=x", key.Seal(company, "q=x", Int(5)))
	f.Add("", "")
	f.Fuzz(func(t *testing.T, filter, cursor string) {
		payload, err := key.Open(company, filter, cursor)
		if err == nil && key.Seal(company, filter, payload) != cursor {
			t.Errorf("%q opens, but is not what Seal writes", cursor)
		}
	})
}

func BenchmarkCursor(b *testing.B) {
	key, company, id := CursorKey{7}, NewID(), NewID()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := key.Open(company, "attendances", key.Seal(company, "attendances", IntID(1, id))); err != nil {
			b.Fatal(err)
		}
	}
}
