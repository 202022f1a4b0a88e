// Package packaging tests the files in packaging/: everything they refer to exists, and the tools that read them accept
// them if installed.
package packaging

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/server"
	"recado/internal/webhooks"
	"recado/test/binary"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMain(m *testing.M) { binary.Main(m) }

func file(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "packaging", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// tool returns the path of a program. It skips the test if the program is not installed.
func tool(t *testing.T, name, pkg string) string {
	t.Helper()
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin") {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	t.Skipf("%s is not installed (apt-get install %s)", name, pkg)
	return ""
}

// dashboard returns the queries of the Grafana dashboard.
func dashboard(t *testing.T) (queries []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Query any } }
	}
	if err := json.Unmarshal([]byte(file(t, "grafana/recado.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, panel := range board.Panels {
		if panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("got a panel without a title or a query: %+v", panel)
		}
		for _, target := range panel.Targets {
			queries = append(queries, target.Expr)
		}
	}
	return queries
}

var metricName = regexp.MustCompile(`\b(?:recado|go|process)_[a-z_]+\b`)

func TestTheMetricsInAlertsAndDashboardExist(t *testing.T) {
	known := metrics(t)
	named := map[string]bool{}
	for _, text := range append(dashboard(t), file(t, "prometheus/alerts.yml")) {
		for _, name := range metricName.FindAllString(text, -1) {
			named[name] = true
			base := name
			for _, tail := range []string{"_bucket", "_count", "_sum"} {
				base = strings.TrimSuffix(base, tail)
			}
			if !known[name] && !known[base] {
				t.Errorf("the alerts or the dashboard use %s, which does not exist", name)
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "recado_") && !named[name] && !named[name+"_count"] && !named[name+"_bucket"] {
			t.Errorf("neither an alert nor the dashboard uses %s", name)
		}
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range known {
		if strings.HasPrefix(name, "recado_") && !strings.Contains(string(guide), name) {
			t.Errorf("docs/operating.md does not describe %s", name)
		}
	}
}

// metrics returns the names of all metrics of a server, including those without a value yet.
func metrics(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	all := []prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})}
	all = append(append(append(all, httpserver.Collectors()...), channels.Collectors()...), (&webhooks.Deliver{}).Collectors()...)
	descriptions := make(chan *prometheus.Desc, 1000)
	for _, collector := range all {
		collector.Describe(descriptions)
	}
	close(descriptions)
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for d := range descriptions {
		known[name.FindStringSubmatch(d.String())[1]] = true
	}
	// A running server also has recado_build_info and metrics of the Go runtime.
	addr := testkit.FreeAddress(t)
	servertest.Start(t, "", func(c *server.Config) { c.MetricsAddr, c.Version = addr, "v1.2.3" })
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `version="v1.2.3"`) {
		t.Error("/metrics has no recado_build_info with version v1.2.3")
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(string(text), -1) {
		known[m[1]] = true
	}
	return known
}

func TestPrometheusAcceptsTheAlertsAndTheDashboardQueries(t *testing.T) {
	promtool := tool(t, "promtool", "prometheus")
	rules := "groups:\n  - name: dashboard\n    rules:\n"
	variables := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*")
	for _, query := range dashboard(t) {
		quoted, err := json.Marshal(variables.Replace(query))
		if err != nil {
			t.Fatal(err)
		}
		rules += "      - record: dashboard:query\n        expr: " + string(quoted) + "\n"
	}
	path := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(path, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join("..", "..", "packaging", "prometheus", "alerts.yml"), path} {
		out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", name).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "duplicate rule") {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

func TestTheUnitsAreHardened(t *testing.T) {
	analyze := tool(t, "systemd-analyze", "systemd")
	for _, name := range []string{"recado.service", "recado-backup.service"} {
		unit := filepath.Join("..", "..", "packaging", "systemd", name)
		out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold=20", unit).CombinedOutput()
		if err != nil {
			t.Errorf("the exposure level of %s is above 2.0: %v\n%s", name, err, out)
		}
	}
}

// TestTheCommandsOfTheGuideInstallTheFilesOfTheUnits checks that docs/install.md installs every file that the units refer to.
func TestTheCommandsOfTheGuideInstallTheFilesOfTheUnits(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(raw)
	for _, unit := range []string{"recado.service", "recado-backup.service", "recado-backup.timer"} {
		testkit.Contains(t, "docs/install.md", guide, " packaging/systemd/"+unit+" ")
		named := regexp.MustCompile(`(?m)^(?:Documentation=file:|EnvironmentFile=-|ExecStart=)(/\S+)`).FindAllStringSubmatch(file(t, "systemd/"+unit), -1)
		if len(named) == 0 {
			t.Errorf("got no file names in %s, want some", unit)
		}
		for _, m := range named {
			// docs/ is copied as a whole, so the commands name only its parent folder.
			if path, _, _ := strings.Cut(m[1], "/docs/"); !strings.Contains(guide, " "+path+"\n") && !strings.Contains(guide, " "+path+"/\n") {
				t.Errorf("%s refers to %s, which docs/install.md does not install", unit, m[1])
			}
		}
	}
	if _, err := os.Stat(filepath.Join("..", "..", "docs", "operating.md")); err != nil {
		t.Error(err)
	}
}

// TestTheScheduledBackupKeepsTheLatestArchives runs the command of the unit with other folders.
func TestTheScheduledBackupKeepsTheLatestArchives(t *testing.T) {
	line := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/recado (backup --keep (\d+)) /var/lib/recado-backup$`).FindStringSubmatch(file(t, "systemd/recado-backup.service"))
	if line == nil {
		t.Fatal("recado-backup.service does not run recado backup --keep with its folder")
	}
	testkit.Contains(t, "the unit", file(t, "systemd/recado-backup.service"), "\nStateDirectory=recado recado-backup\n")
	testkit.Contains(t, "the timer", file(t, "systemd/recado-backup.timer"), "\nPersistent=true\n")
	data, folder := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "backups")
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), binary.Path(t), args...)
		c.Env = []string{"RECADO_DATA=" + data}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v %s", args, err, out)
		}
		return string(out)
	}
	run("company", "create", "Casa Clara")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for day := range 28 {
		writeFile(t, filepath.Join(folder, fmt.Sprintf("recado-202001%02dT033000Z.tar", day+1)), "old")
	}
	out := run(append(strings.Fields(line[1]), folder)...)
	archives, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || fmt.Sprint(len(archives)) != line[2] {
		t.Fatalf("got %d archives, want %s: %v", len(archives), line[2], err)
	}
	testkit.Contains(t, "output", out, archives[len(archives)-1])
	testkit.Contains(t, "check", run("backup", "--check", archives[len(archives)-1]), "can be restored")
}

func TestTheSettingsInThePackagingExist(t *testing.T) {
	help, err := exec.CommandContext(t.Context(), binary.Path(t), "serve", "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, help)
	}
	setting := regexp.MustCompile(`\bRECADO_[A-Z_]+\b`)
	for _, name := range []string{"Dockerfile", "compose.yaml", "compose.env.example", "systemd/recado.service", "systemd/recado-backup.service", "systemd/recado.env", "Dockerfile.release"} {
		for _, variable := range setting.FindAllString(file(t, name), -1) {
			flag := "--" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(variable, "RECADO_")), "_", "-")
			if !strings.Contains(string(help), flag) {
				t.Errorf("%s sets %s, but recado serve has no %s", name, variable, flag)
			}
		}
	}
}

func TestHealthReportsWhetherTheServerIsReady(t *testing.T) {
	w := servertest.Start(t, "", func(c *server.Config) { c.BasePath = "/desk" })
	for addr, want := range map[string]bool{w.Addr(): true, testkit.FreeAddress(t): false} {
		out, err := exec.CommandContext(t.Context(), binary.Path(t), "health", "--addr", addr, "--base-path", "/desk").CombinedOutput()
		if (err == nil) != want {
			t.Errorf("recado health of %s: got %v %s, want success %v", addr, err, out, want)
		}
	}
}
