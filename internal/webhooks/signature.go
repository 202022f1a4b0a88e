package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// SigningSecretPrefix begins every signing secret.
const SigningSecretPrefix = "whsec_"

// SignatureTolerance is how far a delivery's timestamp may be from the receiver's clock.
const SignatureTolerance = 5 * time.Minute

// The errors of VerifyService and VerifyStandard.
var (
	ErrSignature = errors.New("the signature does not match the body and the secret")
	ErrTimestamp = errors.New("the timestamp is missing, or differs from the current time by more than five minutes")
)

// NewSigningSecret returns a random signing secret. It is shown once and stored encrypted.
func NewSigningSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand aborts the process instead
	return SigningSecretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// SignService signs a delivery for the X-Service-Signature header: "sha256=" and the lower-case hex
// HMAC-SHA256 of the timestamp, a dot and the body. The key is the secret as shown, prefix included.
func SignService(secret string, timestamp int64, body []byte) string {
	sum := sign([]byte(secret), strconv.AppendInt(nil, timestamp, 10), body)
	return "sha256=" + hex.EncodeToString(sum)
}

// SignStandard signs a delivery for the webhook-signature header of Standard Webhooks: "v1," and the
// base64 HMAC-SHA256 of id, timestamp and body, separated by dots. The key is the decoded base64 of the secret; a secret that
// is not base64 is used as it is.
func SignStandard(secret, id string, timestamp int64, body []byte) string {
	encoded := strings.TrimPrefix(secret, SigningSecretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		key = []byte(encoded)
	}
	head := strconv.AppendInt(append([]byte(id), '.'), timestamp, 10)
	return "v1," + base64.StdEncoding.EncodeToString(sign(key, head, body))
}

// VerifyService checks the X-Service-Signature and X-Service-Timestamp headers of a delivery against the exact body. It rejects
// a timestamp more than SignatureTolerance away from now.
func VerifyService(secret, signature, timestamp string, body []byte, now time.Time) error {
	seconds, err := freshTimestamp(timestamp, now)
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(signature), []byte(SignService(secret, seconds, body))) {
		return ErrSignature
	}
	return nil
}

// VerifyStandard checks the headers of Standard Webhooks. One valid signature is enough: after a rotation there are two.
func VerifyStandard(secret, id, signatures, timestamp string, body []byte, now time.Time) error {
	seconds, err := freshTimestamp(timestamp, now)
	if err != nil {
		return err
	}
	want := []byte(SignStandard(secret, id, seconds, body))
	for signature := range strings.FieldsSeq(signatures) {
		if hmac.Equal([]byte(signature), want) {
			return nil
		}
	}
	return ErrSignature
}

func freshTimestamp(s string, now time.Time) (int64, error) {
	seconds, err := strconv.ParseInt(s, 10, 64)
	if err != nil || s[0] < '1' || s[0] > '9' {
		return 0, ErrTimestamp
	}
	age, tolerance := now.Unix()-seconds, int64(SignatureTolerance/time.Second)
	if age > tolerance || age < -tolerance {
		return 0, ErrTimestamp
	}
	return seconds, nil
}

// sign returns the HMAC-SHA256 of head, a dot and body.
func sign(key, head, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(append(head, '.'))
	h.Write(body)
	return h.Sum(nil)
}
