package quantile

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// durations are distributed like response times of a help desk: most within minutes, some after days.
func durations(seed uint64, n int) []int64 {
	random := rand.New(rand.NewPCG(seed, 7))
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(math.Exp(random.NormFloat64()*2.5 + 6))
	}
	return list
}

func sketchOf(seconds ...int64) *Sketch {
	s := new(Sketch)
	for _, d := range seconds {
		s.Add(d, 1)
	}
	return s
}

// closeEnough checks the error bound of the sketch.
func closeEnough(got, want int64) bool {
	return got == want || want > 100 && math.Abs(float64(got-want)) <= float64(want)/101
}

func TestSketchBuckets(t *testing.T) {
	last := -1
	for d := int64(0); d < 1<<20; d++ {
		bucket := sketchBucket(d)
		if bucket != last && bucket != last+1 {
			t.Fatalf("%d: the bucket changes from %d to %d", d, last, bucket)
		}
		if low, width := sketchRange(bucket); d < low || d >= low+width {
			t.Fatalf("%d is not in its bucket %d, which has %d durations from %d", d, bucket, width, low)
		}
		last = bucket
	}
	if got := sketchBucket(sketchSeconds); got >= sketchBuckets {
		t.Errorf("the longest duration is in bucket %d of %d", got, sketchBuckets)
	}
	for _, start := range sketchStarts {
		for _, d := range []int64{max(0, start-1), start, start + 1} {
			if d > sketchSeconds {
				continue
			}
			if got := sketchMiddle(sketchBucket(d)); !closeEnough(got, d) {
				t.Errorf("%d is stored as %d", d, got)
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name    string
		seconds []int64
		q       float64
		want    int64
	}{
		{"one entry", []int64{42}, 0.5, 42},
		{"the lower of two in the middle", []int64{10, 20}, 0.5, 10},
		{"the one in the middle", []int64{30, 10, 20}, 0.5, 20},
		{"the ninth of ten", []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9, 9},
		{"the tenth of eleven", []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0.9, 10},
		{"the shortest", []int64{5, 1, 9}, 0, 1},
		{"the longest", []int64{5, 1, 9}, 1, 9},
		{"below zero is the shortest", []int64{5, 1, 9}, -1, 1},
		{"above one is the longest", []int64{5, 1, 9}, math.Inf(1), 9},
		{"NaN is the shortest", []int64{5, 1, 9}, math.NaN(), 1},
		{"negative durations count as zero", []int64{-5}, 0.5, 0},
		{"exact to 100", []int64{100, 100}, 0.5, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := sketchOf(tt.seconds...).Quantile(tt.q); !ok || got != tt.want {
				t.Errorf("%d, %v; want %d", got, ok, tt.want)
			}
		})
	}
	t.Run("an empty sketch has none", func(t *testing.T) {
		if _, ok := new(Sketch).Quantile(0.5); ok {
			t.Error("got a quantile, want none")
		}
	})
	t.Run("rounding errors of decimal fractions are corrected", func(t *testing.T) {
		if got := nearestRank(0.55, 100); got != 55 {
			t.Errorf("0.55 of 100 is place %d", got)
		}
	})
	t.Run("is accurate for many durations", func(t *testing.T) {
		list := durations(1, 20_000)
		s := sketchOf(list...)
		slices.Sort(list)
		var sum int64
		for _, d := range list {
			sum += d
		}
		for i := range 1001 {
			q := float64(i) / 1000
			got, _ := s.Quantile(q)
			want := list[nearestRank(q, int64(len(list)))-1]
			if !closeEnough(got, want) {
				t.Errorf("quantile %v: got %d, want %d", q, got, want)
			}
		}
		if s.sum != sum || s.count != 20_000 {
			t.Errorf("%d of %d seconds", s.count, s.sum)
		}
	})
}

func TestSketchAdd(t *testing.T) {
	t.Run("added durations can be removed", func(t *testing.T) {
		s := sketchOf(5, 5_000, 5_001, 1_000_000)
		want := sketchOf(5, 1_000_000).Encode()
		if !s.Add(5_000, -1) || !s.Add(5_001, -1) || !bytes.Equal(s.Encode(), want) {
			t.Errorf("left: %d durations of %d seconds", s.count, s.sum)
		}
		if !s.Add(5, -1) || !s.Add(1_000_000, -1) || len(s.Encode()) != 0 {
			t.Errorf("left: %d durations of %d seconds", s.count, s.sum)
		}
	})
	t.Run("other durations cannot be removed", func(t *testing.T) {
		s := sketchOf(5, 100)
		before := s.Encode()
		for _, d := range []int64{6, 100_000_000} {
			if s.Add(d, -1) {
				t.Errorf("%d was removed", d)
			}
		}
		if s.Add(5, -2) || s.Add(5, math.MinInt64) || s.Add(101, -1) || !bytes.Equal(s.Encode(), before) {
			t.Error("more was removed than was added")
		}
	})
	t.Run("a different duration of the same bucket cannot be removed", func(t *testing.T) {
		s := sketchOf(5_000)
		if s.Add(5_001, -1) || s.Add(4_999, -1) || s.sum != 5_000 || s.count != 1 {
			t.Errorf("left: %d durations of %d seconds", s.count, s.sum)
		}
	})
	t.Run("more than the maximum is rejected", func(t *testing.T) {
		s := new(Sketch)
		if !s.Add(math.MaxInt64, 1<<30) || s.Add(0, 1) || s.Add(0, math.MaxInt64) || s.sum != (1<<32-1)<<30 {
			t.Errorf("got %d durations of %d seconds", s.count, s.sum)
		}
		if again, err := Decode(s.Encode()); err != nil || again.sum != s.sum {
			t.Error(err)
		}
	})
}

func TestSketchMerge(t *testing.T) {
	list := durations(3, 3_000)
	whole, parts, encoded := sketchOf(list...), new(Sketch), new(Sketch)
	for i := len(list); i > 0; i -= 100 {
		part := sketchOf(list[i-100 : i]...)
		parts.Merge(part)
		if err := MergeEncoded(part.Encode(), encoded); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(parts.Encode(), whole.Encode()) || !bytes.Equal(encoded.Encode(), whole.Encode()) {
		t.Error("the merged parts differ from the whole")
	}
	again, err := Decode(whole.Encode())
	if err != nil || !bytes.Equal(again.Encode(), whole.Encode()) {
		t.Errorf("the whole does not survive a round trip: %v", err)
	}
}

func TestDecodeRejects(t *testing.T) {
	for name, b := range map[string][]byte{
		"an incomplete number":         {0x80},
		"a sum alone":                  {5},
		"no buckets":                   {5, 1},
		"an incomplete bucket":         {5, 1, 5},
		"a count of zero":              {5, 0, 5, 1},
		"a bucket of zero":             {5, 1, 5, 0},
		"a bucket too high":            {5, 1, 0xff, 0xff, 0x7f, 1},
		"a count too low":              {5, 1, 5, 2},
		"a count too high":             {5, 3, 5, 2},
		"an impossible sum":            {200, 200, 1, 1, 5, 1},
		"extra bytes after the bucket": {5, 1, 5, 1, 9},
	} {
		if s, err := Decode(b); err == nil {
			t.Errorf("%s: got %d of %d seconds, want an error", name, s.count, s.sum)
		}
		s := sketchOf(7)
		if err := MergeEncoded(b, s); err != nil && (s.count != 1 || s.sum != 7) {
			t.Errorf("%s: after a failed merge: %d durations of %d seconds", name, s.count, s.sum)
		}
	}
}

// sketches returns sketches of various shapes.
func sketches() map[string]*Sketch {
	deep := sketchOf()
	for d := range int64(300) {
		deep.Add(d, d*d*d)
	}
	return map[string]*Sketch{
		"few":          sketchOf(5, 1e9),
		"many":         sketchOf(durations(5, 3_000)...),
		"more in each": sketchOf(durations(5, 30_000)...),
		"very deep":    deep,
		"one bucket":   sketchOf(slices.Repeat([]int64{3}, 32)...),
		"the longest":  sketchOf(sketchSeconds, sketchSeconds-1),
	}
}

func TestEncodedSketchesAreReadAndMerged(t *testing.T) {
	for name, sketch := range sketches() {
		b := sketch.Encode()
		again, err := Decode(b)
		if err != nil || !bytes.Equal(again.Encode(), b) || again.sum != sketch.sum || again.count != sketch.count {
			t.Errorf("%s: the sketch changes when encoded and decoded: %v", name, err)
		}
		long, sum := new(Sketch), new(Sketch)
		for range 600 {
			sum.Merge(sketch)
			if err := MergeEncoded(b, long); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(long.Encode(), sum.Encode()) {
			t.Errorf("%s: 600 of them make %d of %d seconds", name, long.count, long.sum)
		}
		two := [2]Sketch{}
		if err := MergeEncoded(b, &two[0], &two[1]); err != nil || !bytes.Equal(two[0].Encode(), b) || !bytes.Equal(two[1].Encode(), b) {
			t.Errorf("%s: merged into two it differs: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(sketchOf(1, 2, 300, 1e9).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil || !bytes.Equal(again.Encode(), s.Encode()) {
			t.Fatalf("%x does not survive a round trip: %v", b, err)
		}
		shortest, ok := s.Quantile(0)
		longest, _ := s.Quantile(1)
		if average := float64(s.sum) / float64(s.count); ok && (shortest > longest || average < float64(shortest)*127/129 || average > float64(longest)*129/127) {
			t.Errorf("%x: from %d to %d, on average %v", b, shortest, longest, average)
		}
	})
}

func BenchmarkMerge300Sketches(b *testing.B) {
	for _, each := range []int{10, 100, 3_000} {
		b.Run(strconv.Itoa(each), func(b *testing.B) {
			encoded := make([][]byte, 300)
			for i := range encoded {
				encoded[i] = sketchOf(durations(uint64(i), each)...).Encode()
			}
			b.ReportAllocs()
			for b.Loop() {
				var s Sketch
				for _, e := range encoded {
					if err := MergeEncoded(e, &s); err != nil {
						b.Fatal(err)
					}
				}
				s.Quantile(0.5)
				s.Quantile(0.9)
			}
			b.ReportMetric(float64(len(slices.Concat(encoded...))/300), "bytes/sketch")
		})
	}
}

func BenchmarkAddOne(b *testing.B) {
	encoded := sketchOf(durations(1, 100)...).Encode()
	b.ReportAllocs()
	for b.Loop() {
		s, err := Decode(encoded)
		if err != nil {
			b.Fatal(err)
		}
		s.Add(300, 1)
		s.Encode()
	}
}
