package password

import (
	"bytes"
	"testing"

	"golang.org/x/crypto/argon2"
)

func TestAHashInStepsIsThatOfTheLibrary(t *testing.T) {
	for _, c := range []struct {
		password, salt         string
		passes, memory, length uint32
		threads                uint8
	}{
		{"correct horse battery", "0123456789abcdef", 2, 19456, 32, 1},
		{"correct horse battery", "0123456789abcdef", 1, 64, 32, 1}, // in memory that has served already
		{"", "0123456789abcdef", 3, 1, 16, 1},
		{"correct horse battery", "fedcba9876543210", 4, 2048, 64, 4},
		{"ação", "12345678", 1, 4099, 32, 3},
	} {
		pauses := 0
		got := idKey([]byte(c.password), []byte(c.salt), c.passes, c.memory, c.threads, c.length, func() { pauses++ })
		want := argon2.IDKey([]byte(c.password), []byte(c.salt), c.passes, c.memory, c.threads, c.length)
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: got %x, want %x", c, got, want)
		}
		if most := int(c.passes*c.memory) / stepBlocks; pauses > most || pauses < most-1 {
			t.Errorf("%+v: got %d pauses, want about %d", c, pauses, most)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		idKey([]byte("correct horse battery"), []byte("0123456789abcdef"), DefaultCost.Passes, DefaultCost.Memory, 1, 32, func() {})
	}
}
