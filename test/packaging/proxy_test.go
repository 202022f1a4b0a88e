package packaging

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// behind is a server with a base path behind a TLS proxy.
type behind struct {
	*servertest.World
	public string // URL of the proxy, with the base path
	client *http.Client
}

// start starts a server and a proxy in front of it. write writes the proxy's configuration for their addresses and the
// certificate in folder.
func start(t *testing.T, command string, args []string, write func(folder, proxy, server string)) *behind {
	t.Helper()
	proxy := testkit.FreeAddress(t)
	w := servertest.Start(t, "", func(c *server.Config) {
		c.BasePath, c.PublicURL, c.Now = "/desk", "https://"+proxy, nil
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	folder := t.TempDir()
	pool := certificate(t, folder)
	write(folder, proxy, w.Addr())
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FOLDER", folder)
	}
	run := exec.Command(command, args...)
	run.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	run.Env = append(os.Environ(), "HOME="+folder)
	var log bytes.Buffer
	run.Stdout, run.Stderr = &log, &log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill() // on SIGTERM it would wait for open streams
		_ = run.Wait()
		if t.Failed() {
			t.Logf("log of the proxy: %s", log.String())
		}
	})
	b := &behind{World: w, public: "https://" + proxy + "/desk"}
	b.client = &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(b.client.CloseIdleConnections)
	testkit.Eventually(t, "the proxy responds", func() bool {
		resp, err := b.client.Get(b.public + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return b
}

// certificate writes cert.pem and key.pem for 127.0.0.1 and returns a pool that trusts them.
func certificate(t *testing.T, folder string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "desk"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: raw}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	return pool
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replaced replaces parts of a sample. Each of them must occur in it.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the sample does not contain %q", pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func TestTheServerWorksBehindTheNginxSample(t *testing.T) {
	nginx := tool(t, "nginx", "nginx-light")
	b := start(t, nginx, []string{"-p", "FOLDER", "-c", "FOLDER/nginx.conf", "-e", "FOLDER/error.log"}, func(folder, proxy, server string) {
		_, port, _ := net.SplitHostPort(proxy)
		sample := replaced(t, file(t, "proxy/nginx.conf"),
			"listen [::]:443 ssl http2;", "", "listen 443", "listen 127.0.0.1:"+port, "127.0.0.1:8080", server,
			"/etc/ssl/recado", folder, "desk.example.com;", "127.0.0.1;")
		writeFile(t, filepath.Join(folder, "nginx.conf"), "daemon off;\nmaster_process off;\npid "+folder+"/pid;\nevents {}\nhttp {\naccess_log off;\n"+
			"client_body_temp_path "+folder+"/body;\nproxy_temp_path "+folder+"/proxy;\nfastcgi_temp_path "+folder+"/f;\nuwsgi_temp_path "+folder+"/u;\nscgi_temp_path "+folder+"/s;\n"+
			sample+"\n}\n")
	})
	b.check(t)
}

func TestTheServerWorksBehindTheCaddySample(t *testing.T) {
	caddy := tool(t, "caddy", "caddy")
	b := start(t, caddy, []string{"run", "--adapter", "caddyfile", "--config", "FOLDER/Caddyfile"}, func(folder, proxy, server string) {
		sample := replaced(t, file(t, "proxy/Caddyfile"), "127.0.0.1:8080", server,
			"desk.example.com {\n", "https://"+proxy+" {\n\ttls "+folder+"/cert.pem "+folder+"/key.pem\n")
		writeFile(t, filepath.Join(folder, "Caddyfile"), "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"+sample)
	})
	b.check(t)
}

// check tests what proxies break most easily: the base path, large uploads, live streams and session cookies.
func (b *behind) check(t *testing.T) {
	t.Helper()
	testkit.Equal(t, "status of the app", b.status(t, http.MethodGet, "/", "", nil), http.StatusOK)
	testkit.Equal(t, "status without the slash", b.status(t, http.MethodGet, "", "", nil), http.StatusPermanentRedirect)
	form, kind := testkit.FileForm("large.txt", strings.Repeat("a line of a large file\n", 200_000))
	testkit.Equal(t, "status of a large upload", b.status(t, http.MethodPost, "/v1/media", kind, bytes.NewBuffer(form)), http.StatusCreated)
	b.checkStream(t)
	b.checkSession(t)
}

func (b *behind) request(t *testing.T, ctx context.Context, method, path, kind string, body *bytes.Buffer) *http.Response {
	t.Helper()
	if body == nil {
		body = &bytes.Buffer{}
	}
	r, err := http.NewRequestWithContext(ctx, method, b.public+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if !strings.HasSuffix(path, "/session") {
		r.Header.Set("Authorization", "Bearer "+b.A.Secret())
	}
	resp, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func (b *behind) status(t *testing.T, method, path, kind string, body *bytes.Buffer) int {
	t.Helper()
	resp := b.request(t, t.Context(), method, path, kind, body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// checkStream follows the event stream and waits for an event while it is open.
func (b *behind) checkStream(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	resp := b.request(t, ctx, http.MethodGet, "/v1/events/stream", "", nil)
	defer func() { _ = resp.Body.Close() }()
	testkit.Equal(t, "status of the stream", resp.StatusCode, http.StatusOK)
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for text := bufio.NewScanner(resp.Body); text.Scan(); {
			lines <- text.Text()
		}
	}()
	made := b.request(t, ctx, http.MethodPost, "/v1/channels", "application/json", bytes.NewBufferString(`{"name":"Box","provider":"sandbox","phone":"+5511912345678"}`))
	var channel struct{ ID string }
	if err := errors.Join(json.NewDecoder(made.Body).Decode(&channel), made.Body.Close()); err != nil {
		t.Fatal(err)
	}
	message := bytes.NewBufferString(`{"from":"+5511987654321","text":"Bom dia"}`)
	testkit.Equal(t, "status of a message", b.status(t, http.MethodPost, "/v1/channels/"+channel.ID+"/simulate", "application/json", message), http.StatusCreated)
	for {
		line, open := testkit.Receive(t, "an event on the stream", lines)
		if !open {
			t.Fatal("the stream ended without the event")
		}
		if strings.Contains(line, "message.received") {
			return
		}
	}
}

// checkSession signs in with a wrong password. The server refuses the password, not the connection, because it knows that
// the client uses TLS.
func (b *behind) checkSession(t *testing.T) {
	t.Helper()
	body := bytes.NewBufferString(`{"email":"unknown@example.com","password":"not the password"}`)
	testkit.Equal(t, "status of a wrong sign-in", b.status(t, http.MethodPost, "/v1/session", "application/json", body), http.StatusUnauthorized)
}
