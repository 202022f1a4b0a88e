package recorded

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"recado/test/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

var (
	keep    = flag.String("keep", "", "file for the answers of the other build")
	another = flag.String("binary", "", "path of another build of recado, to compare its answers with those recorded")
)

// TestAnotherBuild sends the requests to another build, such as the last release, and reports where its responses differ
// from the recorded ones:
//
//	go test ./test/recorded -run TestAnotherBuild -binary /path/to/recado
//
// Sections of requests.txt marked (newer) are skipped.
func TestAnotherBuild(t *testing.T) {
	if *another == "" {
		t.Skip("-binary is not set")
	}
	dir := t.TempDir()
	to := newTarget(t, time.Now)
	p := binary.New(t, dir, "--whatsapp-base-url", to.simulator)
	p.Path = *another
	p.Start()
	to.url = p.URL
	to.owner, to.foreign = makeCompany(t, dir, "Padaria Aurora"), makeCompany(t, dir, "Oficina Boreal")

	sections := slices.DeleteFunc(program(t), func(s *section) bool { return s.newer })
	got := newRecorder(t, to).run(sections)
	if *keep != "" {
		if err := os.WriteFile(*keep, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := readAnswers(t)
	differences := compare(want[:min(len(want), len(got))], got)
	for _, d := range differences {
		t.Log(d)
	}
	t.Logf("%d answers compared, %d differ", len(got), len(differences))
}

// makeCompany creates a company with the command line and returns a key of its owner.
func makeCompany(t *testing.T, dir, name string) (key string) {
	t.Helper()
	company := command(t, "company", "create", name, "--data", dir)
	command(t, "user", "create", "--data", dir, "--company", company, "--name", "Owner of "+name, "--email", "owner@"+company+".example", "--role", "owner")
	var scopes []string
	for _, s := range firstScopes {
		scopes = append(scopes, string(s))
	}
	return command(t, "key", "create", "--data", dir, "--company", company, "--name", "CRM", "--scopes", strings.Join(scopes, ","))
}

// command runs the other build and returns the last word of its output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(*another, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("recado %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	words := strings.Fields(string(out))
	return words[len(words)-1]
}
