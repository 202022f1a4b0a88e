package jobs

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/kernel"
)

type leaseState struct {
	since time.Time // zero: not held
	until time.Time // by this machine's clock
	lost  bool      // another node holds it
}

// renew renews the leases of this node until ctx ends, and stops the work of subjects whose leases are lost.
func (p *Pool[J, R]) renew(ctx context.Context) {
	every := time.NewTicker((p.Lease - p.Timeout) / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			p.renewOnce(ctx)
		}
	}
}

func (p *Pool[J, R]) renewOnce(ctx context.Context) {
	asked := time.Now()
	p.mu.Lock()
	idle := len(p.subjects) == 0
	p.mu.Unlock()
	if idle {
		return
	}
	epochs, err := p.Leases.Renew(ctx, p.owner, p.Lease)
	if err != nil {
		if ctx.Err() == nil {
			p.Logger.Warn("cannot renew leases", slog.String("work", p.Name), slog.Any("error", err))
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, s := range p.subjects {
		s.renewed(epochs[id], asked)
	}
}

func (p *Pool[J, R]) releaseAll(ctx context.Context) {
	if p.Leases == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := p.Leases.ReleaseAll(ctx, p.owner); err != nil {
		p.Logger.Warn("cannot release leases; other nodes wait until they expire", slog.String("work", p.Name), slog.Any("error", err))
	}
}

// take takes the lease of the subject. It returns false if another node holds it or ctx ends.
func (s *subject[J, R]) take(ctx context.Context) bool {
	for ctx.Err() == nil {
		if s.pool.Leases == nil {
			return true
		}
		began := time.Now()
		epoch, taken, err := s.pool.Leases.Take(ctx, s.id, s.pool.owner, s.pool.Lease)
		switch {
		case err == nil && taken:
			s.mu.Lock()
			s.lease = Lease{Subject: s.id, Owner: s.pool.owner, Epoch: epoch}
			s.leaseState = leaseState{since: began, until: began.Add(s.pool.Lease)}
			s.mu.Unlock()
			return true
		case err == nil:
			s.passOn()
			return false
		}
		s.warn(ctx, "cannot take a lease; retrying", err)
		select {
		case <-time.After(retryDelay):
		case <-ctx.Done():
		}
	}
	return false
}

// passOn ends the subject and notifies the node that holds its lease about work from this process.
func (s *subject[J, R]) passOn() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.elsewhere[s.id] = time.Now().Add(heldElsewhere)
	delete(s.pool.subjects, s.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inbox.isLocal {
		s.pool.tell(s.id)
	}
}

// renewed stores the result of a renewal that was requested at a time. The epoch is zero if the lease is lost.
func (s *subject[J, R]) renewed(epoch int64, asked time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.leaseState.since.IsZero() || s.leaseState.since.After(asked):
		return
	case epoch == s.lease.Epoch:
		s.leaseState.until = asked.Add(s.pool.Lease)
	default:
		s.lose()
	}
	s.wake.Notify()
}

// lose marks the lease as lost and cancels attempts that must not outlast it. The caller holds mu.
func (s *subject[J, R]) lose() {
	s.leaseState.lost = true
	if s.pool.Timeout > 0 {
		s.cancel()
	}
}

// checked stores the state of the lease after a step.
func (s *subject[J, R]) checked(state LeaseState, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case LeaseRenewed:
		s.leaseState.until = began.Add(s.pool.Lease)
	case LeaseLost:
		s.lose()
	}
}

func (s *subject[J, R]) lost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaseState.lost
}

func (s *subject[J, R]) held() Held {
	return Held{Lease: s.lease, Expired: func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.pool.Leases != nil && time.Now().After(s.leaseState.until)
	}}
}

// inTime reports whether an attempt that starts now will end before the lease expires. Otherwise the next owner could make
// one at the same time.
func (s *subject[J, R]) inTime() bool {
	if s.pool.Leases == nil || s.pool.Timeout == 0 {
		return true
	}
	slack := (s.pool.Lease - s.pool.Timeout) / 6
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.pool.Timeout + slack).Before(s.leaseState.until)
}

// leave releases the lease and ends the subject. It returns false if there is new work.
func (s *subject[J, R]) leave(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true // releaseAll releases all leases
	}
	lost := s.lost()
	s.mu.Lock()
	s.leaseState.since = time.Time{}
	s.mu.Unlock()
	if s.pool.Leases != nil && !lost {
		if err := s.pool.Leases.Release(ctx, s.lease); err != nil {
			s.warn(ctx, "cannot release a lease", err)
		}
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inbox.more && !lost {
		return false
	}
	delete(s.pool.subjects, s.id)
	return true
}

// warn logs a failure, unless ctx has ended.
func (s *subject[J, R]) warn(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		s.pool.Logger.Warn(message,
			slog.String("work", s.pool.Name), slog.String("subject", s.id.String()), slog.Any("error", err))
	}
}

// StoredLeases keeps the leases of one kind in the database.
type StoredLeases struct {
	Desk *kernel.Kernel
	Kind string
	Wake string // the channel of the notification about released leases
}

// Renew extends all leases of the kind that owner holds.
func (l StoredLeases) Renew(ctx context.Context, owner kernel.ID, length time.Duration) (map[kernel.ID]int64, error) {
	leases, err := kernel.Write(ctx, l.Desk, func(tx *kernel.Tx) ([]kernel.Lease, error) {
		return tx.RenewLeases(l.Kind, owner, length)
	})
	epochs := make(map[kernel.ID]int64, len(leases))
	for _, lease := range leases {
		epochs[lease.Subject] = lease.Epoch
	}
	return epochs, err
}

// Release releases one lease.
func (l StoredLeases) Release(ctx context.Context, lease Lease) error {
	return l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLease(DeskLease(lease), lease.Owner)
		return nil
	})
}

// ReleaseAll releases all leases of owner and notifies the other nodes.
func (l StoredLeases) ReleaseAll(ctx context.Context, owner kernel.ID) error {
	err := l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLeases(owner)
		return nil
	})
	l.Desk.Store.Notify(l.Wake, "")
	return err
}

// DeskLease returns a lease as the kernel stores it.
func DeskLease(l Lease) kernel.Lease { return kernel.Lease{Subject: l.Subject, Epoch: l.Epoch} }
