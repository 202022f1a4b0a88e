package whatsapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"strings"
)

const signatureHeader = "X-Hub-Signature-256"

// VerifySignature reports whether one of the app secrets signed exactly these bytes. Without a usable
// secret nothing is valid.
func VerifySignature(secrets []string, header string, body []byte) bool {
	got, ok := signatureBytes(header)
	if !ok {
		return false
	}
	valid := false
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		if hmac.Equal(mac.Sum(nil), got) {
			valid = true
		}
	}
	return valid
}

func signatureBytes(header string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok || len(digits) != 2*sha256.Size {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// VerifyHandshake answers Meta's question whether an address wants its callbacks: ok means to reply
// with the challenge and nothing else.
func VerifyHandshake(query url.Values, verifyToken string) (challenge string, ok bool) {
	challenge = query.Get("hub.challenge")
	same := subtle.ConstantTimeCompare([]byte(query.Get("hub.verify_token")), []byte(verifyToken)) == 1
	ok = same && verifyToken != "" && challenge != "" && query.Get("hub.mode") == "subscribe"
	if !ok {
		return "", false
	}
	return challenge, true
}
