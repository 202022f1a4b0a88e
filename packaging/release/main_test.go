package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// archived returns the source paths of the files in an archive by name.
func archived(t *testing.T, program, system string) map[string]string {
	t.Helper()
	t.Chdir("../..")
	files, err := contents(program, system)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		if _, twice := out[f.name]; twice {
			t.Errorf("%s is in the archive twice", f.name)
		}
		out[f.name] = f.path
	}
	return out
}

func TestTheArchiveContainsEverythingForItsImage(t *testing.T) {
	files := archived(t, "recado", "linux")
	for _, name := range []string{
		"recado", "packaging/compose.yaml", "packaging/compose.env.example", "packaging/Dockerfile",
		"docs/operating.md", "packaging/systemd/recado-backup.timer",
	} {
		if files[name] == "" {
			t.Errorf("the archive does not contain %s", name)
		}
	}
	text, err := os.ReadFile(files["packaging/Dockerfile"])
	if err != nil {
		t.Fatal(err)
	}
	copies := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "COPY" || strings.Contains(line, "--from=") {
			continue
		}
		copies++
		words = slices.DeleteFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "--") })
		for _, source := range words[:len(words)-1] {
			if files[source] == "" {
				t.Errorf("the Dockerfile of the archive copies %s, which is not in the archive", source)
			}
		}
	}
	if copies == 0 || strings.Contains(string(text), "go build") {
		t.Errorf("the Dockerfile of the archive does not copy the program:\n%s", text)
	}
	compose, err := os.ReadFile(files["packaging/compose.yaml"])
	if err != nil || !strings.Contains(string(compose), "context: ..\n      dockerfile: packaging/Dockerfile\n") {
		t.Errorf("compose.yaml does not build packaging/Dockerfile in ..: %v", err)
	}
}

func TestTheArchivesOfOtherSystemsContainNoDockerfile(t *testing.T) {
	files := archived(t, "recado.exe", "windows")
	for _, name := range forImages {
		if files[name] != "" {
			t.Errorf("the archive contains %s, which is only for Linux", name)
		}
	}
	if files["recado.exe"] == "" || files["docs/install.md"] == "" {
		t.Errorf("got the files %v, want recado.exe and docs/install.md among them", files)
	}
}

// TestBothDockerfilesBuildTheSameImage compares the last stages, except for the source of the program.
func TestBothDockerfilesBuildTheSameImage(t *testing.T) {
	last := func(name string) []string {
		raw, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		_, stage, _ := strings.Cut(string(raw), "FROM scratch\n")
		lines := strings.Split(strings.ReplaceAll(stage, "--from=files", "--from=build"), "\n")
		return slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "ARG ") || strings.HasPrefix(line, "LABEL ") || strings.HasSuffix(line, "recado /recado")
		})
	}
	if source, release := last("Dockerfile"), last("Dockerfile.release"); !slices.Equal(source, release) {
		t.Errorf("the last stages differ. Dockerfile:\n%s\nDockerfile.release:\n%s", strings.Join(source, "\n"), strings.Join(release, "\n"))
	}
}
