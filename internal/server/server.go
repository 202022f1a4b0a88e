// Package server wires the packages together into one running process: database, desk, loops and the
// HTTP API. The command line and the tests start the same thing.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"time"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/guard"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/live"
	"recado/internal/people"
	"recado/internal/reception"
	"recado/internal/talk"
	"recado/internal/webhooks"
)

// Config is everything an operator decides.
type Config struct {
	Addr        string
	MetricsAddr string // "": no metrics
	DebugAddr   string // "": no profiles
	DataDir     string
	DatabaseURL string // "": SQLite in DataDir
	SecretKey   string // "": the key file in DataDir
	PublicURL   string // "": http:// and the address
	BasePath    string
	Brand       string
	Rate        kernel.Rate
	Limits      kernel.Limits      // of each company; nil: the registered ones
	S3          *blob.S3Options    // nil: media on disk in DataDir
	Proxies     []netip.Prefix     // trusted ones, whose X-Forwarded headers are believed
	Origins     httpserver.Origins // of other sites whose pages may call the API with a key

	WebhookTimeout       time.Duration
	WebhookRetries       kernel.Retries
	WebhookAllowInsecure bool
	Version              string // of the binary, for the User-Agent of deliveries

	WhatsAppBaseURL string // "": Meta's Graph API

	Passwords people.PasswordCost // of their hashes; zero: people.DefaultPasswordCost

	Lease time.Duration // how long a dead node keeps its work from the others; default: 20 s, for webhooks the timeout and 6 s
	Drain time.Duration // how long a stopping server answers on while it says that it is not ready

	Existing      bool // opens only what exists, without media: for administrative commands
	LostSecretKey bool // opens a database whose secret key is lost, to replace its secrets

	// Extensions are further capabilities. Each is given the others, whose observers it may join, before the first request.
	Extensions []func(*Desk) httpserver.Capability

	// Prepare runs once the address is known and before the first call is answered; callers wait meanwhile.
	Prepare func(*Server) error

	Logger *slog.Logger
	Now    func() time.Time // tests choose it
}

// Server is a running Recado.
type Server struct {
	Desk *Desk
	API  *API
	URL  string // the address of the API, base path included

	config     Config
	store      *kernel.Store
	extensions []httpserver.Capability
	guard      *guard.Client
	graph      *channels.Graph
	http       *http.Server
	live       *live.Hub
	deliver    *webhooks.Deliver
	inside     []*http.Server // metrics and profiles, for operators only
	addr       net.Addr
	loops      sync.WaitGroup
	stop       context.CancelFunc
	failed     chan error
}

// Open makes the desk without serving it and without limits: what the administrative commands need. On
// SQLite it works beside a running server.
func Open(ctx context.Context, c Config) (*Server, error) {
	c.Limits = kernel.NoLimits // they bind callers of the API, not the operator
	return open(ctx, c, true)
}

func open(ctx context.Context, c Config, shared bool) (*Server, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if err := openFolder(c, shared); err != nil {
		return nil, err
	}
	media, err := openBlob(ctx, c)
	if err != nil {
		return nil, err
	}
	db, err := kernel.Open(ctx, db.Options{Dir: c.DataDir, DatabaseURL: c.DatabaseURL, Now: c.Now, Logger: c.Logger, Shared: shared})
	if err != nil {
		return nil, err
	}
	keys, err := openVault(ctx, c, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &Server{config: c, store: db, failed: make(chan error, 3)}
	s.guard = guard.New(guard.Options{
		AllowInsecure: c.WebhookAllowInsecure, Timeout: c.WebhookTimeout, UserAgent: "Recado/" + cmp.Or(c.Version, "development"),
		MaxIdlePerHost: 64, // several webhooks of a company often share a host
	})
	s.graph = channels.NewGraph(c.WhatsAppBaseURL)
	if c.PublicURL != "" {
		s.graph.PublicURL = c.PublicURL + c.BasePath
	}
	s.Desk = New(Options{
		Store: db, Blob: media, Vault: keys, Guard: s.guard, Logger: c.Logger, Numbers: s.graph, Now: c.Now, Rate: c.Rate, Limits: c.Limits,
		Brand: c.Brand, Retries: c.WebhookRetries, Passwords: c.Passwords,
	})
	for _, extend := range c.Extensions {
		s.extensions = append(s.extensions, extend(s.Desk))
	}
	if err := s.checkSecretKey(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

const mediaFolder = "media"

func openBlob(ctx context.Context, c Config) (blob.Store, error) {
	switch {
	case c.Existing:
		return nil, nil // no administrative command touches media
	case c.S3 != nil:
		return blob.NewS3(ctx, *c.S3)
	}
	return blob.NewDisk(filepath.Join(c.DataDir, mediaFolder))
}

// Start serves until Stop.
func Start(ctx context.Context, c Config) (*Server, error) {
	s, err := open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	if err := s.serve(); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	return s, nil
}

func (s *Server) serve() error {
	l, err := net.Listen("tcp", s.config.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", s.config.Addr, err)
	}
	s.addr = l.Addr()
	public := s.config.PublicURL
	if public == "" {
		public = "http://" + l.Addr().String()
	}
	s.URL = public + s.config.BasePath
	s.graph.PublicURL = s.URL
	shown, err := pages(s.config.BasePath)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s.live = live.New(live.NewSources(s.Desk.People, s.Desk.Webhooks), s.config.Logger)
	s.API = newAPI(APIConfig{
		Desk: s.Desk, Live: s.live, BasePath: s.config.BasePath, PublicURL: public, Version: s.config.Version, Logger: s.config.Logger, Proxies: s.config.Proxies,
		Origins: s.config.Origins, Pages: shown, Storage: s.checkStorage, Extensions: s.extensions,
	})
	s.API.Keyed(httpserver.Path, httpserver.NewMCP(s.API.Server, cmp.Or(s.config.Version, "development"), s.config.Logger).Serve)
	s.http = &http.Server{
		Handler:           s.API,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      2 * time.Minute, // live streams and downloads set their own
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,

		DisableGeneralOptionsHandler: true, // OPTIONS * is answered like every other unknown address
		ErrorLog:                     slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
	}
	s.http.RegisterOnShutdown(s.API.EndStreams)
	s.deliver = &webhooks.Deliver{
		Desk: s.Desk.Webhooks, Guard: s.guard, Logger: s.config.Logger, Timeout: s.config.WebhookTimeout, Lease: s.config.Lease,
	}
	if s.config.Prepare != nil {
		if err := s.config.Prepare(s); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	if err := errors.Join(s.serveMetrics(), s.serveDebug()); err != nil {
		return errors.Join(err, s.closeInside(), l.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.run(ctx)
	go func() {
		if err := s.API.Serve(s.http, l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// run starts the loops.
func (s *Server) run(ctx context.Context) {
	log := s.config.Logger
	for _, loop := range []interface{ Run(context.Context) }{
		&people.Seen{Desk: s.Desk.People, Logger: log},
		&channels.Watchdog{Desk: s.Desk.Channels, Logger: log},
		&talk.SendLoop{Desk: s.Desk.Talk, Provider: &channels.WhatsApp{Desk: s.Desk.Channels, Graph: s.graph}, Logger: log, Lease: s.config.Lease},
		&talk.FetchLoop{Desk: s.Desk.Talk, Graph: s.graph, Logger: log},
		&talk.Receipts{Desk: s.Desk.Talk, Graph: s.graph, Logger: log},
		&talk.Index{Desk: s.Desk.Talk, Logger: log},
		&channels.Templates{Desk: s.Desk.Channels, Graph: s.graph, Logger: log},
		&Sweep{Desk: s.Desk, Logger: log, Now: s.config.Now},
		&Settle{Desk: s.Desk, Logger: log},
		&Schedule{Desk: s.Desk, Logger: log},
		&reception.Distribute{Desk: s.Desk.Receptionist, Logger: log},
		s.deliver,
		&webhooks.FeedLoop{Desk: s.Desk.Webhooks},
		s.live,
		&Retain{Desk: s.Desk, Logger: log},
	} {
		s.loops.Go(func() { loop.Run(ctx) })
	}
}

// Addr is the address that the server is bound to; URL is the one that others know.
func (s *Server) Addr() string { return s.addr.String() }

// Failed tells when serving ended by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop first waits for the time of Drain, so that load balancers stop routing to this server; then it takes no new
// calls, finishes those it accepted, ends the loops and closes the database.
func (s *Server) Stop(ctx context.Context) error {
	var err error
	if s.http != nil {
		s.drain(ctx)
		err = s.http.Shutdown(ctx)
	}
	err = errors.Join(err, s.closeInside())
	if s.stop != nil {
		s.stop()
	}
	s.loops.Wait()
	s.guard.Close()
	s.graph.Close()
	return errors.Join(err, s.store.Close())
}

// drain answers on, with every answer the last of its connection, so that no call is in progress when
// the listener closes.
func (s *Server) drain(ctx context.Context) {
	if s.config.Drain <= 0 {
		return
	}
	s.API.Drain()
	select {
	case <-time.After(s.config.Drain):
	case <-ctx.Done():
	}
}
