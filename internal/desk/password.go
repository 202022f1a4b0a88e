package desk

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/argon2"
)

const (
	minPassword = 10
	maxPassword = 200

	// argon2id with 19 MiB and two passes: what a small machine can afford at a sign-in. The stored text
	// names these numbers, so that they can grow without breaking older hashes.
	argonMemory = 19 * 1024
	argonTime   = 2
	argonKey    = 32
)

func hashPassword(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, 1, argonKey)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, argonMemory, argonTime, enc.EncodeToString(salt), enc.EncodeToString(key))
}
