// Package people has companies, their members, sectors and roles, and how people and integrations identify themselves:
// sessions, invitations, two-factor sign-in and API keys.
package people

import (
	"recado/internal/kernel"
	"recado/internal/lookup"
	"recado/internal/password"
)

// People has the verbs of the package.
type People struct {
	*kernel.Kernel
	passwords *password.Hasher
	keys      *lookup.Table[holder]
	sessions  *lookup.Table[cachedSession]
	seen      seen
	observers []TeamObserver
}

// New returns the verbs of people. The cost is that of password hashes; zero means password.DefaultCost.
func New(k *kernel.Kernel, cost password.Cost) *People {
	d := &People{Kernel: k, passwords: password.NewHasher(cost)}
	d.keys, d.sessions = lookup.New[holder](k.Now), lookup.New[cachedSession](k.Now)
	k.OnSignal(d.forgetSignalled)
	return d
}
