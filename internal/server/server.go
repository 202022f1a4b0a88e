// Package server connects the packages to a running process: database, capabilities, loops and the HTTP API. The command line
// and the tests use it.
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

// Config contains the settings of the operator.
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
	Limits      kernel.Limits      // of each company; nil: the defaults
	S3          *blob.S3Options    // nil: media on disk in DataDir
	Proxies     []netip.Prefix     // trusted proxies, which may set X-Forwarded headers
	Origins     httpserver.Origins // other origins whose pages may call the API with a key

	WebhookTimeout       time.Duration
	WebhookRetries       kernel.Retries
	WebhookAllowInsecure bool
	Version              string // of the binary, for the User-Agent of deliveries

	WhatsAppBaseURL string // "": Meta's Graph API

	Passwords people.PasswordCost // of their hashes; zero: people.DefaultPasswordCost

	Lease time.Duration // how long the work of a dead node waits; default: 20 s, for webhooks the timeout plus 6 s
	Drain time.Duration // how long a stopping server handles requests although it is not ready

	Existing      bool // open only existing data, without media: for administrative commands
	LostSecretKey bool // open a database whose secret key is lost, to replace its secrets

	// Extensions are further capabilities. They may register observers with the others.
	Extensions []func(*Desk) httpserver.Capability

	// Prepare is called when the address is known, before the first request is handled. It may be nil.
	Prepare func(*Server) error

	Logger *slog.Logger
	Now    func() time.Time // for tests; nil: time.Now
}

// Server is a running Recado.
type Server struct {
	Desk *Desk
	API  *API
	URL  string // the public URL with the base path

	config     Config
	store      *kernel.Store
	extensions []httpserver.Capability
	guard      *guard.Client
	graph      *channels.Graph
	http       *http.Server
	live       *live.Hub
	deliver    *webhooks.Deliver
	inside     []*http.Server // metrics and profiles for operators
	addr       net.Addr
	loops      sync.WaitGroup
	stop       context.CancelFunc
	failed     chan error
}

// Open opens the database and creates the desk without serving it and without limits, for administrative commands. On SQLite a
// server may be running at the same time.
func Open(ctx context.Context, c Config) (*Server, error) {
	c.Limits = kernel.NoLimits
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
		Store: db, Blob: media, Vault: keys, Guard: s.guard, Logger: c.Logger, Numbers: s.graph, Now: c.Now, Rate: c.Rate,
		Limits: c.Limits, Brand: c.Brand, Retries: c.WebhookRetries, Passwords: c.Passwords,
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
		return nil, nil // administrative commands do not use media
	case c.S3 != nil:
		return blob.NewS3(ctx, *c.S3)
	}
	return blob.NewDisk(filepath.Join(c.DataDir, mediaFolder))
}

// Start starts a server. Stop stops it.
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
	handlers, err := pages(s.config.BasePath)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	s.live = live.New(live.NewSources(s.Desk.People, s.Desk.Webhooks), s.config.Logger)
	s.API = newAPI(APIConfig{
		Desk: s.Desk, Live: s.live, BasePath: s.config.BasePath, PublicURL: public, Version: s.config.Version,
		Logger: s.config.Logger, Proxies: s.config.Proxies, Origins: s.config.Origins, Pages: handlers, Storage: s.checkStorage,
		Extensions: s.extensions,
	})
	s.API.Keyed(httpserver.Path, httpserver.NewMCP(s.API.Server, cmp.Or(s.config.Version, "development"), s.config.Logger).Serve)
	s.http = &http.Server{
		Handler:           s.API,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      2 * time.Minute, // live streams and downloads have others
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,

		DisableGeneralOptionsHandler: true, // OPTIONS * is handled like other unknown paths
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

// Addr returns the address that the server listens on.
func (s *Server) Addr() string { return s.addr.String() }

// Failed returns a channel with the error if serving fails.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop waits for the Drain time, so that load balancers stop routing to this server. Then it finishes the running requests,
// stops the loops and closes the database.
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

// drain keeps handling requests, but closes each connection after its response, so that no request is running when the listener
// closes.
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
