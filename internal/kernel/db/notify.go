package db

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	notifyEvery = 10 * time.Millisecond // each transaction of notifications wakes all connections that listen
	notifyMost  = 4096                  // different ones waiting; more are dropped
)

// Notify tells the other nodes on the same PostgreSQL that something happened; on SQLite there are
// none and it does nothing. It returns at once. Equal notifications within 10 ms become one, and one
// may be lost when the database is away: it only says that there may be something to look for.
func (d *DB) Notify(channel, payload string) {
	if d.pg != nil {
		d.pg.notes.add(note{channel, payload})
	}
}

// Listen calls on for every notification on the channel, from any node and this one too, until ctx ends. It
// survives lost connections; since notifications may have been missed meanwhile, on is called with an empty
// payload after every connection that was made, the first included. On SQLite it only waits for ctx.
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
		default: // nothing for a while: is the server still there?
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

// notifier sends notifications in the background, each distinct one at most once in 10 ms.
type notifier struct {
	engine  *postgresEngine
	mu      sync.Mutex
	waiting map[note]struct{}
	order   []note
	wake    chan struct{}
	stop    chan struct{}
	done    chan struct{}
	once    sync.Once
}

func newNotifier(e *postgresEngine) *notifier {
	n := &notifier{
		engine: e, waiting: map[note]struct{}{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go n.loop()
	return n
}

func (n *notifier) add(one note) {
	n.mu.Lock()
	_, there := n.waiting[one]
	if !there && len(n.order) < notifyMost {
		n.waiting[one] = struct{}{}
		n.order = append(n.order, one)
	}
	n.mu.Unlock()
	if !there {
		select {
		case n.wake <- struct{}{}:
		default:
		}
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
	notes := n.order
	n.order = nil
	clear(n.waiting)
	n.mu.Unlock()
	if len(notes) == 0 {
		return
	}
	err := n.sendBatch(notes)
	if err != nil { // an idle connection may have died
		n.engine.reset()
		err = n.sendBatch(notes)
	}
	if err != nil {
		n.engine.logger.Warn("the other nodes could not be told to look", "notes", len(notes), "error", err)
	}
}

// sendBatch sends notifications in one transaction. It does not wait for the disk: PostgreSQL keeps no notification after a
// crash, and the flush of its commit would hold up the commits of writes.
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
