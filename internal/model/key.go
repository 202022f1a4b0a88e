package model

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

// KeyPrefix begins every API key, so that a person and a secret scanner recognise one.
const KeyPrefix = "rcd_"

const (
	keyRandom   = 36 // base62 characters drawn at random: 214 bits
	keyChecksum = 6  // base62 characters that hold a CRC32
	keyLength   = len(KeyPrefix) + keyRandom + keyChecksum

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewAPIKey draws a key. The key is shown once; what is stored is its hash.
func NewAPIKey() (key string, hash [32]byte) {
	b := make([]byte, 0, keyLength)
	b = append(b, KeyPrefix...)
	b = appendRandomBase62(b, keyRandom)
	b = appendKeyChecksum(b)
	return string(b), sha256.Sum256(b)
}

// ParseAPIKey gives the hash by which a key is looked up. It is false for what cannot be a key: a typo
// or a truncated paste is refused here, without a look-up.
func ParseAPIKey(s string) (hash [32]byte, ok bool) {
	if len(s) != keyLength || !strings.HasPrefix(s, KeyPrefix) {
		return hash, false
	}
	for i := len(KeyPrefix); i < len(s); i++ {
		if !isAlphanumeric(s[i]) {
			return hash, false
		}
	}
	signed := s[:keyLength-keyChecksum]
	whole := appendKeyChecksum([]byte(signed))
	if string(whole) != s {
		return hash, false
	}
	return sha256.Sum256(whole), true
}

// appendKeyChecksum appends the CRC32 of b, prefix included, as six base62 digits: 62^6 exceeds 2^32.
func appendKeyChecksum(b []byte) []byte {
	sum := crc32.ChecksumIEEE(b)
	var digits [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return append(b, digits[:]...)
}

// appendRandomBase62 appends n characters, each equally likely: bytes from 248 on would favour the first
// eight characters and are thrown away.
func appendRandomBase62(b []byte, n int) []byte {
	var pool [64]byte
	for n > 0 {
		_, _ = rand.Read(pool[:]) // never fails: crypto/rand aborts the process instead
		for _, r := range pool {
			if n > 0 && r < 62*4 {
				b = append(b, base62[r%62])
				n--
			}
		}
	}
	return b
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
