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
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

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
		err = writeAndClose(f, ring)
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
	return syncDir(filepath.Dir(v.path))
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
	if err := writeAndClose(f, []key{newKey()}); err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("vault: %w", err)
	}
	return syncDir(dir)
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

func writeAndClose(f *os.File, ring []key) error {
	var text strings.Builder
	for _, k := range ring {
		text.WriteString(base64.StdEncoding.EncodeToString(k.secret[:]) + "\n")
	}
	_, err := f.WriteString(text.String())
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes a new directory entry durable.
func syncDir(dir string) error {
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
