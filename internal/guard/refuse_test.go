package guard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
)

// refusedAddresses has the first and last address of every refused range, and common targets: metadata services,
// gateways, tunnels into IPv4.
var refusedAddresses = strings.Fields(`
	0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255
	10.0.0.0 10.0.0.1 10.96.0.1 10.255.255.255
	100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255
	127.0.0.0 127.0.0.1 127.0.0.53 127.1.1.1 127.255.255.254 127.255.255.255
	169.254.0.0 169.254.0.1 169.254.169.254 169.254.169.253 169.254.170.2 169.254.255.255
	172.16.0.0 172.16.0.1 172.17.0.1 172.20.10.5 172.31.255.255
	192.0.0.0 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.0.255
	192.0.2.0 192.0.2.1 192.0.2.255
	192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255
	192.88.99.0 192.88.99.1 192.88.99.255
	192.168.0.0 192.168.0.1 192.168.1.1 192.168.255.255
	192.175.48.0 192.175.48.1 192.175.48.255
	198.18.0.0 198.18.0.1 198.19.255.255
	198.51.100.0 198.51.100.1 198.51.100.255
	203.0.113.0 203.0.113.1 203.0.113.255
	224.0.0.0 224.0.0.1 224.0.0.251 239.255.255.250 239.255.255.255
	240.0.0.0 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255
	168.63.129.16
	:: ::1 ::2 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8
	::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:192.168.1.1 ::ffff:0.0.0.0 ::ffff:168.63.129.16
	::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8
	64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 64:ff9b:1:ffff::a00:1
	100::1 100:0:0:1::1 200::1 400::1 1fff:ffff::1
	2001::1 2001:0:7f00:1:: 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff:ffff::1
	2001:db8::1 2001:db8:ffff:ffff::1
	2002::1 2002:7f00:1:: 2002:a00:1:: 2002:a9fe:a9fe:: 2002:c0a8:101:: 2002:ffff:ffff::1
	2620:4f:8000::1 2620:4f:8000:ffff::1
	3fff::1 3fff:fff:ffff::1
	2600:1f18::5efe:7f00:1 2600:1f18::200:5efe:a00:1 2a00:1450::5efe:808:808
	4000::1 5f00::1 6000::1 8000::1 a000::1 c000::1 e000::1 f000::1
	fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fdff:ffff::1
	fe00::1 fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1
	ff00::1 ff01::1 ff02::1 ff02::fb ff05::2 ff0e::1 ffff::1
`)

// refusedSpellings must fail before any name is resolved.
var refusedSpellings = []string{
	// Schemes and forms.
	"", " ", "https://", "https:///hook", "https:example.com", "//example.com/", "example.com/hook", "/hook",
	"http://example.com/", "HTTP://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/",
	"ws://example.com/", "javascript:alert(1)", "data:text/plain,x", "unix:///var/run/docker.sock", "dict://example.com:11211/",
	" https://example.com/", "https://exa mple.com/", "https://example.com\n/", "https://example.com\x00/", "https://example.com/\x7f",
	"https://example.com/\xff", "https://\xffexample.com/",
	// User info.
	"https://user@example.com/", "https://user:secret@example.com/", "https://@example.com/", "https://:@example.com/",
	"https://example.com@127.0.0.1/", "https://127.0.0.1@example.com/", `https://example.com\@127.0.0.1/`, "https://example.com%40127.0.0.1/",
	// Ports.
	"https://example.com:0/", "https://example.com:65536/", "https://example.com:99999999999999999999/", "https://example.com:-1/",
	"https://example.com:http/", "https://example.com:+443/", "https://example.com:443:443/", "https://example.com:4 43/",
	// Internal names.
	"https://localhost/", "https://localhost./", "https://LOCALHOST/", "https://LocalHost:8443/", "https://localhost../",
	"https://app.localhost/", "https://app.localhost./", "https://APP.LOCALHOST/", "https://a.b.localhost/",
	"https://printer.local/", "https://printer.local./", "https://PRINTER.Local/",
	"https://metadata.google.internal/", "https://METADATA.google.INTERNAL./", "https://ip-10-0-0-1.ec2.internal/", "https://db.internal/",
	"https://router.home.arpa/", "https://home.arpa/", "https://home.arpa./",
	"https://kubernetes.default.svc/", "https://kubernetes.default.SVC./", "https://kubernetes.default.svc.cluster.local/", "https://cluster.local/",
	"https://metadata.goog/", "https://metadata.goog./", "https://Metadata.Goog/", "https://x.metadata.goog/",
	// One label.
	"https://intranet/", "https://redis:6379/", "https://postgres/", "https://com/", "https://com./", "https://metadata/", "https://kubernetes/",
	// Malformed names.
	"https://./", "https://../", "https://.example.com/", "https://example..com/", "https://example.com../", "https://-example.com/",
	"https://example-.com/", "https://exam_ple.com/", "https://exam,ple.com/", "https://*.example.com/", "https://example.com;127.0.0.1/",
	"https://example.com%00/", "https://example.com%2f/", "https://%6c%6f%63alhost/", "https://127.0.0.1%2f@example.com/",
	"https://" + strings.Repeat("a", 64) + ".com/", "https://" + strings.Repeat("abcdefg.", 32) + "com/", "https://xn--a.com/", "https://xn--.com/",
	"https://example.com/" + strings.Repeat("a", 2048),
	// Numbers in the usual spelling.
	"https://127.0.0.1/", "https://127.0.0.1:8443/", "https://127.0.0.1./", "https://0.0.0.0/", "https://10.1.2.3/", "https://169.254.169.254/latest/meta-data/",
	"https://192.168.0.1/", "https://172.16.0.1/", "https://100.100.100.200/", "https://168.63.129.16/", "https://255.255.255.255/", "https://224.0.0.1/",
	// Numbers in spellings that some resolvers accept.
	"https://2130706433/", "https://2130706433./", "https://0/", "https://1/", "https://3232235777/", "https://2852039166/", "https://4294967295/", "https://8.8/",
	"https://0x7f000001/", "https://0X7F000001/", "https://0x7f.1/", "https://0x7f.0x0.0x0.0x1/", "https://0x7f.0.0.0x1/", "https://0x/", "https://0xa9fea9fe/",
	"https://0177.0.0.1/", "https://0177.1/", "https://017700000001/", "https://0177.0000.0000.0001/", "https://00000177.0.0.1/",
	"https://127.1/", "https://127.0.1/", "https://127.0.0.1.1/", "https://127.0.0.01/", "https://127.00.0.1/", "https://10.1/", "https://192.168.257/",
	"https://127.0.0.256/", "https://256.256.256.256/", "https://127.0.0.4294967296/", "https://1.2.3.4.5/", "https://127.0.0.1e0/", "https://08.8.8.8/",
	"https://169.254.43518/", "https://169.16689662/", "https://0xa9.0xfe.0xa9.0xfe/", "https://0251.0376.0251.0376/", "https://0x8.8.8.8/", "https://example.1/",
	// Digits and dots of other scripts.
	"https://１２７.０.０.１/", "https://①②⑦.⓪.⓪.①/", "https://127。0。0。1/", "https://127｡0｡0｡1/", "https://127．0．0．1/", "https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/",
	"https://¹²⁷.⁰.⁰.¹/", "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "https://ｌｏｃａｌｈｏｓｔ/", "https://loc\u00adalhost/", "https://local\u200bhost/", "https://lo\u2060calhost/",
	"https://app。localhost/", "https://db.ｉｎｔｅｒｎａｌ/", "https://２１３０７０６４３３/", "https://０ｘ７ｆ.1/", "https://exa\u202emple.com/", "https://example。/",
	// IPv6.
	"https://[::]/", "https://[::1]/", "https://[::1]:8443/", "https://[0:0:0:0:0:0:0:1]/", "https://[::127.0.0.1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
	"https://[::FFFF:A9FE:A9FE]/", "https://[0000:0000:0000:0000:0000:ffff:7f00:0001]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2001::1]/",
	"https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[2606:4700::1111%25eth0]/", "https://[fd00:ec2::254]/", "https://[fc00::1]/", "https://[ff02::1]/",
	"https://0.%80/", "https://[2001:db8::1]/", "https://[2600:1f18::5efe:7f00:1]/", "https://[127.0.0.1]/", "https://[8.8.8.8]/", "https://[example.com]/", "https://[]/", "https://[::1/", "https://::1/", "https://2606:4700::1111/",
}

func TestRefusals(t *testing.T) {
	if n := len(refusedAddresses) + len(refusedSpellings); n < 150 {
		t.Fatalf("the tables have %d cases, want at least 150", n)
	}

	t.Run("a spelling of an internal address is refused without a lookup", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		for _, raw := range refusedSpellings {
			u, err := c.CheckURL(raw)
			if refusal, ok := errors.AsType[*kernel.Error](err); !ok || refusal.Code != kernel.CodeURLNotAllowed ||
				len(refusal.Fields) != 1 || refusal.Fields[0].Field != "body.url" || refusal.Message == "" {
				t.Errorf("CheckURL(%.60q) = %v, %v", raw, u, err)
			}
			if _, err := c.Post(t.Context(), raw, nil, nil); kind(err) != KindRefusedAddress {
				t.Errorf("Post(%.60q): %v", raw, err)
			}
		}
		world.mustNotConnect(t)
		if lookups, _ := world.log(); len(lookups) > 0 {
			t.Errorf("names were resolved: %v", lookups)
		}
	})

	t.Run("a name that resolves to an internal address is refused at the socket", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		for i, text := range refusedAddresses {
			name := fmt.Sprintf("host-%d.example.com", i)
			world.resolves(name, []netip.Addr{netip.MustParseAddr(text)})
			if _, err := c.CheckURL("https://" + name); err != nil {
				t.Fatal(err)
			}
			_, err := c.Post(t.Context(), "https://"+name+"/hook", nil, []byte("{}"))
			if kind(err) != KindNoPublicAddress {
				t.Errorf("%s: got %v, want %s", text, err, KindNoPublicAddress)
			}
			if err != nil && strings.Contains(err.Error(), text) {
				t.Errorf("the customer sees the address %s: %v", text, err)
			}
		}
		world.mustNotConnect(t)
		if lookups, _ := world.log(); len(lookups) != len(refusedAddresses) {
			t.Errorf("lookups: got %d, want %d", len(lookups), len(refusedAddresses))
		}
	})

	t.Run("every refused address is refused as a literal too", func(t *testing.T) {
		c := New(Options{})
		for _, text := range refusedAddresses {
			host := text
			if strings.Contains(text, ":") {
				host = "[" + text + "]"
			}
			if u, err := c.CheckURL("https://" + host + "/"); err == nil {
				t.Errorf("%s was accepted as %s", text, u)
			}
		}
	})

	t.Run("only the public ones of several addresses are used", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		world.resolves("mixed.example.com", addrs("10.0.0.1", "93.184.215.14", "127.0.0.1", "fd00::1"))
		if _, err := c.Post(t.Context(), "https://mixed.example.com/", nil, nil); err == nil {
			t.Error("the connection was not stopped")
		}
		_, reached := world.log()
		if len(reached) != 1 || reached[0] != netip.MustParseAddrPort("93.184.215.14:443") {
			t.Errorf("connected to %v", reached)
		}
	})

	t.Run("a name that becomes private at the second lookup is refused", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		world.resolves("rebind.example.com", addrs("93.184.215.14"), addrs("169.254.169.254"))
		if _, err := c.Post(t.Context(), "https://rebind.example.com/", nil, nil); !errors.Is(err, errStopped) {
			t.Errorf("the first, public address: %v", err)
		}
		if _, err := c.Post(t.Context(), "https://rebind.example.com/", nil, nil); kind(err) != KindNoPublicAddress {
			t.Errorf("the second, private address: %v", err)
		}
		if _, reached := world.log(); len(reached) != 1 {
			t.Errorf("connected to %v", reached)
		}
	})

	t.Run("the machine's own public address is refused, even a new one", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		now := time.Unix(1_000_000, 0)
		own := "93.184.215.14/24"
		c.own.now = func() time.Time { return now }
		c.own.list = func() ([]net.Addr, error) {
			ip, network, err := net.ParseCIDR(own)
			return []net.Addr{&net.IPNet{IP: ip, Mask: network.Mask}}, err
		}
		world.resolves("self.example.com", addrs("93.184.215.14"))
		post := func() error {
			_, err := c.Post(t.Context(), "https://self.example.com/", nil, nil)
			return err
		}
		if err := post(); kind(err) != KindNoPublicAddress {
			t.Errorf("own address: %v", err)
		}
		own, now = "93.184.215.15/24", now.Add(ownAddressesLifetime)
		if err := post(); !errors.Is(err, errStopped) {
			t.Errorf("no longer our own: %v", err)
		}
		own, now = "93.184.215.14/24", now.Add(ownAddressesLifetime)
		if err := post(); kind(err) != KindNoPublicAddress {
			t.Errorf("our own again: %v", err)
		}
		if _, reached := world.log(); len(reached) != 1 {
			t.Errorf("connected to %v", reached)
		}
	})

	t.Run("nothing is sent when the machine's addresses are unknown", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		c.own.list = func() ([]net.Addr, error) { return nil, errors.New("denied") }
		world.resolves("www.example.com", addrs("93.184.215.14"))
		if _, err := c.Post(t.Context(), "https://www.example.com/", nil, nil); kind(err) != KindNoPublicAddress {
			t.Error(err)
		}
		world.mustNotConnect(t)
	})

	t.Run("a proxy in the environment is not used", func(t *testing.T) {
		t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
		world := newNetwork()
		c := New(world.options())
		world.resolves("www.example.com", addrs("93.184.215.14"))
		_, _ = c.Post(t.Context(), "https://www.example.com/", nil, nil)
		if _, reached := world.log(); len(reached) != 1 || reached[0].Port() != 443 {
			t.Errorf("connected to %v", reached)
		}
	})

	t.Run("an internal name and one that does not exist have the same error", func(t *testing.T) {
		world := newNetwork()
		c := New(world.options())
		world.resolves("inside.example.com", addrs("10.0.0.1"))
		_, inside := c.Post(t.Context(), "https://inside.example.com/", nil, nil)
		_, nowhere := c.Post(t.Context(), "https://nowhere.example.com/", nil, nil)
		if kind(inside) != KindNoPublicAddress || inside.Error() != nowhere.Error() {
			t.Errorf("inside: %v, nowhere: %v", inside, nowhere)
		}
	})
}

func TestAcceptedAddresses(t *testing.T) {
	c := New(Options{})
	for raw, want := range map[string]string{
		"https://example.com":                       "https://example.com",
		"https://example.com/hook?x=1&y=%20":        "https://example.com/hook?x=1&y=%20",
		"HTTPS://Example.COM:443/Hook":              "https://example.com:443/Hook",
		"https://example.com./hook":                 "https://example.com/hook",
		"https://example.com:/hook":                 "https://example.com/hook",
		"https://example.com:08443/hook":            "https://example.com:8443/hook",
		"https://exa--mple.example.com/":            "https://exa--mple.example.com/",
		"https://123.example.com/":                  "https://123.example.com/",
		"https://localhost.example.com/":            "https://localhost.example.com/",
		"https://notlocalhost.com/":                 "https://notlocalhost.com/",
		"https://mylocal.net/":                      "https://mylocal.net/",
		"https://recado.svc.example.com/":           "https://recado.svc.example.com/",
		"https://açaí.example.com/":                 "https://xn--aa-4iaz.example.com/",
		"https://xn--aa-4iaz.example.com/":          "https://xn--aa-4iaz.example.com/",
		"https://ｅｘａｍｐｌｅ.com/":                      "https://example.com/",
		"https://93.184.215.14/":                    "https://93.184.215.14/",
		"https://[2606:4700:4700:0::1111]:8443/":    "https://[2606:4700:4700::1111]:8443/",
		"https://[2606:4700:4700:0:0:0:0:1111]/":    "https://[2606:4700:4700::1111]/",
		"https://example.com/" + long(2048-20):      "https://example.com/" + long(2048-20),
		"https://172.15.255.255/":                   "https://172.15.255.255/",
		"https://172.32.0.1/":                       "https://172.32.0.1/",
		"https://100.63.255.255/":                   "https://100.63.255.255/",
		"https://168.63.129.17/":                    "https://168.63.129.17/",
		"https://[2001:200::1]/":                    "https://[2001:200::1]/",
		"https://0x7f.example.com/":                 "https://0x7f.example.com/",
		"https://hooks.example.co.uk:65535/a//b/./": "https://hooks.example.co.uk:65535/a//b/./",
	} {
		u, err := c.CheckURL(raw)
		if err != nil || u.String() != want {
			t.Errorf("CheckURL(%.60q) = %v, %v, want %s", raw, u, err, want)
		}
	}

	t.Run("development allows http and internal addresses only", func(t *testing.T) {
		c := New(Options{AllowInsecure: true})
		for _, raw := range []string{"http://localhost:8080/", "http://127.0.0.1/", "http://receiver:9000/x", "http://[::1]/", "https://db.internal/"} {
			if _, err := c.CheckURL(raw); err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		}
		for _, raw := range []string{"ftp://localhost/", "http://user@localhost/", "http://localhost:0/", "http://[fe80::1%25eth0]/", "http:///"} {
			if _, err := c.CheckURL(raw); err == nil {
				t.Errorf("%s was accepted", raw)
			}
		}
	})
}

func FuzzCheckURL(f *testing.F) {
	for _, raw := range refusedSpellings {
		f.Add(raw)
	}
	f.Add("https://example.com/hook")
	f.Add("https://[2606:4700::1111]:8443/")
	c := New(Options{})
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := c.CheckURL(raw)
		if err != nil {
			return
		}
		host := u.Hostname()
		if addr, err := netip.ParseAddr(host); err == nil && refusedRange(addr) {
			t.Fatalf("%q was accepted: %s", raw, host)
		}
		if u.Scheme != "https" || u.User != nil || !isASCII(u.Host) || internalName(host) {
			t.Fatalf("%q was accepted: %s", raw, u)
		}
		again, err := c.CheckURL(u.String())
		if len(u.String()) <= maxURLBytes && (err != nil || again.Host != u.Host) {
			t.Fatalf("%q became %q, which reads as %v, %v", raw, u, again, err)
		}
	})
}

func kind(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

func addrs(texts ...string) []netip.Addr {
	out := make([]netip.Addr, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParseAddr(text)
	}
	return out
}

func long(n int) string { return strings.Repeat("a", n) }
