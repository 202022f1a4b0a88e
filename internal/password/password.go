// Package password hashes passwords without letting that take all of the machine.
package password

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/argon2"

	"recado/internal/model"
	"recado/internal/slots"
)

const (
	// argon2id with 19 MiB and two passes: what a small machine can afford at a sign-in. The stored text
	// names these numbers, so that they can grow without breaking older hashes.
	argonMemory = 19 * 1024
	argonTime   = 2
	argonKey    = 32

	atOnce  = 4  // 76 MiB
	waiting = 64 // callers
)

// Hasher computes a few hashes at once; more callers wait. A process has one.
type Hasher struct {
	slots *slots.Limiter[struct{}]
}

// NewHasher makes a Hasher.
func NewHasher() *Hasher { return &Hasher{slots.New[struct{}](atOnce, waiting)} }

// Hash computes the text to store for a password. It waits for its turn, or fails with
// model.CodeUnavailable when too many callers are waiting already.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	release, err := h.slots.Acquire(ctx, struct{}{})
	if errors.Is(err, slots.ErrFull) {
		return "", &model.Error{
			Code: model.CodeUnavailable, Message: "Too many passwords are being set at the moment. Try again.", RetryAfter: 2 * time.Second,
		}
	}
	if err != nil {
		return "", err
	}
	defer release()
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, 1, argonKey)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, argonMemory, argonTime, enc.EncodeToString(salt), enc.EncodeToString(key)), nil
}
