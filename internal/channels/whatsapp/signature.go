package whatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
)

const signatureHeader = "X-Hub-Signature-256"

// VerifySignature reports whether one of the app secrets signed the body. Empty secrets are ignored.
func VerifySignature(secrets []string, header string, body []byte) bool {
	got, ok := signatureBytes(header)
	if !ok {
		return false
	}
	return slices.ContainsFunc(secrets, func(secret string) bool {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		return secret != "" && hmac.Equal(mac.Sum(nil), got)
	})
}

func signatureBytes(header string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok || len(digits) != 2*sha256.Size {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// VerifyHandshake checks Meta's verification request for a callback address. If ok is true the response must be the challenge.
func VerifyHandshake(query url.Values, verifyToken string) (challenge string, ok bool) {
	challenge = query.Get("hub.challenge")
	same := subtle.ConstantTimeCompare([]byte(query.Get("hub.verify_token")), []byte(verifyToken)) == 1
	if !same || verifyToken == "" || challenge == "" || query.Get("hub.mode") != "subscribe" {
		return "", false
	}
	return challenge, true
}
