package talk

import (
	"math"
	"strings"
	"testing"
)

func TestProtocolNumbersAreFormattedAndParsed(t *testing.T) {
	for n, want := range map[int64]string{
		1: "ATD-000001", 123: "ATD-000123", 999_999: "ATD-999999", 1_000_000: "ATD-1000000", math.MaxInt64: "ATD-9223372036854775807",
	} {
		if got := FormatProtocol(n); got != want {
			t.Errorf("%d got %s, want %s", n, got, want)
		}
		if got, ok := ParseProtocol(want); !ok || got != n {
			t.Errorf("%s: got %d, %v, want %d", want, got, ok, n)
		}
	}
	for s, want := range map[string]int64{
		"ATD-000123": 123, "atd-000123": 123, "Atd-123": 123, "000123": 123, "123": 123, "0000000000000000000000123": 123, "ATD-1234567": 1234567,
		"": 0, "ATD-": 0, "ATD": 0, "ATD-0": 0, "0": 0, "000000": 0, "ATD000123": 0, "ATD--1": 0, "ATD-ATD-1": 0, "-1": 0, "+1": 0, "1.0": 0,
		" 123": 0, "123 ": 0, "ATD- 123": 0, "XYZ-123": 0, "ATD-12a": 0, "１２３": 0, "ATD-9223372036854775808": 0, "123\x00": 0,
		strings.Repeat("0", 100) + "1": 0,
	} {
		if got, ok := ParseProtocol(s); got != want || ok != (want > 0) {
			t.Errorf("%q: got %d, %v, want %d", s, got, ok, want)
		}
	}
}

func FuzzParseProtocol(f *testing.F) {
	for _, s := range []string{"ATD-000123", "123", "atd-0", "ATD-9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := ParseProtocol(s)
		if !ok {
			return
		}
		if again, ok := ParseProtocol(FormatProtocol(n)); !ok || again != n {
			t.Errorf("%q is parsed as %d, which is formatted as %s", s, n, FormatProtocol(n))
		}
	})
}
