package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recado/test/binary"
	"recado/test/load"
	"recado/test/testkit"
)

// smallDisk mounts a small file system. It skips the test if the user is not root.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=40m,mode=0700"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the disk is full.
func fill(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "ballast")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	return name
}

func metric(t *testing.T, addr, name string) float64 {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, value, found := strings.Cut(string(text), "\n"+name+" ")
	if !found {
		t.Fatalf("/metrics has no %s", name)
	}
	var out float64
	if _, err := fmt.Sscan(value, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAFullDiskReturns507AndIsLoggedAndMeasured(t *testing.T) {
	dir := smallDisk(t)
	metrics := testkit.FreeAddress(t)
	p := binary.Serve(t, filepath.Join(dir, "data"), "--metrics-addr", metrics)
	company := p.Demo.Companies[0]
	call := func(method, path, body string, headers ...string) (int, string) {
		t.Helper()
		answer, err := load.Send(p.URL, load.NewRequest(company.APIKey, method, path, body, headers...))
		if err != nil {
			t.Fatal(err)
		}
		var refused struct{ Code string }
		_ = json.Unmarshal(answer.Body, &refused)
		return answer.Status, refused.Code
	}
	ready := func() (int, string) {
		t.Helper()
		resp, err := http.Get(p.URL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var refused struct{ Code string }
		_ = json.NewDecoder(resp.Body).Decode(&refused)
		return resp.StatusCode, refused.Code
	}
	write := func() (int, string) {
		t.Helper()
		text := strings.Repeat("Bom dia! ", 400)
		return call("POST", "/channels/"+company.Channel+"/simulate", `{"from": "+5511987650000", "text": "`+text+`"}`)
	}
	form, kind := testkit.FileForm("note.txt", strings.Repeat("a line of a file\n", 100_000))
	upload := func() (int, string) {
		t.Helper()
		return call("POST", "/media", string(form), "Content-Type", kind)
	}
	free := metric(t, metrics, "recado_data_free_bytes")
	if free < 1<<20 || free > 40<<20 {
		t.Errorf("recado_data_free_bytes on a disk of 40 MiB: got %f, want 1 MiB to 40 MiB", free)
	}

	ballast := fill(t, dir)
	if status, code := upload(); status != http.StatusInsufficientStorage || code != "storage_full" {
		t.Errorf("upload on a full disk: %d %s, want 507 storage_full", status, code)
	}
	// The first writes may still fit into the space that the write-ahead log already occupies.
	status, code := write()
	for tries := 0; status < 300 && tries < 2000; tries++ {
		status, code = write()
	}
	if status != http.StatusInsufficientStorage || code != "storage_full" {
		t.Errorf("message on a full disk: %d %s, want 507 storage_full", status, code)
	}
	if status, code := ready(); status != http.StatusServiceUnavailable || code != "storage_full" {
		t.Errorf("/readyz on a full disk: %d %s, want 503 storage_full", status, code)
	}
	out, err := exec.CommandContext(t.Context(), p.Path, "health", "--addr", strings.TrimPrefix(p.URL, "http://")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "disk of the server is full") {
		t.Errorf("recado health on a full disk: got %v %s, want an error with \"disk of the server is full\"", err, out)
	}
	if free := metric(t, metrics, "recado_data_free_bytes"); free >= 1<<20 {
		t.Errorf("recado_data_free_bytes on a full disk: got %f, want less than 1 MiB", free)
	}
	if status, _ := call("GET", "/conversations", ""); status != http.StatusOK {
		t.Errorf("reading on a full disk: got %d, want 200", status)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if status, code := ready(); status != http.StatusOK {
		t.Errorf("/readyz with space again: %d %s", status, code)
	}
	if status, code := write(); status >= 300 {
		t.Errorf("message with space again: %d %s", status, code)
	}
	if status, code := upload(); status != http.StatusCreated {
		t.Errorf("upload with space again: %d %s", status, code)
	}
	p.Stop()
	for _, want := range []string{`"msg":"request failed"`, `"code":"storage_full"`, `"msg":"not ready"`} {
		testkit.Contains(t, "the log", p.Log(), want)
	}
	// Either the file of the upload or the database did not fit.
	if !strings.Contains(p.Log(), "no space left on device") && !strings.Contains(p.Log(), "database or disk is full") {
		t.Errorf("the log does not contain the cause: %s", p.Log())
	}
	if strings.Contains(p.Log(), `"level":"ERROR"`) {
		t.Errorf("the log contains an error: %s", p.Log())
	}
}
