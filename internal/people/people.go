// Package people has companies, their members, sectors and roles, and how people and integrations identify themselves:
// sessions, invitations, two-factor sign-in and API keys.
package people

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/lookup"
	"recado/internal/password"
	"recado/internal/slots"
)

// People has the verbs of the package.
type People struct {
	*kernel.Kernel
	hashing   *slots.Budget[kernel.ID] // by company, of passwords
	passwords *password.Hasher
	keys      *lookup.Table[holder]
	sessions  *lookup.Table[cachedSession]
	seen      seen
	observers []TeamObserver
}

const (
	hashShare = 1.0 / 4 // of the processors, for the passwords of one company; all its people may sign in at the same hour
	hashSaved = 2 * time.Second
)

// New returns the verbs of people. The cost is that of password hashes; zero means password.DefaultCost.
func New(k *kernel.Kernel, cost password.Cost) *People {
	d := &People{Kernel: k, hashing: k.NewBudget(hashShare, hashSaved)}
	d.passwords = password.NewHasher(cost, d.hashing)
	d.keys, d.sessions = lookup.New[holder](k.Now), lookup.New[cachedSession](k.Now)
	k.OnSignal(d.forgetSignalled)
	return d
}
