package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// What a receiver does that knows the documentation alone, and none of our code.

func serviceSignatureHolds(a arrived, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(a.header.Get("X-Service-Timestamp") + "." + a.body))
	return a.header.Get("X-Service-Signature") == "sha256="+hex.EncodeToString(mac.Sum(nil))
}

func standardSignatureHolds(a arrived, secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(a.header.Get("webhook-id") + "." + a.header.Get("webhook-timestamp") + "." + a.body))
	return slices.Contains(strings.Fields(a.header.Get("webhook-signature")), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}
