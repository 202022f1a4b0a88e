// Package password hashes passwords, and limits how much of the machine that takes.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"recado/internal/kernel"
	"recado/internal/limits"
)

// Cost is what computing a hash with argon2id takes. The stored text names it, so that it can grow without breaking
// older hashes.
type Cost struct {
	Memory uint32 // in KiB
	Passes uint32
}

// DefaultCost is what a small machine can afford at a sign-in.
var DefaultCost = Cost{Memory: 19 * 1024, Passes: 2}

const (
	keyBytes = 32

	atOnce  = 4  // 76 MiB
	waiting = 64 // callers

	ownAtOnce  = 2 // of one company
	ownWaiting = 32

	longestWait = 5 * time.Second // before a caller is refused
)

// Hasher computes a few hashes at once, and fewer of one company; more callers wait. A process has one.
type Hasher struct {
	cost  Cost
	slots *limits.Concurrency[struct{}]
	own   *limits.Concurrency[kernel.ID] // by company
	made  atomic.Int64
}

// NewHasher returns a Hasher whose new hashes have the given cost; zero means DefaultCost.
func NewHasher(cost Cost) *Hasher {
	if cost == (Cost{}) {
		cost = DefaultCost
	}
	return &Hasher{cost: cost, slots: limits.NewConcurrency[struct{}](atOnce, waiting), own: limits.NewConcurrency[kernel.ID](ownAtOnce, ownWaiting)}
}

// Made returns how many hashes were computed.
func (h *Hasher) Made() int64 { return h.made.Load() }

// Hash computes the text to store for a password of a member of the company. It waits for its turn, or fails with
// kernel.CodeUnavailable when too many callers are waiting already or its turn does not come soon.
func (h *Hasher) Hash(ctx context.Context, company kernel.ID, password string) (string, error) {
	release, err := h.acquire(ctx, company)
	if err != nil {
		return "", err
	}
	defer release()
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	h.made.Add(1)
	key := argon2.IDKey([]byte(password), salt, h.cost.Passes, h.cost.Memory, 1, keyBytes)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, h.cost.Memory, h.cost.Passes, enc.EncodeToString(salt), enc.EncodeToString(key)), nil
}

// acquire waits for a slot of the company, and then for one of all.
func (h *Hasher) acquire(ctx context.Context, company kernel.ID) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	leaveOwn, err := h.own.Acquire(waiting, company)
	if err != nil {
		return nil, refused(ctx, err)
	}
	leave, err := h.slots.Acquire(waiting, struct{}{})
	if err != nil {
		leaveOwn()
		return nil, refused(ctx, err)
	}
	return func() {
		leave()
		leaveOwn()
	}, nil
}

// refused returns the error for a caller that got no slot; ctx is that of the caller.
func refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, limits.ErrFull) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &kernel.Error{
		Code: kernel.CodeUnavailable, Message: "Too many passwords are being checked at the moment. Try again.", RetryAfter: 2 * time.Second,
	}
}

// Verify reports whether a stored text was made of this password. It waits for its turn as Hash does.
func (h *Hasher) Verify(ctx context.Context, company kernel.ID, password, stored string) (bool, error) {
	var version int
	var memory, passes uint32
	var threads uint8
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errMalformed
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &threads); err != nil || memory == 0 || passes == 0 || threads == 0 {
		return false, errMalformed
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, errMalformed
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 {
		return false, errMalformed
	}
	release, err := h.acquire(ctx, company)
	if err != nil {
		return false, err
	}
	defer release()
	h.made.Add(1)
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

var errMalformed = errors.New("password: a stored hash is malformed")

// Waste takes as long as Verify does, for callers that must not show that there is nothing to compare with.
func (h *Hasher) Waste(ctx context.Context, company kernel.ID, password string) error {
	_, err := h.Hash(ctx, company, password)
	return err
}
