package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"recado/test/testkit"
)

// These functions check signatures as a receiver would that knows only the documentation.

// serviceSignatureIsValid reports whether X-Service-Signature is valid.
func serviceSignatureIsValid(a testkit.Delivery, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(a.Header.Get("X-Service-Timestamp") + "." + a.Body))
	return a.Header.Get("X-Service-Signature") == "sha256="+hex.EncodeToString(mac.Sum(nil))
}

// standardSignatureIsValid reports whether a signature in webhook-signature is valid.
func standardSignatureIsValid(a testkit.Delivery, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(a.Header.Get("webhook-id") + "." + a.Header.Get("webhook-timestamp") + "." + a.Body))
	return slices.Contains(strings.Fields(a.Header.Get("webhook-signature")), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
