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

	"recado/internal/api"
	"recado/internal/blob"
	"recado/internal/desk"
	"recado/internal/guard"
	"recado/internal/live"
	"recado/internal/mcp"
	"recado/internal/model"
	"recado/internal/password"
	"recado/internal/site"
	"recado/internal/store"
	"recado/internal/work"
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
	Rate        model.Rate
	Limits      model.Limits    // of each company; zero: model.DefaultLimits
	S3          *blob.S3Options // nil: media on disk in DataDir
	Proxies     []netip.Prefix  // trusted ones, whose X-Forwarded headers are believed
	Origins     site.Origins    // of other sites whose pages may call the API with a key

	WebhookTimeout       time.Duration
	WebhookRetries       model.Retries
	WebhookAllowInsecure bool
	Version              string // of the binary, for the User-Agent of deliveries

	WhatsAppBaseURL string // "": Meta's Graph API

	Passwords password.Cost // of their hashes; zero: password.DefaultCost

	Lease time.Duration // how long a dead node keeps its work from the others; default: 20 s, for webhooks the timeout and 6 s
	Drain time.Duration // how long a stopping server answers on while it says that it is not ready

	Existing      bool // opens only what exists, without media: for administrative commands
	LostSecretKey bool // opens a database whose secret key is lost, to replace its secrets

	// Prepare runs once the address is known and before the first call is answered; callers wait meanwhile.
	Prepare func(*Server) error

	Logger *slog.Logger
	Now    func() time.Time // tests choose it
}

// Server is a running Recado.
type Server struct {
	Desk *desk.Desk
	API  *api.Server
	URL  string // the address of the API, base path included

	config  Config
	store   *store.Store
	guard   *guard.Client
	graph   *work.Graph
	http    *http.Server
	live    *live.Hub
	deliver *work.Deliver
	inside  []*http.Server // metrics and profiles, for operators only
	addr    net.Addr
	loops   sync.WaitGroup
	stop    context.CancelFunc
	failed  chan error
}

// Open makes the desk without serving it and without limits: what the administrative commands need. On
// SQLite it works beside a running server.
func Open(ctx context.Context, c Config) (*Server, error) {
	c.Limits = model.NoLimits // they bind callers of the API, not the operator
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
	db, err := store.Open(ctx, store.Options{Dir: c.DataDir, DatabaseURL: c.DatabaseURL, Now: c.Now, Logger: c.Logger, Shared: shared})
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
	s.graph = work.NewGraph(c.WhatsAppBaseURL)
	if c.PublicURL != "" {
		s.graph.PublicURL = c.PublicURL + c.BasePath
	}
	s.Desk = desk.New(desk.Options{
		Store: db, Blob: media, Vault: keys, Guard: s.guard, Logger: c.Logger, Numbers: s.graph, Now: c.Now, Rate: c.Rate, Limits: c.Limits,
		Brand: c.Brand, Retries: c.WebhookRetries, Passwords: c.Passwords,
	})
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
	s.live = live.New(s.Desk, s.config.Logger)
	s.API = api.New(api.Options{
		Desk: s.Desk, Live: s.live, BasePath: s.config.BasePath, PublicURL: public, Logger: s.config.Logger, Proxies: s.config.Proxies,
		Origins: s.config.Origins, Pages: shown, Storage: s.checkStorage,
	})
	s.API.Keyed(mcp.Path, mcp.New(s.API, s.Desk, cmp.Or(s.config.Version, "development"), s.config.Logger).Serve)
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
	s.deliver = &work.Deliver{
		Desk: s.Desk.System(), Guard: s.guard, Logger: s.config.Logger, Timeout: s.config.WebhookTimeout, Lease: s.config.Lease,
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
		&work.Seen{Desk: s.Desk.System(), Logger: log},
		&work.Watchdog{Desk: s.Desk.System(), Logger: log},
		&work.Send{Desk: s.Desk.System(), Provider: &work.WhatsApp{Desk: s.Desk.System(), Graph: s.graph}, Logger: log, Lease: s.config.Lease},
		&work.Fetch{Desk: s.Desk.System(), Graph: s.graph, Logger: log},
		&work.Receipts{Desk: s.Desk.System(), Graph: s.graph, Logger: log},
		&work.Index{Desk: s.Desk.System(), Logger: log},
		&work.Templates{Desk: s.Desk.System(), Graph: s.graph, Logger: log},
		&work.Sweep{Desk: s.Desk.System(), Logger: log, Now: s.config.Now},
		&work.Settle{Desk: s.Desk.System(), Logger: log},
		&work.Schedule{Desk: s.Desk.System(), Logger: log},
		&work.Distribute{Desk: s.Desk.System(), Logger: log},
		s.deliver,
		&work.Feed{Desk: s.Desk.System()},
		s.live,
		&work.Retain{Desk: s.Desk.System(), Logger: log},
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
