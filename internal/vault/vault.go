// Package vault keeps secrets unreadable in the database: it seals them with keys that are
// stored outside of it, each bound to its company and row. It stores nothing but its own key file.
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
	// ErrKeyMissing is for what was sealed with a key that this vault does not hold.
	ErrKeyMissing = errors.New("vault: sealed with a key that is not among the secret keys")

	// ErrNotAuthentic is for what was changed, cut, or sealed for another company or row.
	ErrNotAuthentic = errors.New("vault: the sealed value was altered or belongs elsewhere")

	// ErrNoFile is for a rotation of keys that came from the environment: they are replaced there.
	ErrNoFile = errors.New("vault: the secret keys come from the environment; put a new one before the others there")
)

// A sealed value is the format's number, the key's number, the nonce, and the ciphertext with its tag.
const (
	sealFormat  = 1
	prefixBytes = 2
)

// Vault seals with its newest key and opens with all of them. It is safe for concurrent use.
type Vault struct {
	path string // of the key file; empty when the keys came from the environment
	ring atomic.Pointer[[]key]
}

// Seal encrypts plain so that it opens only with the same ids, in the same order. It looks into the key
// file first: after a rotation by another process nothing is sealed with a key that is about to go.
func (v *Vault) Seal(plain []byte, bind ...base.ID) []byte {
	if v.path != "" {
		if ring, err := readKeyFile(v.path); err == nil {
			v.ring.Store(&ring)
		}
	}
	newest := (*v.ring.Load())[0]
	prefix := [prefixBytes]byte{sealFormat, newest.number}
	out := make([]byte, prefixBytes, prefixBytes+len(plain)+newest.aead.Overhead())
	copy(out, prefix[:])
	return newest.aead.Seal(out, nil, plain, bound(prefix, bind))
}

// Open gives back what Seal was given. When the key is unknown it looks into the key file again: a
// rotation by another process is seen without a restart.
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

// Stale reports whether a value should be sealed anew, because a newer key exists. Once nothing is
// stale, Retire may take the older keys away; see Derive for what else depends on the last one. Where an older key
// from the environment has the number of the newest, every value counts as stale.
func (v *Vault) Stale(sealed []byte) bool {
	ring := *v.ring.Load()
	newest := ring[0].number
	return len(sealed) < prefixBytes || sealed[0] != sealFormat || sealed[1] != newest ||
		slices.ContainsFunc(ring[1:], func(k key) bool { return k.number == newest })
}

// Derive gives a key for another purpose, such as signing cursors or media links. It comes from the
// oldest key, so that a rotation does not invalidate what was signed before; dropping the oldest
// key from the file does, and clients then start their lists and links afresh.
func (v *Vault) Derive(purpose string) [32]byte {
	ring := *v.ring.Load()
	return expand(ring[len(ring)-1].secret, "recado derived: "+purpose)
}

// Format keeps the keys out of every log line that is given a vault by mistake.
func (v *Vault) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "vault") }

// openWith tries each key that bears the number: numbers are one byte, so two may share one.
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

// bound is the additional data: ids have one length, so no two lists of them read alike.
func bound(prefix [prefixBytes]byte, bind []base.ID) []byte {
	data := append(make([]byte, 0, prefixBytes+16*len(bind)), prefix[:]...)
	for _, id := range bind {
		data = append(data, id[:]...)
	}
	return data
}
