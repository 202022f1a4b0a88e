package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

const howTo = `no PostgreSQL server found (initdb, postgres). Install it, then run this again:

  Debian, Ubuntu   sudo apt-get install postgresql
  Fedora           sudo dnf install postgresql-server postgresql-contrib
  Alpine           sudo apk add postgresql postgresql-contrib
  Arch             sudo pacman -S postgresql
  macOS            brew install postgresql@17

No service has to run. If it is installed elsewhere, set RECADO_POSTGRES_BIN to the folder of initdb`

// install installs PostgreSQL from the distribution, if this is possible without asking.
func install() error {
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return errors.New(howTo)
	}
	fmt.Fprintln(os.Stderr, "with-postgres: installing PostgreSQL from the distribution")
	for _, args := range [][]string{{"update"}, {"install", "postgresql-common"}} {
		if err := aptGet(args...); err != nil {
			return err
		}
	}
	// The package would otherwise create and start a permanent cluster.
	const settings = "/etc/postgresql-common/createcluster.conf"
	before, err := os.ReadFile(settings)
	if err != nil {
		return err
	}
	if err := os.WriteFile(settings, append(before, "\ncreate_main_cluster = false\n"...), 0o644); err != nil { //nolint:gosec // the mode of the package
		return err
	}
	return errors.Join(aptGet("install", "postgresql"), os.WriteFile(settings, before, 0o644)) //nolint:gosec // the mode of the package
}

func aptGet(args ...string) error {
	cmd := exec.Command("apt-get", append([]string{"-q", "-y", "--no-install-recommends"}, args...)...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apt-get %v: %w", args, err)
	}
	return nil
}
