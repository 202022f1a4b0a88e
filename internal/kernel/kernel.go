// Package kernel contains what all capabilities need: ids, errors, transactions, principals and their permissions, events,
// signals, idempotent calls, cursors and limits. It does not depend on any capability.
package kernel

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"recado/internal/limits"
	"recado/internal/vault"
)

// Options configure a Kernel.
type Options struct {
	Store  *Store
	Vault  *vault.Vault
	Logger *slog.Logger     // nil: nothing is logged
	Now    func() time.Time // nil: time.Now
	Rate   Rate             // for keys without a rate; zero: the default
	Limits Limits           // of each company, where they differ from the defaults
}

// Kernel is shared by the capabilities of a process.
type Kernel struct {
	Store    *Store
	Vault    *vault.Vault
	Log      *slog.Logger
	Now      func() time.Time
	KeyRate  Rate // for keys without a rate
	Cursors  CursorKey
	Searches Expensive

	limits   Limits
	signals  signals
	feed     feed
	subjects map[string]SubjectCheck
	wakeups  sync.Map // by name
}

// SingleNode reports whether no other process can use the same database. Then no leases are needed.
func (d *Kernel) SingleNode() bool { return d.Store.SingleNode() }

// New returns a Kernel.
func New(o Options) *Kernel {
	k := &Kernel{Store: o.Store, Vault: o.Vault, Log: o.Logger, Now: o.Now, KeyRate: o.Rate, limits: o.Limits}
	if k.Now == nil {
		k.Now = time.Now
	}
	if k.Log == nil {
		k.Log = slog.New(slog.DiscardHandler)
	}
	if k.KeyRate == (Rate{}) {
		k.KeyRate = Rate{PerSecond: DefaultRate, Burst: DefaultBurst}
	}
	if k.Vault != nil {
		k.Cursors = CursorKey(k.Vault.Derive("cursor"))
	}
	k.signals.node = NewID()
	k.Searches = k.NewExpensive("searches", searchTimeout)
	return k
}

// NewExpensive returns a limit like that of searches. what is a plural, for errors.
func (d *Kernel) NewExpensive(what string, timeout time.Duration) Expensive {
	n := d.Limit(LimitSearches)
	return Expensive{what, n, limits.NewConcurrency[ID](n, maxWaitingSearches), timeout}
}

// NewQueue returns a limit of n concurrent calls per company. Any number of calls may wait.
func (d *Kernel) NewQueue(what string, n int64, timeout time.Duration) Expensive {
	return Expensive{what, n, limits.NewConcurrency[ID](n, math.MaxInt64), timeout}
}

// Recount recomputes figures that depend on a setting.
type Recount interface {
	// Begin does most of the work for a new time zone, before the transaction that changes the setting. Unless there is an
	// error, the caller must call end after that transaction.
	Begin(ctx context.Context, zone string) (end func(), err error)
	// Finish does the rest in the transaction.
	Finish(tx *Tx) error
}
