package install

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/test/testkit"
)

const mirror = "http://deb.debian.org/debian"

// deviceFolder creates a folder on disk. The default temporary folder may be a tmpfs, where debootstrap cannot create
// devices.
func deviceFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/var/tmp", "recado-debian-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, mounted := range []string{"proc", "sys"} { // a failed debootstrap may leave them mounted
			_ = syscall.Unmount(filepath.Join(folder, "debian", mounted), syscall.MNT_DETACH)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// TestTheCommandsOfTheGuideInstallTheUnitOnACleanDebian runs the commands from docs/install.md in a new Debian. systemd
// does not run there, so the test starts the command line of the unit itself, with the same user, folder and environment.
func TestTheCommandsOfTheGuideInstallTheUnitOnACleanDebian(t *testing.T) {
	debootstrap, err := exec.LookPath("debootstrap")
	if os.Getenv("RECADO_WALK") == "" || os.Getuid() != 0 || err != nil {
		t.Skip("installs a Debian: run scripts/walk-install as root, with debootstrap and a network")
	}
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Get(mirror + "/dists/bookworm/Release")
	if err != nil {
		t.Skipf("the Debian mirror cannot be reached: %v", err)
	}
	_ = resp.Body.Close()
	testkit.Equal(t, "status of the mirror", resp.StatusCode, http.StatusOK)
	root := filepath.Join(deviceFolder(t), "debian")
	if out, err := exec.CommandContext(t.Context(), debootstrap, "--variant=minbase", "--include=systemd,sudo", "bookworm", root, mirror).CombinedOutput(); err != nil {
		t.Fatalf("debootstrap: %v %s", err, out)
	}
	admin := &walk{t: t, root: root, home: "/root"}
	shell := func(script string) string {
		t.Helper()
		out, err := admin.command("/bin/bash", "-e", "-c", script).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v %s", script, err, out)
		}
		return string(out)
	}
	dist := release(t, "v1.0.0")
	if out, err := exec.Command("cp", "-r", dist+"/.", filepath.Join(root, "root")).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}

	t.Log("install from the archive, then the unit")
	shell(documented(t, "sha256sum"))
	unit := documented(t, "sudo install -D")
	unit, _, _ = strings.Cut(unit, "sudo journalctl")         // there is no journal
	unit = strings.Replace(unit, "enable --now", "enable", 1) // systemd is not running
	t.Log(shell("cd recado_1.0.0_linux_amd64\n" + unit))
	testkit.Contains(t, "enabled", shell("systemctl is-enabled recado"), "enabled")
	testkit.Contains(t, "version", shell("recado --version"), "v1.0.0")
	testkit.Equal(t, "mode of the settings", strings.TrimSpace(shell("stat -c '%a %G' /etc/recado/recado.env")), "640 recado")
	shell("test -f /usr/local/share/doc/recado/docs/operating.md")
	testkit.Contains(t, "enabled", shell("systemctl is-enabled recado-backup.timer"), "enabled")

	t.Log("run the command line of the unit")
	id, err := strconv.ParseUint(strings.TrimSpace(shell("id -u recado")), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	shell("install -d -m 0700 -o recado -g recado /var/lib/recado") // StateDirectory
	w := &walk{t: t, root: root, home: "/var/lib/recado", user: uint32(id), program: "/usr/local/bin/recado", addr: testkit.FreeAddress(t)}
	w.serve("/var/lib/recado")
	w.setUp()
	w.use()
	want := w.state()

	t.Log("back up the running server and restore elsewhere")
	testkit.Contains(t, "backup", shell(documented(t, "sudo -u recado")), "secret key")
	w.stop()
	testkit.Contains(t, "restore", w.run("restore", "--data", "/var/lib/recado/other", "/var/lib/recado/backup.tar"), "restored")
	w.serve("/var/lib/recado/other")
	testkit.Diff(t, "state after the restore", w.state(), want)
	w.stop()
}
