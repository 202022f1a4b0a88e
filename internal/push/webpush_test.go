package push

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	b, err := decodeKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of section 5 and appendix A of RFC 8291.
func TestEncryptionMatchesTheExampleOfRFC8291(t *testing.T) {
	const plain = "When I grow up, I want to be a watermelon"
	sender, err := ecdh.P256().NewPrivateKey(decoded(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	e := endpoint{
		P256DH: decoded(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
		Auth:   decoded(t, "BTBZMqHH6r4Tts7J_aSIgg"),
	}
	body, err := e.encryptWith([]byte(plain), sender, decoded(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if got := encodeKey(body); err != nil || got != want {
		t.Errorf("the body: got %s, %v; want %s", got, err, want)
	}
}

// decrypt is the browser's side.
func decrypt(t *testing.T, body []byte, browser *ecdh.PrivateKey, auth []byte) []byte {
	t.Helper()
	salt, size, id := body[:saltBytes], binary.BigEndian.Uint32(body[saltBytes:]), int(body[saltBytes+4])
	public, sealed := body[saltBytes+5:saltBytes+5+id], body[saltBytes+5+id:]
	if int(size) < len(sealed) {
		t.Fatalf("the record size is %d, but the record has %d bytes", size, len(sealed))
	}
	sender, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	shared, _ := browser.ECDH(sender)
	input, _ := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(browser.PublicKey().Bytes())+string(public), 32)
	key, _ := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, _ := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	block, _ := aes.NewCipher(key)
	gcm, _ := cipher.NewGCM(block)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil || plain[len(plain)-1] != 2 {
		t.Fatalf("got %v, %v; want a last record", plain, err)
	}
	return plain[:len(plain)-1]
}

func TestOnlyTheBrowserReadsAMessageAndEveryBodyFits(t *testing.T) {
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	e := endpoint{P256DH: browser.PublicKey().Bytes(), Auth: []byte("0123456789abcdef")}
	longest := bytes.Repeat([]byte("x"), maxPlain)
	for _, plain := range [][]byte{{}, []byte("hello"), longest} {
		body, err := e.encrypt(plain)
		if err != nil || len(body) > maxBody {
			t.Fatalf("%d bytes: got a body of %d bytes, %v; want at most %d", len(plain), len(body), err, maxBody)
		}
		if got := decrypt(t, body, browser, e.Auth); !bytes.Equal(got, plain) {
			t.Errorf("got %q, want %q", got, plain)
		}
		if again, _ := e.encrypt(plain); bytes.Equal(again, body) {
			t.Error("two messages have the same salt and key")
		}
	}
	if _, err := e.encrypt(append(longest, 'x')); err == nil {
		t.Error("a message that is too long was encrypted")
	}
}

// verify checks a token and returns its claims.
func verify(t *testing.T, authorization string) (claims map[string]any, valid bool) {
	t.Helper()
	token, key, _ := strings.Cut(strings.TrimPrefix(authorization, "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	signature, public := decoded(t, parts[2]), decoded(t, key)
	verifier, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(decoded(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return claims, len(signature) == 64 &&
		ecdsa.Verify(verifier, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}

// The example of section 2.4 of RFC 8292 shows that verify accepts what push services accept.
func TestTokensAreSignedLikeTheExampleOfRFC8292(t *testing.T) {
	example := "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0." +
		"i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
	if _, valid := verify(t, example); !valid {
		t.Fatal("the example of the RFC is not valid")
	}
	pair, err := newVAPID()
	if err != nil {
		t.Fatal(err)
	}
	secret, err := pair.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if pair, err = parseVAPID(secret); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_453_480_568, 0)
	for range 20 { // signatures differ, and some begin with zeros
		header, err := pair.authorization("https://push.example.net:8443/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", "https://desk.example.com", now)
		if err != nil {
			t.Fatal(err)
		}
		claims, valid := verify(t, header)
		if !valid || claims["aud"] != "https://push.example.net:8443" || claims["sub"] != "https://desk.example.com" ||
			claims["exp"] != float64(now.Add(tokenLife).Unix()) {
			t.Errorf("got %v, valid %t", claims, valid)
		}
		if !strings.HasPrefix(header, "vapid t="+strings.Split(strings.TrimPrefix(example, "vapid t="), ".")[0]+".") {
			t.Errorf("the header of the token differs from the RFC: %s", header)
		}
	}
}
