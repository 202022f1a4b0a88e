package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel/db"
	"recado/internal/limits"
)

// Limits on requests.
const (
	MaxName           = 120      // characters
	MaxBody           = 64 << 10 // bytes of JSON
	MinIdempotencyKey = 8
	MaxIdempotencyKey = 128
)

// Default and maximum number of entries on a page. Larger limits are refused.
const (
	DefaultLimit = 30
	MaxLimit     = 100
)

// Default rate of API keys.
const (
	DefaultRate  = 100 // requests per second
	DefaultBurst = 200
)

// IdempotencyRetention is how long responses are kept for repeated calls.
const IdempotencyRetention = 7 * 24 * time.Hour

// EventRetention is how long events are kept.
const EventRetention = 14 * 24 * time.Hour

// DefaultZone is the default time zone of queries and companies.
const DefaultZone = "America/Sao_Paulo"

// APIVersion is the version in every API response.
const APIVersion = "1.1.0"

// PurgeStep is the number of rows that one step of a purge deletes.
const PurgeStep = 500

// Limit names a limit on what each company may have or run at once.
type Limit string

// Limits contains the limits that differ from their defaults.
type Limits map[Limit]int64

// NoLimits lifts all limits, for the operator's command line.
var NoLimits = Limits{anyLimit: math.MaxInt64}

const (
	anyLimit Limit = "any"

	maxLimit = 1_000_000 // the largest number that ParseLimits accepts
)

var (
	defaultLimits = Limits{}
	countLimits   []string // the names that ParseLimits accepts
)

// RegisterLimit adds a limit and its default. Call it at start-up, before the first request.
func RegisterLimit(name Limit, n int64) Limit {
	countLimits = append(countLimits, string(name))
	return RegisterSizeLimit(name, n)
}

// RegisterSizeLimit is RegisterLimit for a number of bytes, which ParseLimits does not accept.
func RegisterSizeLimit(name Limit, n int64) Limit {
	defaultLimits[name] = n
	return name
}

// LimitSearches is the number of searches that a company may run at once on a node.
var LimitSearches = RegisterLimit("searches", 4)

// Limit returns the value of a limit.
func (d *Kernel) Limit(name Limit) int64 {
	for _, key := range []Limit{name, anyLimit} {
		if n, found := d.limits[key]; found {
			return n
		}
	}
	return defaultLimits[name]
}

// ParseLimits parses limits in the form "keys=1000,boards=400". The text may be empty.
func ParseLimits(text string) (Limits, error) {
	l := Limits{}
	if strings.TrimSpace(text) == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, number, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found || !slices.Contains(countLimits, name) {
			return nil, fmt.Errorf("%q is not of the form name=number with one of the names %s",
				part, strings.Join(countLimits, ", "))
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 || n > maxLimit {
			return nil, fmt.Errorf("%s must be a number from 0 to %d, not %q", name, maxLimit, number)
		}
		l[Limit(name)] = n
	}
	return l, nil
}

// ParseSize parses a number of bytes with an optional unit, such as 50GiB or 500MB.
func ParseSize(text string) (int64, error) {
	number := strings.TrimRight(text, "KMGTPiB")
	units := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
		"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
	}
	unit, known := units[text[len(number):]]
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if !known || err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size such as 50GiB", text)
	}
	return n * unit, nil
}

// SizeText formats a number of bytes in the largest binary unit that divides it.
func SizeText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for n != 0 && n%1024 == 0 && i < len(units)-1 {
		n /= 1024
		i++
	}
	return strconv.FormatInt(n, 10) + " " + units[i]
}

// LimitReached returns the error for exceeding a limit. what is a plural such as "labels".
func LimitReached(what string, limit int64) *Error {
	return Errorf(CodeLimitReached, "The limit of %d %s has been reached.", limit, what)
}

// Countable is a statement that counts the rows of a company that are subject to a limit.
type Countable string

// Count runs the statement. Other transactions that count wait until the end of this one.
func (tx *Tx) Count(what Countable, company ID) (n int64, err error) {
	tx.LockCompany(company)
	_, err = tx.One("SELECT ("+string(what)+") AS total", []any{company}, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// LockCompany makes other transactions that lock the company wait until the end of this one. SQLite has one writer
// and needs no locks.
func (tx *Tx) LockCompany(company ID) {
	tx.ShareVisibility(company)
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT id FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
}

// CheckLimit returns an error if the company has reached the limit. See Count for concurrent transactions.
func CheckLimit(tx *Tx, company ID, what Countable, plural string, limit int64) error {
	n, err := tx.Count(what, company)
	if err == nil && n >= limit {
		err = LimitReached(plural, limit)
	}
	return err
}

// CheckGrowth returns an error if a change from before to after rows exceeds the company's limit.
func CheckGrowth(tx *Tx, company ID, what Countable, plural string, limit int64, before, after int) error {
	n, err := tx.Count(what, company)
	if err == nil && after > before && n+int64(after-before) > limit {
		err = LimitReached(plural, limit)
	}
	return err
}

const (
	maxWaitingSearches = 64 // per company
	searchTimeout      = 2 * time.Second
)

// Expensive limits the concurrent calls of a company that read far more than they return.
type Expensive struct {
	what    string // a plural, for errors
	limit   int64
	slots   *limits.Concurrency[ID]
	timeout time.Duration // for waiting callers
}

// Begin waits until the company may make the call. Unless there is an error, the caller must call release.
func (e *Expensive) Begin(ctx context.Context, a *Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	release, err = e.slots.Acquire(ctx, a.Company.ID)
	if errors.Is(err, limits.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return nil, ErrBusy(e.what, e.limit)
	}
	return release, err
}

// Wait is Begin without a timeout: it waits until ctx ends.
func (e *Expensive) Wait(ctx context.Context, company ID) (release func(), err error) {
	return e.slots.Acquire(ctx, company)
}

// ErrBusy returns the error for exceeding the number of concurrent calls of a company.
func ErrBusy(what string, limit int64) error {
	err := Errorf(CodeRateLimited, "This company has reached its limit of %d concurrent %s. Try again in a moment.", limit, what)
	err.RetryAfter = time.Second
	return err
}
