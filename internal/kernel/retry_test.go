package kernel

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRetries(t *testing.T) {
	t.Run("the default is the promised schedule", func(t *testing.T) {
		if got := DefaultRetries.String(); got != "30s,2m,10m,1h,6h" {
			t.Errorf("it is %s", got)
		}
		parsed, err := ParseRetries("30s,2m,10m,1h,6h")
		if err != nil || !slices.Equal(parsed, DefaultRetries) {
			t.Errorf("want err == nil and slices.Equal(parsed, DefaultRetries); got %+v, %+v", parsed, err)
		}
	})
	t.Run("each failure has its wait until there are none", func(t *testing.T) {
		var waits []time.Duration
		for attempts := 1; ; attempts++ {
			wait, more := DefaultRetries.Next(attempts)
			if !more {
				break
			}
			waits = append(waits, wait)
		}
		if !slices.Equal(waits, DefaultRetries) {
			t.Errorf("waits %v", waits)
		}
		for _, attempts := range []int{-1, 0, 6, 7, 1 << 40} {
			if _, more := DefaultRetries.Next(attempts); more {
				t.Errorf("a retry after %d attempts", attempts)
			}
		}
	})
	t.Run("spaces and compound units are read", func(t *testing.T) {
		got, err := ParseRetries(" 100ms, 1m30s ,168h")
		if err != nil || got.String() != "100ms,1m30s,168h" {
			t.Errorf(`want err == nil and got.String() == "100ms,1m30s,168h"; got %+v, %+v`, got, err)
		}
	})
	for _, s := range []string{"", ",", "30s,", "30", "0s", "-1s", "30s;2m", "169h", "x", strings.Repeat("1s,", 20) + "1s"} {
		if got, err := ParseRetries(s); err == nil {
			t.Errorf("%q was read as %v", s, got)
		}
	}
	t.Run("a flag that cannot be read keeps its value", func(t *testing.T) {
		r := Retries{time.Second}
		if r.UnmarshalText([]byte("x")) == nil || r.String() != "1s" {
			t.Errorf("it is %v", r)
		}
		if r.UnmarshalText([]byte("5s")) != nil || r.String() != "5s" {
			t.Errorf("it is %v", r)
		}
	})
}

func FuzzParseRetries(f *testing.F) {
	f.Add("30s,2m")
	f.Add("1h0m1s,")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRetries(s)
		if err != nil {
			return
		}
		if again, err := ParseRetries(r.String()); err != nil || !slices.Equal(again, r) {
			t.Errorf("%q gives %v, and that %v, %v", s, r, again, err)
		}
	})
}
