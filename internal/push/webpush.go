package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The sizes of RFC 8291.
const (
	publicBytes = 65 // an uncompressed point on P-256
	authBytes   = 16
	saltBytes   = 16
	recordSize  = 4096
	maxBody     = 4096 // what push services accept
	maxPlain    = maxBody - saltBytes - 4 - 1 - publicBytes - 1 - 16
)

// endpoint is where a browser gets messages, and the keys that only the browser and this server know.
type endpoint struct {
	URL    string `json:"url"`
	P256DH []byte `json:"p256dh"` // the public key of the browser
	Auth   []byte `json:"auth"`
}

// decodeKey decodes a key of a subscription, in base64url with or without padding.
func decodeKey(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
}

// encodeKey returns base64url without padding.
func encodeKey(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// encrypt encrypts a message for a browser: RFC 8291, with the content coding aes128gcm of RFC 8188 in one record.
func (e *endpoint) encrypt(plain []byte) ([]byte, error) {
	sender, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	return e.encryptWith(plain, sender, salt)
}

// encryptWith is encrypt with the key pair and the salt that belong to this message only.
func (e *endpoint) encryptWith(plain []byte, sender *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(plain) > maxPlain {
		return nil, errors.New("push: the message is too long")
	}
	browser, err := ecdh.P256().NewPublicKey(e.P256DH)
	if err != nil {
		return nil, err
	}
	shared, err := sender.ECDH(browser)
	if err != nil {
		return nil, err
	}
	public := sender.PublicKey().Bytes()
	input, err := hkdf.Key(sha256.New, shared, e.Auth, "WebPush: info\x00"+string(browser.Bytes())+string(public), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	body := append([]byte{}, salt...)
	body = binary.BigEndian.AppendUint32(body, recordSize)
	body = append(body, byte(len(public)))
	body = append(body, public...)
	return gcm.Seal(body, nonce, append(append([]byte{}, plain...), 2), nil), nil // 2 ends the last record
}

// vapid is the key pair with which this installation identifies itself to push services: RFC 8292.
type vapid struct{ *ecdsa.PrivateKey }

// newVAPID returns a new key pair.
func newVAPID() (vapid, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return vapid{key}, err
}

// parseVAPID decodes the result of vapid.Bytes.
func parseVAPID(b []byte) (vapid, error) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	return vapid{key}, err
}

// public returns the key that browsers subscribe with.
func (v vapid) public() (string, error) {
	b, err := v.PublicKey.Bytes()
	return encodeKey(b), err
}

// tokenLife is how long a token is valid. Push services accept at most 24 hours.
const tokenLife = 12 * time.Hour

// authorization returns the header of a request to an endpoint. contact is an https: or mailto: URL at which the operator of the
// push service can reach the sender.
func (v vapid) authorization(endpoint, contact string, now time.Time) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{u.Scheme + "://" + u.Host, now.Add(tokenLife).Unix(), contact})
	if err != nil {
		return "", err
	}
	token := encodeKey([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encodeKey(claims)
	sum := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, v.PrivateKey, sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	public, err := v.public()
	return "vapid t=" + token + "." + encodeKey(signature) + ", k=" + public, err
}
