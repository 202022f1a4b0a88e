package linked

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// Receive stores what happened at WhatsApp.
type Receive func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error

// Manager holds the connections of this node. It implements channels.Linked.
type Manager struct {
	Desk    *channels.Channels
	Receive Receive
	// PictureID returns the id of the stored picture of a group, or "". It reports false if there is no conversation with the group.
	PictureID func(ctx context.Context, company, channel kernel.ID, group string) (id string, found bool, err error)
	// CustomerTypes tells the team that a customer is typing. It may be nil.
	CustomerTypes func(ctx context.Context, company, channel kernel.ID, customer provider.Person) error
	NewClient     NewClient // nil: Dial
	Logger        *slog.Logger
	Lease         time.Duration // how long a link waits after its node died; default: 20 seconds
	PairTimeout   time.Duration // how long a number whose code was scanned may take to connect; default: one minute
	Heard         time.Duration // how often the time at which WhatsApp was last heard is stored; default: one minute
	Reconnect     time.Duration // how long whatsmeow may take to connect again; default: five minutes
	FileMemory    int64         // bytes of all files that are sent and received at a time; default: those of two of the largest

	transfers *semaphore.Weighted // of FileMemory

	mu       sync.Mutex
	sessions map[kernel.ID]*session
}

const (
	defaultLease       = 20 * time.Second
	defaultPairTimeout = time.Minute
	defaultHeard       = time.Minute
	defaultReconnect   = 5 * time.Minute
	purgeEvery         = time.Hour
	releaseTimeout     = 5 * time.Second // for a stopping node
)

// Run holds the links of this node until ctx is done.
func (m *Manager) Run(ctx context.Context) {
	if m.NewClient == nil {
		m.NewClient = Dial
	}
	if m.Lease <= 0 {
		m.Lease = defaultLease
	}
	if m.PairTimeout <= 0 {
		m.PairTimeout = defaultPairTimeout
	}
	if m.Heard <= 0 {
		m.Heard = defaultHeard
	}
	if m.Reconnect <= 0 {
		m.Reconnect = defaultReconnect
	}
	if m.FileMemory <= 0 {
		m.FileMemory = 2 * maxFile
	}
	m.transfers = semaphore.NewWeighted(m.FileMemory)
	holder := &channels.LinkHolder{Desk: m.Desk, Owner: kernel.NewID(), Length: m.Lease}
	defer m.release(ctx, holder)
	wake := m.Desk.Wakeup(channels.WakeLinks).C
	renewed := time.Now()
	var purged time.Time
	for {
		began := time.Now()
		limit := max(m.Lease/10, m.Lease*2/3-time.Since(renewed))
		holding, cancel := context.WithTimeout(ctx, limit)
		links, err := holder.Hold(holding)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			renewed = began
			m.keep(ctx, holder, links)
		case time.Since(renewed) >= m.Lease*2/3: // another node may take them soon
			m.Logger.Warn("cannot renew the leases of linked numbers: disconnecting them", slog.Any("error", err))
			m.keep(ctx, holder, nil)
		}
		if err == nil && time.Since(purged) >= purgeEvery {
			purged = time.Now()
			purging, cancel := context.WithTimeout(ctx, limit/2)
			err := m.purgeSent(purging)
			cancel()
			if err != nil && ctx.Err() == nil {
				m.Logger.Warn("cannot delete old messages of linked numbers", slog.Any("error", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(m.Lease / 10):
		}
	}
}

// release disconnects all numbers and lets other nodes connect them.
func (m *Manager) release(ctx context.Context, holder *channels.LinkHolder) {
	m.keep(ctx, holder, nil)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	m.mu.Lock()
	sessions := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	err := ctx.Err()
	for _, s := range sessions {
		select {
		case <-s.done:
		case <-ctx.Done():
			err = errors.New("a number is still being disconnected")
		}
	}
	if err == nil {
		err = holder.Release(ctx)
	}
	if err != nil {
		m.Logger.Warn("cannot release linked numbers; other nodes wait until their leases expire", slog.Any("error", err))
	}
}

// keep starts the sessions of links and stops all others. A session that follows another starts when that one has ended: its end
// wakes Run.
func (m *Manager) keep(ctx context.Context, holder *channels.LinkHolder, links []channels.Link) {
	held := map[kernel.ID]channels.Link{}
	for _, l := range links {
		held[l.Channel] = l
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions == nil {
		m.sessions = map[kernel.ID]*session{}
	}
	ended := map[kernel.ID]*session{}
	for id, s := range m.sessions {
		if l, ok := held[id]; !ok || l.Generation != s.link.Generation {
			s.stop()
		}
		if s.ended() {
			ended[id] = s
			delete(m.sessions, id)
		}
	}
	for id, l := range held {
		if m.sessions[id] == nil {
			m.sessions[id] = m.start(ctx, holder, l, ended[id])
		}
		m.sessions[id].pace.set(l.PerMinute)
	}
}

// session returns the session of a channel that is connected to this node.
func (m *Manager) session(channel kernel.ID) (*session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[channel]; s != nil && s.linked.Load() {
		return s, nil
	}
	return nil, channels.ErrNotHere
}

// Here returns the channels that are connected to this node. Messages and files of all others wait.
func (m *Manager) Here() (here []kernel.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.sessions {
		if s.linked.Load() && s.online.Load() {
			here = append(here, id)
		}
	}
	return here
}

// For returns the sender of a channel.
func (m *Manager) For(_ context.Context, _, channel kernel.ID) (channels.NumberSender, error) {
	return m.session(channel)
}

// Free returns whether a channel may send now; see channels.Provider.
func (m *Manager) Free(channel kernel.ID) (n int, wait time.Duration) {
	s, err := m.session(channel)
	if err != nil {
		return 0, time.Second
	}
	return s.pace.free(time.Now())
}

// Fetch downloads a file.
func (m *Manager) Fetch(
	ctx context.Context, _, channel kernel.ID, file provider.IncomingMedia, limit int64, w io.Writer,
) error {
	s, err := m.session(channel)
	if err != nil {
		return err
	}
	return s.fetch(ctx, file, limit, w)
}

// Viewed notes that a member of the team views a conversation of a channel.
func (m *Manager) Viewed(channel kernel.ID) {
	if s, err := m.session(channel); err == nil {
		select {
		case s.viewed <- struct{}{}:
		default:
		}
	}
}

// MarkRead tells a customer that messages were read.
func (m *Manager) MarkRead(ctx context.Context, _, channel kernel.ID, read provider.ReadMessages) error {
	s, err := m.session(channel)
	if err != nil {
		return err
	}
	return s.markRead(ctx, read)
}
