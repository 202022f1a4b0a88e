package rank

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// between returns a rank between two others and checks its order.
func between(t testing.TB, a, b string) string {
	t.Helper()
	rank, err := Between(a, b)
	if err != nil {
		t.Fatalf("between %q and %q: %v", a, b, err)
	}
	if rank <= a || b != "" && rank >= b {
		t.Fatalf("%q is not between %q and %q", rank, a, b)
	}
	return rank
}

func TestRanksStayShort(t *testing.T) {
	tests := []struct {
		name    string
		inserts int
		longest int
		insert  func(a, last, b string) string
	}{
		{"at the end", 100_000, 4, func(_, last, _ string) string { return between(t, last, "") }},
		{"at the beginning", 100_000, 4, func(_, last, _ string) string { return between(t, "", last) }},
		{"right after one entry", 10_000, 6, func(a, last, _ string) string { return between(t, a, last) }},
		{"right before one entry", 10_000, 6, func(_, last, b string) string { return between(t, last, b) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := between(t, "", "")
			b := between(t, a, "")
			last, longest := between(t, a, b), 0
			for range tt.inserts {
				last = tt.insert(a, last, b)
				longest = max(longest, len(last))
			}
			if longest > tt.longest {
				t.Errorf("ranks of up to %d characters, want at most %d", longest, tt.longest)
			}
		})
	}

	t.Run("always between the last two", func(t *testing.T) {
		a := between(t, "", "")
		b := between(t, a, "")
		for i := range 10_000 {
			if i%2 == 0 {
				a = between(t, a, b)
			} else {
				b = between(t, a, b)
			}
		}
		if len(a) > 10_002 {
			t.Errorf("%d characters", len(a))
		}
	})

	t.Run("at random positions", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		ranks := []string{between(t, "", "")}
		longest := 0
		for range 10_000 {
			i := random.IntN(len(ranks) + 1)
			a, b := "", ""
			if i > 0 {
				a = ranks[i-1]
			}
			if i < len(ranks) {
				b = ranks[i]
			}
			ranks = slices.Insert(ranks, i, between(t, a, b))
			longest = max(longest, len(ranks[i]))
		}
		if !slices.IsSorted(ranks) {
			t.Error("the ranks are not in order")
		}
		if longest > 64 {
			t.Errorf("ranks of up to %d characters", longest)
		}
	})
}

func TestTextsSortLikeTheirNumbers(t *testing.T) {
	var numbers []int64
	for n := int64(-300_000); n <= 300_000; n++ {
		numbers = append(numbers, n)
	}
	for n := int64(300_003); n < maxNumber/3; n *= 3 {
		numbers = append(numbers, n-1, n, n+1, -n, -n-1, -n-2)
	}
	numbers = append(numbers, maxNumber, -maxNumber-1)
	slices.Sort(numbers)
	last := ""
	for _, n := range numbers {
		text := write([]int64{n})
		if text <= last {
			t.Fatalf("%d is written %q, after %q", n, text, last)
		}
		if path, err := read(text); err != nil || len(path) != 1 || path[0] != n {
			t.Fatalf("%d is written %q and read %v, %v", n, text, path, err)
		}
		last = text
	}
}

func TestBetweenRejects(t *testing.T) {
	a := between(t, "", "")
	b := between(t, a, "")
	for _, tt := range []struct{ name, a, b string }{
		{"equal ranks", a, a},
		{"ranks out of order", b, a},
		{"an invalid rank", "!", ""},
		{"an invalid rank at the end", "", "~"},
		{"a truncated rank", "z", ""},
		{"a number that is too large", "zzzzzzzzzzz", ""},
		{"no number after the largest", write([]int64{maxNumber}), ""},
		{"no number before the smallest", "", write([]int64{-maxNumber - 1})},
	} {
		if got, err := Between(tt.a, tt.b); err == nil {
			t.Errorf("%s: got %q, want an error", tt.name, got)
		}
	}
}

func FuzzBetween(f *testing.F) {
	f.Add("V", "W")
	f.Add("", "")
	f.Add("q00", "r000")
	f.Fuzz(func(t *testing.T, a, b string) {
		rank, err := Between(a, b)
		if err != nil {
			return
		}
		if rank <= a || b != "" && rank >= b {
			t.Fatalf("%q is not between %q and %q", rank, a, b)
		}
		if path, err := read(rank); err != nil || write(path) != rank {
			t.Errorf("%q is read as %v, %v", rank, path, err)
		}
	})
}
