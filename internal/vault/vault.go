// Package vault encrypts secrets in the database with keys that are stored outside of it. Each secret is bound to its company
// and row. The package stores only its key file.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// FileName is the name of the key file in a data directory.
const FileName = "secret.key"

// key is one line of the key file.
type key struct {
	secret [32]byte
	number byte
	aead   cipher.AEAD
}

// Open reads the key file of a data directory. If there is none, it creates one with a random key; processes that start at the
// same time get the same key. The file has one key per line, 32 bytes in base64. The first key seals, and all of them open.
// Open refuses a file that other users may read or write.
func Open(dir string) (*Vault, error) {
	v, err := Load(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	if err := createKeyFile(dir, filepath.Join(dir, FileName)); err != nil {
		return nil, err
	}
	return Load(dir)
}

// Load is Open for an existing key file. If there is none, the error is fs.ErrNotExist.
func Load(dir string) (*Vault, error) {
	path := filepath.Join(dir, FileName)
	ring, err := readKeyFile(path)
	if err != nil {
		return nil, err
	}
	v := &Vault{path: path}
	v.ring.Store(&ring)
	return v, nil
}

// FromEnv parses the keys of a setting, for nodes that share a database but no disk. Keys are separated by commas or
// whitespace, in the order of the key file.
func FromEnv(value string) (*Vault, error) {
	ring, err := parseKeys(value)
	if err != nil {
		return nil, fmt.Errorf("vault: the secret key setting: %w", err)
	}
	v := &Vault{}
	v.ring.Store(&ring)
	return v, nil
}

// Rotate adds a new first key to the file and to this vault. Existing values can still be opened.
func (v *Vault) Rotate() error {
	return v.replace(func(ring []key) []key {
		fresh := newKey()
		for slices.ContainsFunc(ring, func(k key) bool { return k.number == fresh.number }) && len(ring) < 256 {
			fresh = newKey()
		}
		return slices.Insert(ring, 0, fresh)
	})
}

// Retire removes all keys but the newest from the file and from this vault. Stale values can no longer be opened.
func (v *Vault) Retire() error {
	return v.replace(func(ring []key) []key { return ring[:1] })
}

func (v *Vault) replace(change func(ring []key) []key) error {
	if v.path == "" {
		return ErrNoFile
	}
	// The new file is also a lock: otherwise concurrent changes could lose a key.
	next := v.path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("vault: another change of the keys is in progress; if it was interrupted, remove %s", next)
	}
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	ring, err := readKeyFile(v.path)
	if err == nil {
		ring = change(ring)
		err = writeAndClose(f, keyFile(ring))
	} else {
		f.Close()
	}
	if err == nil {
		err = os.Rename(next, v.path)
	}
	if err != nil {
		os.Remove(next)
		return fmt.Errorf("vault: %w", err)
	}
	v.ring.Store(&ring)
	return SyncDir(filepath.Dir(v.path))
}

// createKeyFile writes the file under another name and then links it. The link succeeds for one process only; the others use
// its file.
func createKeyFile(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	f, err := os.CreateTemp(dir, FileName+".*") // with mode 0600
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	defer os.Remove(f.Name())
	if err := writeAndClose(f, keyFile([]key{newKey()})); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("vault: %w", err)
	}
	return SyncDir(dir)
}

func readKeyFile(path string) ([]key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("vault: %s has mode %04o, so other users can read the secret keys; run: chmod 600 %s", path, mode, path)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	ring, err := parseKeys(string(content))
	if err != nil {
		return nil, fmt.Errorf("vault: %s: %w", path, err)
	}
	return ring, nil
}

// parseKeys returns errors that do not contain the keys.
func parseKeys(text string) ([]key, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
	if len(words) == 0 {
		return nil, errors.New("it contains no key")
	}
	ring := make([]key, len(words))
	for i, word := range words {
		secret, err := base64.StdEncoding.Strict().DecodeString(word)
		if err != nil || len(secret) != 32 {
			return nil, fmt.Errorf("key %d is not 32 bytes in base64", i+1)
		}
		ring[i] = makeKey([32]byte(secret))
	}
	return ring, nil
}

// keyFile returns the content of a key file.
func keyFile(ring []key) (text []byte) {
	for _, k := range ring {
		text = append(base64.StdEncoding.AppendEncode(text, k.secret[:]), '\n')
	}
	return text
}

// ReplaceFile writes a file that only its owner may read and makes it durable. After a crash it has the old or the new content.
func ReplaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	defer os.Remove(f.Name()) // fails after the renaming
	if err := writeAndClose(f, content); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	return SyncDir(filepath.Dir(path))
}

func writeAndClose(f *os.File, content []byte) error {
	_, err := f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir makes new entries of a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("vault: %w", err)
	}
	return nil
}

func newKey() key {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: crypto/rand aborts the process instead
	return makeKey(secret)
}

func makeKey(secret [32]byte) key {
	seal := expand(secret, "recado seal")
	block, err := aes.NewCipher(seal[:])
	if err != nil {
		panic(err) // 32 bytes are a valid key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return key{secret: secret, number: expand(secret, "recado number")[0], aead: aead}
}

func expand(secret [32]byte, info string) [32]byte {
	out, err := hkdf.Key(sha256.New, secret[:], nil, info, 32)
	if err != nil {
		panic(err) // 32 bytes are within the limit of HKDF
	}
	return [32]byte(out)
}
