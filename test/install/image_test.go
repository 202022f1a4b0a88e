package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"recado/test/testkit"
)

// TestTheStepsOfTheDockerfileMakeAnImageThatServes follows the Dockerfile without Docker: it runs the commands of the first
// stage on this machine, copies the files of the last stage into an empty folder, and starts the server there like the
// image.
func TestTheStepsOfTheDockerfileMakeAnImageThatServes(t *testing.T) {
	if os.Getenv("RECADO_WALK") == "" || os.Getuid() != 0 {
		t.Skip("builds the program and uses chroot: run scripts/walk-install as root")
	}
	d := &image{t: t, out: filepath.Join(t.TempDir(), "out"), root: filepath.Join(t.TempDir(), "root")}
	for _, dir := range []string{d.out, d.root} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for above := filepath.Dir(dir); above != "/" && above != os.TempDir(); above = filepath.Dir(above) {
			_ = os.Chmod(above, 0o755) // readable by the user of the image
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "packaging", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		if name, rest, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" && name != "#" {
			d.step(name, strings.TrimSpace(rest))
		}
	}
	_, port, _ := strings.Cut(testkit.FreeAddress(t), ":")
	for i, pair := range d.env {
		d.env[i] = strings.Replace(pair, ":8080", ":"+port, 1)
	}
	w := &walk{t: t, serving: d.command(append(d.entrypoint, d.cmd...)), out: &testkit.Output{}}
	w.serving.Stdout, w.serving.Stderr = w.out, w.out
	if err := w.serving.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the image is healthy", func() bool { return d.command(d.health).Run() == nil })
	testkit.Contains(t, "output", w.out.String(), "#/setup?token=")
	version, err := d.command(append(d.entrypoint, "version")).CombinedOutput()
	if err != nil || string(version) != "recado v1.2.3\n" {
		t.Errorf("recado version: got %v %s, want recado v1.2.3", err, version)
	}
	w.stop()
}

// image is the result of the Dockerfile's instructions so far.
type image struct {
	t          *testing.T
	stages     int
	out        string // /out of the first stage
	root       string // root of the last stage
	user       uint32
	env        []string
	entrypoint []string
	cmd        []string
	health     []string
}

// step executes one instruction.
func (d *image) step(name, rest string) {
	d.t.Helper()
	last := d.stages == 2
	switch name {
	case "FROM":
		d.stages++
		if d.stages == 2 {
			testkit.Equal(d.t, "the base of the image", rest, "scratch")
		}
	case "RUN":
		d.build(rest)
	case "COPY":
		if last {
			d.copy(strings.Fields(rest))
		}
	case "USER":
		user, _, _ := strings.Cut(rest, ":")
		id, err := strconv.ParseUint(user, 10, 32)
		if err != nil {
			d.t.Fatal(err)
		}
		d.user = uint32(id)
	case "ENV":
		d.env = append(d.env, strings.Fields(rest)...)
	case "ENTRYPOINT":
		d.entrypoint = d.list(rest)
	case "CMD":
		d.cmd = d.list(rest)
	case "HEALTHCHECK":
		_, check, _ := strings.Cut(rest, "CMD ")
		d.health = d.list(check)
	case "ARG", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL": // without effect here
	default:
		d.t.Fatalf("this test does not implement the instruction %s", name)
	}
}

// build runs a command of the first stage in the source folder.
func (d *image) build(command string) {
	d.t.Helper()
	c := exec.CommandContext(d.t.Context(), "sh", "-e", "-c", strings.ReplaceAll(command, "/out", d.out))
	c.Dir = filepath.Join("..", "..")
	c.Env = append(os.Environ(), "VERSION=v1.2.3", "TARGETOS="+runtime.GOOS, "TARGETARCH="+runtime.GOARCH)
	if out, err := c.CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v %s", command, err, out)
	}
}

// copy copies a file or an empty folder into the image.
func (d *image) copy(words []string) {
	d.t.Helper()
	owner := -1
	for strings.HasPrefix(words[0], "--") {
		if id, ok := strings.CutPrefix(words[0], "--chown="); ok {
			id, _, _ = strings.Cut(id, ":")
			owner, _ = strconv.Atoi(id)
		}
		words = words[1:]
	}
	from, to := strings.Replace(words[0], "/out", d.out, 1), filepath.Join(d.root, words[1])
	info, err := os.Stat(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil && info.IsDir() {
		err = os.Mkdir(to, info.Mode().Perm())
	} else if err == nil {
		var content []byte
		if content, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, content, info.Mode().Perm())
		}
	}
	if err == nil {
		err = os.Chown(to, owner, owner)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// command returns a command that runs in the image.
func (d *image) command(args []string) *exec.Cmd {
	c := exec.CommandContext(d.t.Context(), args[0], args[1:]...)
	c.Dir, c.Env = "/", d.env
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: d.root, Credential: &syscall.Credential{Uid: d.user, Gid: d.user}, Pdeathsig: syscall.SIGKILL}
	return c
}

func (d *image) list(text string) (out []string) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	return out
}
