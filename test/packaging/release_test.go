package packaging

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	var versions []string
	for file, pattern := range map[string]string{
		"Makefile":               `(?m)^VERSION +\?= (\S+)$`,
		"cmd/recado/main.go":     `(?m)^var version = "(.+)"$`,
		"CHANGELOG.md":           `(?m)^## \[?([0-9.]+)`,
		"packaging/Dockerfile":   `(?m)^ARG VERSION=(\S+)$`,
		"packaging/compose.yaml": `\$\{VERSION:-([^}]+)\}`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Errorf("%s contains no version", file)
			continue
		}
		versions = append(versions, string(found[1]))
	}
	slices.Sort(versions)
	if different := slices.Compact(versions); len(different) != 1 {
		t.Errorf("got the versions %v, want one", different)
	}
}
