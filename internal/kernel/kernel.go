// Package kernel has what every capability needs: ids, errors, transactions, principals and their permissions, events,
// signals, idempotent calls, cursors and limits. It knows no noun of the product.
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

// Options are the parts that a Kernel works with.
type Options struct {
	Store  *Store
	Vault  *vault.Vault
	Logger *slog.Logger     // nil: nothing is logged
	Now    func() time.Time // the clock of rules; nil: time.Now
	Rate   Rate             // of keys that have none of their own; zero: the default
	Limits Limits           // of each company, where they differ from the registered ones
}

// Kernel is what the capabilities of one process share.
type Kernel struct {
	Store    *Store
	Vault    *vault.Vault
	Log      *slog.Logger
	Now      func() time.Time
	KeyRate  Rate // of keys that have none of their own
	Cursors  CursorKey
	Searches Expensive // lists that read far more than they return

	limits   Limits
	signals  signals
	feed     feed
	subjects map[string]SubjectCheck
	wakeups  sync.Map // by name
}

// Bind gives a context in which the transactions for a company run, with the same limit as those of its principals.
func (d *Kernel) Bind(ctx context.Context, company ID) context.Context {
	return ForCompany(ctx, company)
}

// SingleNode reports whether no other process can work on the same database: then no leases are needed.
func (d *Kernel) SingleNode() bool { return d.Store.SingleNode() }

// Rate is that of keys that have none of their own.
func (d *Kernel) Rate() Rate { return d.KeyRate }

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
	k.Searches = k.NewExpensive("searches", searchWait)
	return k
}

// NewExpensive returns a limit on a kind of calls. Its errors call them what, a plural.
func (d *Kernel) NewExpensive(what string, wait time.Duration) Expensive {
	n := d.Limit(LimitSearches)
	return Expensive{what, n, limits.NewConcurrency[ID](n, searchPlaces), wait}
}

// NewQueue returns a limit on a kind of calls of which a company makes at most n at once. Any number of them may wait.
func (d *Kernel) NewQueue(what string, n int64, wait time.Duration) Expensive {
	return Expensive{what, n, limits.NewConcurrency[ID](n, math.MaxInt64), wait}
}
