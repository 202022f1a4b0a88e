package kernel

import (
	"math"
	"testing"
)

func TestParsedLimitsOverrideTheDefaults(t *testing.T) {
	for text, want := range map[string]int64{"": 4, " searches=7": 7, "searches=0": 0} {
		l, err := ParseLimits(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := New(Options{Limits: l}).Limit(LimitSearches); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if got := New(Options{Limits: NoLimits}).Limit(LimitSearches); got != math.MaxInt64 {
		t.Errorf("without limits: got %d", got)
	}
	for _, bad := range []string{"searches", "searches=", "search=5", "searches=-1", "searches=1000001", "searches=5,", "searches=a"} {
		if _, err := ParseLimits(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestParseSizeAcceptsUnits(t *testing.T) {
	for text, want := range map[string]int64{"50GiB": 50 << 30, "1 MiB": 1 << 20, "500MB": 500_000_000, "123": 123, "0": 0, "7B": 7, "8PiB": 8 << 50} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "GiB", "5Gi", "-1MiB", "1.5GiB", "50 gb", "9000000PiB", "5iB"} {
		if got, err := ParseSize(bad); err == nil {
			t.Errorf("%q was accepted as %d", bad, got)
		}
	}
	for n, want := range map[int64]string{50 << 30: "50 GiB", 1000: "1000 B", 0: "0 B", 3 << 20: "3 MiB"} {
		if got := SizeText(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
