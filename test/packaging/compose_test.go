package packaging

import (
	"bytes"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"recado/test/binary"
	"recado/test/testkit"
)

// composeFile has the fields of the Compose specification that compose.yaml uses. Parsing is strict: unknown fields fail
// the test.
type composeFile struct {
	Name     string
	Services map[string]composeService
	Volumes  map[string]*struct{}
}

type composeService struct {
	Build *struct {
		Context    string
		Dockerfile string
		Args       map[string]string
	}
	Image       string
	Restart     string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Environment map[string]string
	Ports       []string
	Volumes     []string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	StopGrace   string   `yaml:"stop_grace_period"`
	HealthCheck *struct {
		Test              []string
		Interval, Timeout string
		Retries           int
	}
}

func compose(t *testing.T) composeFile {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(file(t, "compose.yaml")))
	decoder.KnownFields(true)
	var out composeFile
	if err := decoder.Decode(&out); err != nil {
		t.Fatalf("compose.yaml: %v", err)
	}
	return out
}

// dockerfile returns the instructions of the last stage by name.
func dockerfile(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	stages := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(file(t, "Dockerfile"), "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "", "#":
			continue
		case "FROM":
			clear(out)
			if _, stage, named := strings.Cut(rest, " AS "); named {
				stages[stage] = true
			}
		case "COPY":
			if from := regexp.MustCompile(`--from=(\S+)`).FindStringSubmatch(rest); from != nil && !stages[from[1]] {
				t.Errorf("the Dockerfile copies from the stage %s, which does not exist: %s", from[1], line)
			}
		case "ARG", "RUN", "WORKDIR", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "CMD":
		default:
			t.Errorf("not a Dockerfile instruction: %s", line)
		}
		out[name] = rest
	}
	return out
}

func TestTheComposeFileIsConsistentWithTheImage(t *testing.T) {
	c, image := compose(t), dockerfile(t)
	desk := c.Services["recado"]
	if desk.Build == nil || desk.Build.Context != ".." || desk.Build.Dockerfile != "packaging/Dockerfile" {
		t.Fatalf("got the build %+v, want packaging/Dockerfile in ..", desk.Build)
	}
	for name := range desk.Build.Args {
		testkit.Contains(t, "the Dockerfile", file(t, "Dockerfile"), "\nARG "+name)
	}
	for name, service := range c.Services {
		for other, on := range service.DependsOn {
			if checked := c.Services[other].HealthCheck != nil; on.Condition != "service_healthy" || !checked {
				t.Errorf("%s depends on %s: got condition %s and health check %v, want service_healthy and true", name, other, on.Condition, checked)
			}
		}
		for _, mount := range service.Volumes {
			volume, _, _ := strings.Cut(mount, ":")
			if _, declared := c.Volumes[volume]; !declared {
				t.Errorf("%s mounts %s, which is not a declared volume", name, volume)
			}
		}
	}
	testkit.Equal(t, "mount", desk.Volumes[0], "media:"+image["VOLUME"])
	testkit.Contains(t, "environment of the image", image["ENV"], "RECADO_DATA="+image["VOLUME"])
	testkit.Contains(t, "environment of the image", image["ENV"], "RECADO_ADDR=0.0.0.0:"+image["EXPOSE"])
	host, port, _ := strings.Cut(desk.Ports[0], ":"+image["EXPOSE"]+":")
	testkit.Equal(t, "port", host+" to "+port, "127.0.0.1 to "+image["EXPOSE"])
	if grace, err := time.ParseDuration(desk.StopGrace); err != nil || grace <= 30*time.Second {
		t.Errorf("got the grace period %s, %v, want more than 30 seconds, in which the server finishes its requests", desk.StopGrace, err)
	}
	if user, _, _ := strings.Cut(image["USER"], ":"); user == "" || user == "0" || user == "root" || !desk.ReadOnly {
		t.Errorf("got user %q and read-only %v, want an ordinary user and true", user, desk.ReadOnly)
	}
	raw, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	goVersion := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(raw))[1]
	testkit.Contains(t, "the Dockerfile", file(t, "Dockerfile"), " golang:"+goVersion+"-")
}

var interpolation = regexp.MustCompile(`\$\{([A-Z_]+)(:\?|:-)([^}]*)\}`)

// environment returns the variables that Compose passes to the server with compose.env.example, in which the required
// values are filled in.
func environment(t *testing.T, c composeFile) map[string]string {
	t.Helper()
	given := map[string]string{}
	for line := range strings.Lines(file(t, "compose.env.example")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			given[name] = value
		}
	}
	asked := maps.Clone(given)
	given["POSTGRES_PASSWORD"], given["RECADO_SECRET_KEY"] = "swordfish", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	out := map[string]string{}
	for name, value := range c.Services["recado"].Environment {
		out[name] = interpolation.ReplaceAllStringFunc(value, func(text string) string {
			m := interpolation.FindStringSubmatch(text)
			if _, known := asked[m[1]]; !known {
				t.Errorf("compose.yaml uses %s, which is missing in compose.env.example", m[1])
			}
			if given[m[1]] == "" && m[2] == ":?" {
				t.Errorf("%s is required and has no value", m[1])
			}
			if given[m[1]] == "" && m[2] == ":-" {
				return m[3]
			}
			return given[m[1]]
		})
		if strings.Contains(out[name], "${") {
			t.Errorf("got %s=%s, want all variables replaced", name, out[name])
		}
	}
	return out
}

func TestTheServerStartsWithTheSettingsOfTheComposeFile(t *testing.T) {
	settings := environment(t, compose(t))
	testkit.Equal(t, "database", settings["RECADO_DATABASE_URL"], "postgres://recado:swordfish@database:5432/recado?sslmode=disable")
	settings["RECADO_DATABASE_URL"] = testkit.Database(t, "")
	for _, name := range []string{"RECADO_METRICS_ADDR", "RECADO_ADDR"} {
		_, port, err := net.SplitHostPort(testkit.FreeAddress(t))
		if err != nil {
			t.Fatal(err)
		}
		settings[name] = "0.0.0.0:" + port
	}
	settings["RECADO_DATA"] = filepath.Join(t.TempDir(), "data")
	env := []string{}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	serve := exec.Command(binary.Path(t), "serve")
	serve.Env, serve.SysProcAttr = env, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log bytes.Buffer
	serve.Stderr = &log
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the server is healthy", func() bool {
		health := exec.CommandContext(t.Context(), binary.Path(t), "health")
		health.Env = env
		return health.Run() == nil
	})
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil || strings.Contains(log.String(), `"level":"WARN"`) {
		t.Errorf("the server exited with %v and this log, want no error and no warning: %s", err, log.String())
	}
}
