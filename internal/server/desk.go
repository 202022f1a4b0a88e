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

// Options configure a Desk.
type Options struct {
	Store   *kernel.Store
	Blob    blob.Store
	Vault   *vault.Vault
	Guard   *guard.Client
	Logger  *slog.Logger
	Numbers channels.Numbers // connects numbers at WhatsApp; nil: none can be connected
	Now     func() time.Time // nil: time.Now
	Rate    kernel.Rate      // for keys without a rate
	Limits  kernel.Limits    // of each company; nil: the defaults

	Passwords people.PasswordCost // of their hashes; zero: people.DefaultPasswordCost

	Brand   string         // in the X-<Brand>-* headers of deliveries; "": Service
	Retries kernel.Retries // of deliveries; nil: kernel.DefaultRetries
}

// Desk contains all capabilities.
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

// New connects the capabilities. Observers are called in the order in which the capabilities are created here.
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

// SecretKey returns a SecretKey for the installation.
func (d *Desk) SecretKey() *SecretKey { return &SecretKey{d.Kernel, d.Kernel.Store, d.Kernel.Vault} }

// Ready returns an error if the database does not respond or the secret key does not fit it, because another node may have
// replaced the key.
func (d *Desk) Ready(ctx context.Context) error {
	if err := d.Kernel.Store.Ping(ctx); err != nil {
		return err
	}
	err := d.SecretKey().Fits(ctx)
	if errors.Is(err, ErrWrongSecretKey) {
		return &kernel.Error{
			Code: kernel.CodeUnavailable, RetryAfter: time.Second,
			Message: "The secret key of this server does not match its database. Restart it with the key used by the other nodes.",
		}
	}
	return err
}
