package model

import (
	"math"
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	loc := zone(t, "America/Sao_Paulo")
	tests := []struct{ in, want string }{
		{"2026-11-14T23:56:54Z", "2026-11-14T23:56:54Z"},
		{"2026-11-14T23:56:54.123Z", "2026-11-14T23:56:54.123Z"},
		{"2026-11-14T23:56:54.1Z", "2026-11-14T23:56:54.1Z"},
		{"2026-11-14T23:56:54.123456789Z", "2026-11-14T23:56:54.123456789Z"},
		{"2026-11-14T23:56:54-03:00", "2026-11-15T02:56:54Z"},
		{"2026-11-14T23:56:54.5+05:30", "2026-11-14T18:26:54.5Z"},
		{"2026-11-14T00:00:00+23:59", "2026-11-13T00:01:00Z"},
		{"2026-11-14T00:00:00-23:59", "2026-11-14T23:59:00Z"},
		{"2026-11-14T00:00:00-00:00", "2026-11-14T00:00:00Z"},
		{"2026-11-14", "2026-11-14T03:00:00Z"},
		{"2018-11-04", "2018-11-04T03:00:00Z"}, // 01:00, for midnight was skipped
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
		{"", ""},
		{"2026-02-30", ""},
		{"2026-02-30T00:00:00Z", ""},
		{"2026-11-14T23:56:54", ""},
		{"2026-11-14T23:56Z", ""},
		{"2026-11-14T23:56:60Z", ""},
		{"2016-12-31T23:59:60Z", ""},
		{"2026-11-14T24:00:00Z", ""},
		{"2026-11-14T23:60:00Z", ""},
		{"2026-11-14T00:00:00+24:00", ""},
		{"2026-11-14T00:00:00+03:60", ""},
		{"2026-11-14T00:00:00+0300", ""},
		{"2026-11-14T00:00:00+03", ""},
		{"2026-11-14T00:00:00 03:00", ""}, // a "+" that the query's encoding ate
		{"2026-11-14t23:56:54Z", ""},
		{"2026-11-14T23:56:54z", ""},
		{"2026-11-14 23:56:54Z", ""},
		{"2026-11-14T23:56:54.Z", ""},
		{"2026-11-14T23:56:54,5Z", ""},
		{"2026-11-14T23:56:54.1234567890Z", ""},
		{"2026-11-14T3:56:54Z", ""},
		{"2026-11-14T23:56:54ZZ", ""},
		{"2026-11-14T23:56:54Z ", ""},
		{" 2026-11-14", ""},
		{"1793750000", ""},
		{"now", ""},
		{"2026-11-14T+1:00:00Z", ""},
		{"0000-01-01T00:00:00Z", ""},
	}
	for _, tt := range tests {
		got, err := ParseMoment(tt.in, loc)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q was read as %v", tt.in, got)
			}
			continue
		}
		if err != nil || got.Format(time.RFC3339Nano) != tt.want || got.Location() != time.UTC {
			t.Errorf("%q gives %v, %v; want %s", tt.in, got, err, tt.want)
		}
	}
}

func TestFormatTime(t *testing.T) {
	sp := zone(t, "America/Sao_Paulo")
	for want, in := range map[string]time.Time{
		"2026-11-14T23:56:54.123Z": time.Date(2026, 11, 14, 20, 56, 54, 123_999_999, sp),
		"1970-01-01T00:00:00.000Z": time.Unix(0, 0),
		"1969-12-31T23:59:59.999Z": time.UnixMilli(-1),
		"9999-12-31T23:59:59.999Z": time.UnixMilli(lastMilli),
		"2000-02-29T01:02:03.004Z": time.Date(2000, 2, 29, 1, 2, 3, 4e6, time.UTC),
		"0001-01-01T00:00:00.000Z": {},
	} {
		if got := FormatTime(in); got != want {
			t.Errorf("%v is written %s, want %s", in, got, want)
		}
	}
	if got := string(AppendTime([]byte("at "), time.Unix(0, 0))); got != "at 1970-01-01T00:00:00.000Z" {
		t.Errorf("appended: %s", got)
	}
	t.Run("every day of four centuries is written as the standard library writes it", func(t *testing.T) {
		for ms := int64(0); ms < 430*366*dayMillis; ms += dayMillis {
			at := ms + ms/dayMillis*7919%dayMillis
			if got, want := string(AppendMillis(nil, at)), time.UnixMilli(at).UTC().Format(timeForm); got != want {
				t.Fatalf("%d is written %s, want %s", at, got, want)
			}
		}
	})
	t.Run("nonsense does not panic", func(t *testing.T) {
		for _, ms := range []int64{math.MinInt64, math.MaxInt64, lastMilli + 1} {
			if len(AppendMillis(nil, ms)) == 0 {
				t.Error("nothing was written")
			}
		}
	})
}

func FuzzParseMoment(f *testing.F) {
	for _, s := range []string{"2026-11-14T23:56:54.123Z", "2026-11-14", "2026-11-14T00:00:00+24:00", "2026-11-14T00:00:00-03:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseMoment(s, time.UTC)
		if err != nil || len(s) == len(time.DateOnly) {
			return
		}
		want, err := time.Parse(time.RFC3339Nano, s)
		if err != nil || !got.Equal(want) {
			t.Errorf("%q gives %v, the standard library %v, %v", s, got, want, err)
		}
	})
}

func BenchmarkAppendTime(b *testing.B) {
	now := time.Date(2026, 11, 14, 20, 56, 54, 123_999_999, time.UTC)
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendTime(buf[:0], now)
	}
}
