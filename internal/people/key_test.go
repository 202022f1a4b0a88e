package people

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestAPIKey(t *testing.T) {
	t.Run("a new key has the documented format and the stored hash", func(t *testing.T) {
		key, hash := NewAPIKey()
		if len(key) != 46 || !strings.HasPrefix(key, "rcd_") {
			t.Fatalf("key of %d characters: %q", len(key), key[:4])
		}
		if hash != sha256.Sum256([]byte(key)) {
			t.Error("the hash is not the SHA-256 of the whole key")
		}
		parsed, ok := ParseAPIKey(key)
		if !ok || parsed != hash {
			t.Error("a fresh key does not parse to its own hash")
		}
	})

	t.Run("the checksum is the CRC32 of the first forty characters", func(t *testing.T) {
		// 1920488881, computed with another implementation.
		const signed, sum = "rcd_000000000000000000000000000000000000", "25yAt7"
		if got := string(appendKeyChecksum([]byte(signed))); got != signed+sum {
			t.Errorf("got %q", got)
		}
		if _, ok := ParseAPIKey(signed + sum); !ok {
			t.Error("a key with the right checksum was refused")
		}
	})

	t.Run("any single wrong character is detected", func(t *testing.T) {
		key, _ := NewAPIKey()
		for i := range key {
			for _, c := range []byte("0aZ_ \x00") {
				if key[i] == c {
					continue
				}
				if _, ok := ParseAPIKey(key[:i] + string(c) + key[i+1:]); ok {
					t.Fatalf("accepted with %q at %d", c, i)
				}
			}
		}
	})

	t.Run("two swapped neighbours are detected", func(t *testing.T) {
		key, _ := NewAPIKey()
		for i := 4; i+1 < len(key); i++ {
			if key[i] == key[i+1] {
				continue
			}
			if _, ok := ParseAPIKey(key[:i] + string(key[i+1]) + string(key[i]) + key[i+2:]); ok {
				t.Fatalf("accepted with %d and %d swapped", i, i+1)
			}
		}
	})

	t.Run("anything else is refused", func(t *testing.T) {
		key, _ := NewAPIKey()
		for _, s := range []string{"", "rcd_", key[:45], key + "0", " " + key, key + "\n", "RCD_" + key[4:], "rcd-" + key[4:]} {
			if _, ok := ParseAPIKey(s); ok {
				t.Errorf("accepted %q", s)
			}
		}
	})

	t.Run("every character of the alphabet is drawn about equally often", func(t *testing.T) {
		count := map[byte]int{}
		const draws = 62 * 2000
		for _, c := range appendRandomBase62(nil, draws) {
			count[c]++
		}
		if len(count) != 62 {
			t.Fatalf("%d different characters", len(count))
		}
		for c, n := range count {
			if n < 1700 || n > 2300 { // 6.7 standard deviations
				t.Errorf("%q was drawn %d times of an expected 2000", c, n)
			}
		}
	})
}

func FuzzParseAPIKey(f *testing.F) {
	key, _ := NewAPIKey()
	f.Add(key)
	f.Add("rcd_")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		hash, ok := ParseAPIKey(s)
		if ok && (len(s) != 46 || hash != sha256.Sum256([]byte(s))) {
			t.Errorf("accepted %q", s)
		}
	})
}

func BenchmarkParseAPIKey(b *testing.B) {
	key, _ := NewAPIKey()
	b.ReportAllocs()
	for b.Loop() {
		ParseAPIKey(key)
	}
}
