// Package vault encrypts secrets in the database with keys that are stored outside of it. Each secret is bound to its company
// and row. The package stores only its key file.
package vault

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"recado/internal/kernel/base"
)

var (
	// ErrKeyMissing is returned for a value that was sealed with an unknown key.
	ErrKeyMissing = errors.New("vault: sealed with a key that is not among the secret keys")

	// ErrNotAuthentic is returned for a value that was changed, truncated, or sealed for another company or row.
	ErrNotAuthentic = errors.New("vault: the sealed value was altered or belongs elsewhere")

	// ErrNoFile is returned for a rotation of keys that came from the environment.
	ErrNoFile = errors.New("vault: the secret keys come from the environment; add a new one there before the others")
)

// A sealed value consists of the format number, the key number, the nonce, and the ciphertext with its tag.
const (
	sealFormat  = 1
	prefixBytes = 2
)

// Vault seals with its newest key and opens with all of them. It is safe for concurrent use.
type Vault struct {
	path string // of the key file; empty if the keys came from the environment
	ring atomic.Pointer[[]key]
}

// Seal encrypts plain. Open needs the same ids in the same order. Seal reads the key file first, so that after a rotation by
// another process nothing is sealed with an old key.
func (v *Vault) Seal(plain []byte, bind ...base.ID) []byte {
	if v.path != "" {
		if ring, err := readKeyFile(v.path); err == nil {
			v.ring.Store(&ring)
		}
	}
	newest := (*v.ring.Load())[0]
	prefix := [prefixBytes]byte{sealFormat, newest.number}
	return newest.aead.Seal(prefix[:], nil, plain, bound(prefix, bind))
}

// Open decrypts the result of Seal. If the key is unknown, it reads the key file again, because another process may have
// rotated the keys.
func (v *Vault) Open(sealed []byte, bind ...base.ID) ([]byte, error) {
	if len(sealed) < prefixBytes || sealed[0] != sealFormat {
		return nil, ErrNotAuthentic
	}
	plain, err := openWith(*v.ring.Load(), sealed, bind)
	if !errors.Is(err, ErrKeyMissing) || v.path == "" {
		return plain, err
	}
	ring, err := readKeyFile(v.path)
	if err != nil {
		return nil, fmt.Errorf("%w (reading them again: %w)", ErrKeyMissing, err)
	}
	v.ring.Store(&ring)
	return openWith(ring, sealed, bind)
}

// Stale reports whether a value should be sealed again because a newer key exists. Once nothing is stale, Retire may remove
// the older keys; but see Derive. If an older key from the environment has the same number as the newest, every value is
// stale.
func (v *Vault) Stale(sealed []byte) bool {
	ring := *v.ring.Load()
	newest := ring[0].number
	return len(sealed) < prefixBytes || sealed[0] != sealFormat || sealed[1] != newest ||
		slices.ContainsFunc(ring[1:], func(k key) bool { return k.number == newest })
}

// Derive returns a key for another purpose, such as signing cursors or media links. It is derived from the oldest key, so
// that a rotation does not invalidate signatures. Retiring the oldest key does, and clients then have to request
// lists and links again.
func (v *Vault) Derive(purpose string) [32]byte {
	ring := *v.ring.Load()
	return expand(ring[len(ring)-1].secret, "recado derived: "+purpose)
}

// Format prevents the keys from being logged by mistake.
func (v *Vault) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "vault") }

// openWith tries each key with the number of the sealed value: numbers are one byte, so keys may share one.
func openWith(ring []key, sealed []byte, bind []base.ID) ([]byte, error) {
	prefix := [prefixBytes]byte(sealed)
	found := ErrKeyMissing
	for _, k := range ring {
		if k.number != prefix[1] {
			continue
		}
		plain, err := k.aead.Open(nil, nil, sealed[prefixBytes:], bound(prefix, bind))
		if err == nil {
			return plain, nil
		}
		found = ErrNotAuthentic
	}
	return nil, found
}

// bound returns the additional authenticated data.
func bound(prefix [prefixBytes]byte, bind []base.ID) []byte {
	data := prefix[:]
	for _, id := range bind {
		data = append(data, id[:]...)
	}
	return data
}
