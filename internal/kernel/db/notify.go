package db

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	notifyEvery = 10 * time.Millisecond // each transaction wakes all connections that listen
	maxNotes    = 4096                  // waiting; more are dropped
)

// Notify notifies all nodes of a PostgreSQL database. On SQLite it does nothing. It does not block. Equal notifications within 10
// ms become one, and notifications are lost while the database cannot be reached.
func (d *DB) Notify(channel, payload string) {
	if d.pg != nil {
		d.pg.notes.add(note{channel, payload})
	}
}

// Listen calls on for every notification on the channel, including those of this node, until ctx ends. It reconnects if the
// connection is lost. After each connection, including the first, it calls on with an empty payload, because notifications may
// have been missed. On SQLite it only waits for ctx.
func (d *DB) Listen(ctx context.Context, channel string, on func(payload string)) {
	if d.pg == nil {
		<-ctx.Done()
		return
	}
	wait := time.Duration(0)
	for ctx.Err() == nil {
		started := time.Now()
		err := d.pg.listen(ctx, channel, on)
		if ctx.Err() != nil {
			return
		}
		if time.Since(started) > time.Minute {
			wait = 0
		}
		wait = min(max(2*wait, 100*time.Millisecond), 5*time.Second)
		d.pg.logger.Warn("listening for other nodes was interrupted", "channel", channel, "error", err, "again_in", wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

func (e *postgresEngine) listen(ctx context.Context, channel string, on func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	on("")
	for {
		waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
		n, err := conn.WaitForNotification(waiting)
		quiet := waiting.Err() != nil
		cancel()
		switch {
		case err == nil:
			on(n.Payload)
		case ctx.Err() != nil:
			return ctx.Err()
		case !quiet || conn.IsClosed():
			return err
		default: // nothing for a while: check the connection
			asking, cancel := context.WithTimeout(ctx, 5*time.Second)
			err := conn.Ping(asking)
			cancel()
			if err != nil {
				return err
			}
		}
	}
}

type note struct{ channel, payload string }

// notifier sends notifications in the background.
type notifier struct {
	engine  *postgresEngine
	mu      sync.Mutex
	waiting []note
	wake    chan struct{}
	stop    chan struct{}
	done    chan struct{}
	once    sync.Once
}

func newNotifier(e *postgresEngine) *notifier {
	n := &notifier{
		engine: e, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go n.loop()
	return n
}

func (n *notifier) add(one note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) < maxNotes && !slices.Contains(n.waiting, one) {
		n.waiting = append(n.waiting, one)
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notifier) loop() {
	defer close(n.done)
	for {
		select {
		case <-n.wake:
			n.send()
		case <-n.stop:
			n.send()
			return
		}
		select {
		case <-time.After(notifyEvery):
		case <-n.stop:
		}
	}
}

func (n *notifier) send() {
	n.mu.Lock()
	notes := n.waiting
	n.waiting = nil
	n.mu.Unlock()
	if len(notes) == 0 {
		return
	}
	err := n.sendBatch(notes)
	if err != nil { // an idle connection may be broken
		n.engine.reset()
		err = n.sendBatch(notes)
	}
	if err != nil {
		n.engine.logger.Warn("cannot notify the other nodes", "notes", len(notes), "error", err)
	}
}

// sendBatch sends notifications in one transaction. It does not wait for the disk: notifications do not survive a crash, and
// flushing the commit would delay the commits of writes.
func (n *notifier) sendBatch(notes []note) error {
	batch := &pgx.Batch{}
	batch.Queue("SELECT set_config('synchronous_commit', 'off', true)")
	for _, one := range notes {
		batch.Queue("SELECT pg_notify($1, $2)", one.channel, one.payload)
	}
	ctx, cancel := context.WithTimeout(context.Background(), pgConnectTime)
	defer cancel()
	return n.engine.pool.SendBatch(ctx, batch).Close()
}

func (n *notifier) close() {
	n.once.Do(func() { close(n.stop) })
	<-n.done
}
