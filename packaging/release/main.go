// Command release builds the archives of a release, one for each platform, with an SBOM for each and checksums. The same
// commit and Go version produce the same bytes.
//
//	go run ./packaging/release -version v1.2.3 -time 1700000000 -out dist
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// extras are the files and folders in every archive, in addition to the program.
var extras = []string{"README.md", "LICENSE", "CHANGELOG.md", "docs", "packaging"}

func main() {
	var r release
	var only string
	var seconds int64
	flag.StringVar(&r.version, "version", "", "the version, such as 0.1.0")
	flag.Int64Var(&seconds, "time", 0, "modification time of the files in the archives, in Unix seconds; use that of the commit")
	flag.StringVar(&r.out, "out", "dist", "folder for the archives, which must be empty or not exist")
	flag.StringVar(&only, "platforms", strings.Join(platforms, ","), "platforms to build, such as linux/amd64")
	flag.Parse()
	r.time = time.Unix(seconds, 0).UTC()
	if err := r.build(strings.Split(only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type release struct {
	version string
	time    time.Time
	out     string
}

func (r release) build(chosen []string) error {
	if r.version == "" {
		return fmt.Errorf("-version is required")
	}
	if entries, err := os.ReadDir(r.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, platform := range chosen {
		system, machine, ok := strings.Cut(platform, "/")
		if !ok || !slices.Contains(platforms, platform) {
			return fmt.Errorf("%q is not one of %s", platform, strings.Join(platforms, ", "))
		}
		if err := r.platform(system, machine); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	return r.sums()
}

// platform builds the program and its archive.
func (r release) platform(system, machine string) error {
	temp, err := os.MkdirTemp("", "recado-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	program := filepath.Join(temp, "recado")
	if system == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", program, "./cmd/recado")
	build.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	name := fmt.Sprintf("recado_%s_%s_%s", strings.TrimPrefix(r.version, "v"), system, machine)
	list, err := components(program, r.version, r.time)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+".cdx.json"), list, 0o644); err != nil {
		return err
	}
	files, err := contents(program, system)
	if err != nil {
		return err
	}
	if system == "windows" {
		return r.zip(name, files)
	}
	return r.tar(name, files)
}

type file struct {
	name, path string
	mode       fs.FileMode
}

// forImages are the files for container images. Only the archives for Linux contain them.
var forImages = []string{
	"packaging/Dockerfile", "packaging/Dockerfile.release", "packaging/compose.yaml", "packaging/compose.env.example",
}

// contents returns the program and the extras that are in git, sorted by name. The Dockerfile in the repository builds from
// source; the one in an archive copies the program.
func contents(program, system string) ([]file, error) {
	files := []file{{filepath.Base(program), program, 0o755}}
	out, err := exec.Command("git", append([]string{"ls-files", "-z", "--"}, extras...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "docs/images/") ||
			system != "linux" && slices.Contains(forImages, name) {
			continue
		}
		switch name {
		case "packaging/Dockerfile":
		case "packaging/Dockerfile.release":
			files = append(files, file{"packaging/Dockerfile", name, 0o644})
		default:
			files = append(files, file{name, name, 0o644})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

func (r release) tar(name string, files []file) error {
	return r.create(name+".tar.gz", func(w io.Writer) error {
		compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(compressed)
		err = each(files, func(f file, content []byte) error {
			header := &tar.Header{
				Name: path.Join(name, f.name), Mode: int64(f.mode), Size: int64(len(content)), ModTime: r.time, Format: tar.FormatUSTAR,
			}
			if err := archive.WriteHeader(header); err != nil {
				return err
			}
			_, err := archive.Write(content)
			return err
		})
		return errors.Join(err, archive.Close(), compressed.Close())
	})
}

func (r release) zip(name string, files []file) error {
	return r.create(name+".zip", func(w io.Writer) error {
		archive := zip.NewWriter(w)
		err := each(files, func(f file, content []byte) error {
			header := &zip.FileHeader{Name: path.Join(name, f.name), Method: zip.Deflate, Modified: r.time}
			header.SetMode(f.mode)
			entry, err := archive.CreateHeader(header)
			if err == nil {
				_, err = entry.Write(content)
			}
			return err
		})
		return errors.Join(err, archive.Close())
	})
}

func each(files []file, add func(f file, content []byte) error) error {
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err == nil {
			err = add(f, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r release) create(name string, write func(w io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// sums writes the checksums of all files to SHA256SUMS, in the format of sha256sum.
func (r release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), entry.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}
