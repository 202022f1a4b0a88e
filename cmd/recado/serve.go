package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"recado/internal/admin"
	"recado/internal/blob"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/internal/vault"
)

// databaseFlags are the flags of all commands that open the database.
type databaseFlags struct {
	Data        string `default:"./data" help:"Folder with the SQLite database, the media and the secret key (${default})." placeholder:"DIR"`
	DatabaseURL string `name:"database-url" secret:"" help:"URL of a PostgreSQL database to use instead of SQLite (postgres://…)." placeholder:"URL"`
	SecretKey   string `name:"secret-key" secret:"" help:"Key that encrypts stored secrets, for several nodes; default: a file in the data folder." placeholder:"BASE64"`

	DatabaseURLFile string `name:"database-url-file" help:"File that contains the database URL." placeholder:"FILE"`
	SecretKeyFile   string `name:"secret-key-file" help:"File that contains the secret key." placeholder:"FILE"`
}

func (f databaseFlags) config(e *env) (server.Config, error) {
	if f.DatabaseURL != "" && !strings.HasPrefix(f.DatabaseURL, "postgres://") && !strings.HasPrefix(f.DatabaseURL, "postgresql://") {
		return server.Config{}, fmt.Errorf("--database-url must start with postgres:// (%w)", errUsage)
	}
	if f.SecretKey != "" {
		if _, err := vault.FromEnv(f.SecretKey); err != nil {
			return server.Config{}, fmt.Errorf("--secret-key: %v (%w)", err, errUsage)
		}
	}
	return server.Config{DataDir: f.Data, DatabaseURL: f.DatabaseURL, SecretKey: f.SecretKey, Logger: e.log}, nil
}

type serveCmd struct {
	databaseFlags
	addressFlags
	Addr        string `default:"127.0.0.1:8080" help:"Address to listen on (${default})." placeholder:"HOST:PORT"`
	MetricsAddr string `name:"metrics-addr" help:"Address for Prometheus metrics; none by default." placeholder:"HOST:PORT"`
	DebugAddr   string `name:"debug-addr" help:"Loopback address for profiling with pprof; none by default." placeholder:"HOST:PORT"`
	Brand       string `default:"Service" help:"Name in the X-<Brand>-* headers of webhook deliveries."`
	Rate        int64  `default:"100" help:"Requests per second for keys without a rate of their own."`
	Burst       int64  `default:"200" help:"Maximum burst for such keys."`

	Limits     string `help:"Changes to the limits of each company, such as keys=1000,boards=400; see Limits in docs/api.md." placeholder:"NAME=N,..."`
	MediaQuota string `name:"media-quota" help:"Maximum size of stored files per company (50GiB)." placeholder:"SIZE"`

	S3 s3Flags `embed:"" prefix:"s3-" group:"Media in S3, shared by several nodes (default: the data folder):"`

	WebhookTimeout       time.Duration `name:"webhook-timeout" default:"8s" help:"Time limit for the response of a webhook receiver."`
	WebhookRetries       string        `name:"webhook-retries" default:"30s,2m,10m,1h,6h" help:"Delay before each retry of a delivery."`
	WebhookAllowInsecure bool          `name:"webhook-allow-insecure" help:"Development only: allow http and internal addresses."`

	TrustedProxies []network `name:"trusted-proxies" help:"Addresses or networks of the proxies in front of this server whose X-Forwarded-For and X-Forwarded-Proto headers are trusted." placeholder:"CIDR,..."`

	CORSOrigins []string `name:"cors-origins" help:"Origins of other sites whose pages can call the API with a key, such as https://crm.example.com; none by default. Sessions are never accepted from them." placeholder:"ORIGIN,..."`

	Lease time.Duration `help:"Time after which other nodes take over the work of a dead node; default: 20s, for webhooks the timeout plus 6s."`
	Drain time.Duration `default:"0s" help:"How long to keep serving after SIGTERM while /readyz returns 503, so that load balancers stop sending requests."`

	Demo bool `help:"If the database is empty, create two demo companies and write demo.json."`
}

// s3Flags configure a bucket for media.
type s3Flags struct {
	Bucket    string `help:"Bucket for the media; it must exist." placeholder:"NAME"`
	Endpoint  string `help:"URL of the S3 service." placeholder:"URL"`
	Region    string `help:"Region of the bucket; default: determined by the service."`
	Prefix    string `help:"Prefix of all object names."`
	AccessKey string `help:"Access key; default: the AWS environment variables, then the role of the machine."`
	SecretKey string `secret:"" help:"Secret key for the access key."`

	SecretKeyFile string `help:"File that contains this secret key." placeholder:"FILE"`
}

func (f s3Flags) options() (*blob.S3Options, error) {
	if f == (s3Flags{}) {
		return nil, nil
	}
	if f.Bucket == "" || f.Endpoint == "" {
		return nil, fmt.Errorf("--s3-bucket and --s3-endpoint must be set together (%w)", errUsage)
	}
	return &blob.S3Options{
		Endpoint: f.Endpoint, Region: f.Region, Bucket: f.Bucket, Prefix: f.Prefix, AccessKey: f.AccessKey, SecretKey: f.SecretKey,
	}, nil
}

func (c *serveCmd) Run(e *env) error {
	config, err := c.configure(e)
	if err != nil {
		return err
	}
	if c.Demo {
		clock := &admin.Clock{}
		config.Now = clock.Now
		config.Prepare = func(s *server.Server) error { return c.demo(e, s, clock) }
	}
	s, err := server.Start(e.ctx, config)
	if err != nil {
		return err
	}
	time.AfterFunc(time.Second, debug.FreeOSMemory) // the start needs more memory than normal operation
	e.log.Info("serving", slog.String("address", s.Addr()), slog.String("public_url", s.URL), slog.String("version", version))
	supervisor := newSupervisor(e)
	supervisor.notify("READY=1")
	defer supervisor.watch(s.Desk.Ready)()
	token, needed, err := s.Desk.People.NewSetupToken(e.ctx)
	if err == nil && needed {
		_, err = fmt.Fprintf(e.stdout, "There is no company yet. Open this link to create one:\n  %s/#/setup?token=%s\n", s.URL, url.QueryEscape(token))
	}
	if err != nil && e.ctx.Err() == nil { // stopping during the start is not an error
		return errors.Join(err, s.Stop(context.WithoutCancel(e.ctx)))
	}
	var failed error
	select {
	case <-e.ctx.Done():
	case failed = <-s.Failed():
	}
	supervisor.notify("STOPPING=1")
	e.log.Info("stopping: finishing what was accepted")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return errors.Join(failed, s.Stop(ctx))
}

// configure checks the flags and returns the configuration.
func (c *serveCmd) configure(e *env) (server.Config, error) {
	config, err := c.databaseFlags.config(e)
	if err != nil {
		return config, err
	}
	if config.S3, err = c.S3.options(); err != nil {
		return config, err
	}
	if config.Limits, err = kernel.ParseLimits(c.Limits); err != nil {
		return config, fmt.Errorf("--limits: %v (%w)", err, errUsage)
	}
	if c.MediaQuota != "" {
		if config.Limits[talk.LimitMediaBytes], err = kernel.ParseSize(c.MediaQuota); err != nil {
			return config, fmt.Errorf("--media-quota: %v (%w)", err, errUsage)
		}
	}
	retries, invalid := kernel.ParseRetries(c.WebhookRetries)
	switch {
	case invalid != nil:
		return config, fmt.Errorf("--webhook-retries: %v (%w)", invalid, errUsage)
	case c.Rate < 1 || c.Burst < 1:
		return config, fmt.Errorf("--rate and --burst must be at least 1 (%w)", errUsage)
	case c.WebhookTimeout <= 0:
		return config, fmt.Errorf("--webhook-timeout must be positive (%w)", errUsage)
	case c.Lease != 0 && c.Lease < c.WebhookTimeout+time.Second:
		return config, fmt.Errorf("--lease must be at least a second longer than --webhook-timeout (%w)", errUsage)
	case c.Drain < 0 || c.Drain > 20*time.Second:
		return config, fmt.Errorf("--drain must be between 0s and 20s (%w)", errUsage)
	case !plainHeaderName(c.Brand):
		return config, fmt.Errorf("--brand must be letters and digits (%w)", errUsage)
	}
	if err := checkAddress("--addr", c.Addr); err != nil {
		return config, err
	}
	if err := checkAddress("--metrics-addr", c.MetricsAddr); c.MetricsAddr != "" && err != nil {
		return config, err
	}
	if err := checkLoopback("--debug-addr", c.DebugAddr); c.DebugAddr != "" && err != nil {
		return config, err
	}
	if err := c.addressFlags.apply(&config); err != nil {
		return config, err
	}
	if config.Origins, err = httpserver.ParseOrigins(c.CORSOrigins); err != nil {
		return config, fmt.Errorf("--cors-origins: %w (%w)", err, errUsage)
	}
	config.Addr, config.MetricsAddr, config.DebugAddr = c.Addr, c.MetricsAddr, c.DebugAddr
	config.Lease, config.Drain = c.Lease, c.Drain
	for _, proxy := range c.TrustedProxies {
		config.Proxies = append(config.Proxies, proxy.Prefix)
	}
	config.Version, config.Brand, config.Rate = version, c.Brand, kernel.Rate{PerSecond: c.Rate, Burst: c.Burst}
	config.WebhookTimeout, config.WebhookRetries, config.WebhookAllowInsecure = c.WebhookTimeout, retries, c.WebhookAllowInsecure
	return config, nil
}

// addressFlags are the addresses of this server and of WhatsApp.
type addressFlags struct {
	PublicURL       string `name:"public-url" help:"Public URL of this server; default: http:// and the address." placeholder:"URL"`
	BasePath        string `name:"base-path" help:"Sub-path to serve under, such as /desk." placeholder:"PATH"`
	WhatsAppBaseURL string `name:"whatsapp-base-url" help:"URL of the WhatsApp Cloud API; default: Meta's." placeholder:"URL"`
}

func (f addressFlags) apply(config *server.Config) error {
	if err := f.check(); err != nil {
		return err
	}
	config.PublicURL, config.BasePath = strings.TrimSuffix(f.PublicURL, "/"), f.BasePath
	config.WhatsAppBaseURL = strings.TrimSuffix(f.WhatsAppBaseURL, "/")
	return nil
}

func (f addressFlags) check() error {
	if f.BasePath != "" && (!pathForm.MatchString(f.BasePath) || path.Clean(f.BasePath) != f.BasePath) { // proxies would change it
		return fmt.Errorf("--base-path must start with a slash, not end with one, and contain only letters, digits and -._~,  "+
			"such as /desk (%w)", errUsage)
	}
	if f.PublicURL != "" && !plainAddress(f.PublicURL) {
		return fmt.Errorf("--public-url must be an address such as https://desk.example.com, without a path (%w)", errUsage)
	}
	if f.WhatsAppBaseURL != "" && !plainAddress(f.WhatsAppBaseURL) {
		return fmt.Errorf("--whatsapp-base-url must be an address such as https://graph.facebook.com, without a path (%w)", errUsage)
	}
	return nil
}

// network is a flag with a network such as 10.0.0.0/8, or a single address.
type network struct{ netip.Prefix }

// UnmarshalText parses a network or an address.
func (n *network) UnmarshalText(text []byte) (err error) {
	if addr, err := netip.ParseAddr(string(text)); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		n.Prefix = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is neither an address such as 127.0.0.1 nor a network such as 10.0.0.0/8", text)
	}
	return nil
}

// plainAddress reports whether text is an http or https URL without a path.
func plainAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && strings.Trim(u.Path, "/") == "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

var pathForm = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// checkAddress returns an error for an invalid listen address.
func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("%s must be an address such as 127.0.0.1:8080, not %q (%w)", flag, address, errUsage)
	}
	return nil
}

// checkLoopback returns an error for an address that other machines can reach.
func checkLoopback(flag, address string) error {
	if err := checkAddress(flag, address); err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s must be a loopback address, such as 127.0.0.1:6060, not %q (%w)", flag, address, errUsage)
	}
	return nil
}

var plainHeaderName = regexp.MustCompile(`^[A-Za-z0-9]+$`).MatchString

// demo fills an empty database and prints the addresses and logins. If there are companies, it prints demo.json again.
func (c *serveCmd) demo(e *env, s *server.Server, clock *admin.Clock) error {
	path := filepath.Join(c.Data, "demo.json")
	companies, err := s.Desk.People.Companies(e.ctx)
	if err != nil {
		return err
	}
	made := &admin.Demo{}
	if len(companies) == 0 {
		if made, err = admin.Make(context.WithoutCancel(e.ctx), s.Desk, clock, rand.Text()); err != nil {
			return fmt.Errorf("the demo could not be created: %w", err)
		}
	} else {
		raw, err := os.ReadFile(path)
		if err != nil {
			return printed(e, "The database is not empty: no demo was created.", nil)
		}
		if err := json.Unmarshal(raw, made); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	made.BaseURL = s.URL + "/v1"
	if at, err := netip.ParseAddrPort(s.Addr()); err == nil && at.Addr().Unmap().IsLoopback() {
		if err := s.API.ShowDemo(e.ctx, people.DemoLogin{Email: made.Login.Email, Password: made.Login.Password}); err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return err
	}
	// The file appears when it is complete, because scripts wait for it.
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "Recado is running.\n  address  %s\n  login    %s / %s\n  API key  %s\n  more     %s\n\n  curl -H 'Authorization: Bearer %s' %s/me\n\n",
		strings.TrimSuffix(made.BaseURL, "/v1")+"/", made.Login.Email, made.Login.Password, made.Companies[0].APIKey, path, made.Companies[0].APIKey, made.BaseURL)
	return err
}

// supervisor notifies the service manager of the state of the process, such as systemd with Type=notify; see sd_notify(3).
type supervisor struct {
	*env
	socket string // "": there is none
}

func newSupervisor(e *env) *supervisor {
	socket := e.getenv("NOTIFY_SOCKET")
	if name, abstract := strings.CutPrefix(socket, "@"); abstract {
		socket = "\x00" + name
	}
	return &supervisor{env: e, socket: socket}
}

// notify sends a state such as READY=1.
func (s *supervisor) notify(state string) {
	if s.socket == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.socket, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		s.log.Warn("the service manager was not notified", slog.String("state", state), slog.Any("error", err))
	}
}

// watch sends keep-alive notifications, twice per WatchdogSec=, while check succeeds and until the returned function is called.
func (s *supervisor) watch(check func(ctx context.Context) error) (stop func()) {
	usec, err := strconv.ParseInt(s.getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 || s.socket == "" {
		return func() {}
	}
	interval := time.Duration(usec) * time.Microsecond / 2
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			checking, cancel := context.WithTimeout(ctx, interval)
			err := check(checking)
			cancel()
			switch {
			case err == nil:
				s.notify("WATCHDOG=1")
			case ctx.Err() == nil:
				s.log.Warn("the server is not ready, so the service manager is not notified", slog.Any("error", err))
			}
		}
	}()
	return stop
}
