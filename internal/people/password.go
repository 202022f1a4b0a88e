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

// PasswordCost is the cost of hashing a password with argon2id. Stored hashes contain their cost, so it can be raised later.
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

	longestHashWait = 5 * time.Second
)

// Hasher limits how many passwords are hashed at once, overall and for each company. A process has one.
type Hasher struct {
	cost    PasswordCost
	overall *limits.Concurrency[struct{}]
	company *limits.Concurrency[kernel.ID]
	made    atomic.Int64 // hashes
}

// NewHasher returns a Hasher whose new hashes have the given cost; zero means DefaultPasswordCost.
func NewHasher(cost PasswordCost) *Hasher {
	if cost == (PasswordCost{}) {
		cost = DefaultPasswordCost
	}
	return &Hasher{
		cost:    cost,
		overall: limits.NewConcurrency[struct{}](hashesAtOnce, hashesQueued),
		company: limits.NewConcurrency[kernel.ID](companyHashesAtOnce, companyHashesQueued),
	}
}

// Hash returns the text to store for a password of a member of the company. It waits for a slot. If too many callers are
// waiting or the wait takes too long, the error is kernel.CodeUnavailable.
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
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s",
		argon2.Version, h.cost.Memory, h.cost.Passes, encode(salt), encode(key)), nil
}

// acquire waits for a slot of the company, and then for one of the process.
func (h *Hasher) acquire(ctx context.Context, company kernel.ID) (release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, longestHashWait)
	defer cancel()
	releaseCompany, err := h.company.Acquire(waiting, company)
	if err != nil {
		return nil, hashRefused(ctx, err)
	}
	releaseOverall, err := h.overall.Acquire(waiting, struct{}{})
	if err != nil {
		releaseCompany()
		return nil, hashRefused(ctx, err)
	}
	return func() {
		releaseOverall()
		releaseCompany()
	}, nil
}

// hashRefused returns the error for a caller that got no slot. ctx is the caller's, without the timeout.
func hashRefused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, limits.ErrFull) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &kernel.Error{
		Code: kernel.CodeUnavailable, RetryAfter: 2 * time.Second,
		Message: "Too many passwords are being checked at the moment. Try again.",
	}
}

// Verify reports whether Hash returned a stored text for this password. It waits for a slot like Hash.
func (h *Hasher) Verify(ctx context.Context, company kernel.ID, password, stored string) (bool, error) {
	var version int
	var memory, passes uint32
	var threads uint8
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errMalformedHash
	}
	_, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &threads)
	if err != nil || memory == 0 || passes == 0 || threads == 0 {
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
