package people

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

// PasswordCost is the cost of hashing a password with argon2id. A stored hash names its cost, so the cost can grow
// without breaking older hashes.
type PasswordCost struct {
	Memory uint32 // in KiB
	Passes uint32
}

// DefaultPasswordCost suits small machines.
var DefaultPasswordCost = PasswordCost{Memory: 19 * 1024, Passes: 2}

const (
	passwordHashBytes = 32

	hashesAtOnce = 4 // 76 MiB
	hashesQueued = 64

	companyHashesAtOnce = 2
	companyHashesQueued = 32

	longestHashWait = 5 * time.Second // before a caller is refused
)

// Hasher limits how many passwords are hashed at once, overall and for each company. A process has one.
type Hasher struct {
	cost  PasswordCost
	slots *limits.Concurrency[struct{}]
	own   *limits.Concurrency[kernel.ID] // by company
	made  atomic.Int64
}

// NewHasher returns a Hasher whose new hashes have the given cost; zero means DefaultPasswordCost.
func NewHasher(cost PasswordCost) *Hasher {
	if cost == (PasswordCost{}) {
		cost = DefaultPasswordCost
	}
	return &Hasher{cost: cost, slots: limits.NewConcurrency[struct{}](hashesAtOnce, hashesQueued), own: limits.NewConcurrency[kernel.ID](companyHashesAtOnce, companyHashesQueued)}
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
	key := argon2.IDKey([]byte(password), salt, h.cost.Passes, h.cost.Memory, 1, passwordHashBytes)
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, h.cost.Memory, h.cost.Passes, enc.EncodeToString(salt), enc.EncodeToString(key)), nil
}

// acquire waits for a slot of the company, and then for one of all.
func (h *Hasher) acquire(ctx context.Context, company kernel.ID) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, longestHashWait)
	defer cancel()
	leaveOwn, err := h.own.Acquire(waiting, company)
	if err != nil {
		return nil, hashRefused(ctx, err)
	}
	leave, err := h.slots.Acquire(waiting, struct{}{})
	if err != nil {
		leaveOwn()
		return nil, hashRefused(ctx, err)
	}
	return func() {
		leave()
		leaveOwn()
	}, nil
}

// hashRefused returns the error for a caller that got no slot; ctx is that of the caller.
func hashRefused(ctx context.Context, err error) error {
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
		return false, errMalformedHash
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &threads); err != nil || memory == 0 || passes == 0 || threads == 0 {
		return false, errMalformedHash
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, errMalformedHash
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 {
		return false, errMalformedHash
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

var errMalformedHash = errors.New("people: a stored password hash is malformed")

// Waste takes as long as Verify does, for callers that must not show that there is nothing to compare with.
func (h *Hasher) Waste(ctx context.Context, company kernel.ID, password string) error {
	_, err := h.Hash(ctx, company, password)
	return err
}
