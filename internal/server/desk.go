package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"recado/internal/blob"
	"recado/internal/boards"
	"recado/internal/channels"
	"recado/internal/guard"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/reception"
	"recado/internal/reports"
	"recado/internal/talk"
	"recado/internal/vault"
	"recado/internal/webhooks"
)

// Options are the parts that a Desk works with.
type Options struct {
	Store   *kernel.Store
	Blob    blob.Store
	Vault   *vault.Vault
	Guard   *guard.Client
	Logger  *slog.Logger
	Numbers channels.Numbers // WhatsApp's side of connecting numbers; nil: none can be connected
	Now     func() time.Time // the clock of rules; nil: time.Now
	Rate    kernel.Rate      // of keys that have none of their own
	Limits  kernel.Limits    // of each company; nil: the registered ones

	Passwords people.PasswordCost // of their hashes; zero: people.DefaultPasswordCost

	Brand   string         // in the X-<Brand>-* headers of deliveries; "": Service
	Retries kernel.Retries // of deliveries; nil: kernel.DefaultRetries
}

// Desk has all capabilities, wired with each other.
type Desk struct {
	Kernel       *kernel.Kernel
	People       *people.People
	Channels     *channels.Channels
	Talk         *talk.Talk
	Receptionist *reception.Receptionist
	Boards       *boards.Boards
	Reports      *reports.Reports
	Webhooks     *webhooks.Webhooks
}

// New wires the capabilities. Observers of cases are called in the order in which their capabilities are made here.
func New(o Options) *Desk {
	k := kernel.New(kernel.Options{Store: o.Store, Vault: o.Vault, Logger: o.Logger, Now: o.Now, Rate: o.Rate, Limits: o.Limits})
	p := people.New(k, o.Passwords)
	c := channels.New(p, o.Numbers)
	t := talk.New(c, p, o.Blob)
	return &Desk{
		Kernel: k, People: p, Channels: c, Talk: t,
		Receptionist: reception.New(t, c, p),
		Boards:       boards.New(t, c, p),
		Reports:      reports.New(t, c, p),
		Webhooks:     webhooks.New(p, webhooks.Options{Guard: o.Guard, Brand: o.Brand, Retries: o.Retries}),
	}
}

// SecretKey returns what checks and replaces the secret key of the installation.
func (d *Desk) SecretKey() *SecretKey { return &SecretKey{d.Kernel.Store, d.Kernel.Vault} }

// Ready reports an error when the database does not answer or the secret key does not fit it: another node may have replaced
// the key.
func (d *Desk) Ready(ctx context.Context) error {
	if err := d.Kernel.Store.Ping(ctx); err != nil {
		return err
	}
	err := d.SecretKey().Fits(ctx)
	if errors.Is(err, ErrWrongSecretKey) {
		return &kernel.Error{
			Code: kernel.CodeUnavailable, RetryAfter: time.Second,
			Message: "The secret key of this server does not fit its database. Start it again with the key that the other nodes have.",
		}
	}
	return err
}
