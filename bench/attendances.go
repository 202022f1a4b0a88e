package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/store"
)

const (
	fewAttendances  = 10_000
	manyAttendances = 1_000_000

	caseworkers   = 20
	conversations = 500 // each with an open attendance
	historyDays   = 30
)

// runAttendances reads the same report and the same page from two servers, one of which has a hundred times the
// attendances of the other, all within the days of the report.
func runAttendances(ctx context.Context, b *bench) error {
	var servers [2]*server
	for i, n := range []int{manyAttendances, fewAttendances} {
		var err error
		servers[i], err = b.serveOn(ctx, fmt.Sprintf("%d attendances", n), func(at place, c company) error {
			return b.makeAttendances(ctx, at, c, n)
		})
		if err != nil {
			return err
		}
	}
	for _, path := range []string{"/v1/reports/attendance", "/v1/attendances", "/v1/attendances?status=open"} {
		err := b.contrast(ctx, leastOfSmall, "GET "+path, servers, func(i int) asking { return servers[i].get(path) })
		if err != nil {
			return err
		}
	}
	return nil
}

// makeAttendances puts a history of n attendances into the place of a server that has stopped, and lets the desk
// count them for the report.
func (b *bench) makeAttendances(ctx context.Context, at place, c company, n int) (err error) {
	s, err := b.reopen(ctx, at)
	if err != nil {
		return err
	}
	h, err := newHistory(ctx, s, c, n)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if at.database != "" {
		err = h.loadPostgres(ctx, at)
	} else {
		err = h.loadSQLite(at)
	}
	if err != nil {
		return err
	}
	if s, err = b.reopen(ctx, at); err != nil {
		return err
	}
	return errors.Join(desk.New(desk.Options{Store: s}).RebuildReport(ctx, h.company), s.Close())
}

var attendanceColumns = []string{
	"id", "company", "number", "conversation", "channel", "private", "responsible", "sector",
	"opened_at", "opened_by", "first_response_at", "closed_at", "closed_by",
}

func (h *history) loadPostgres(ctx context.Context, at place) error {
	conn, err := pgx.Connect(ctx, at.database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	i := 0
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"attendances"}, attendanceColumns, pgx.CopyFromFunc(func() ([]any, error) {
		if i == h.attendances {
			return nil, nil
		}
		values := h.attendance(i)
		for k, v := range values {
			if id, ok := v.(model.ID); ok {
				values[k] = [16]byte(id)
			}
		}
		i++
		return values, nil
	}))
	return err
}

func (h *history) loadSQLite(at place) (err error) {
	conn, err := sqlite.OpenConn(filepath.Join(at.folder, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	insert, err := conn.Prepare("INSERT INTO attendances (" + strings.Join(attendanceColumns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(attendanceColumns)-1) + ")")
	if err != nil {
		return err
	}
	for i := range h.attendances {
		for k, v := range h.attendance(i) {
			switch v := v.(type) {
			case nil:
				insert.BindNull(k + 1)
			case model.ID:
				insert.BindBytes(k+1, v[:])
			case int64:
				insert.BindInt64(k+1, v)
			case bool:
				insert.BindBool(k+1, v)
			case string:
				insert.BindText(k+1, v)
			}
		}
		if _, err := insert.Step(); err != nil {
			return err
		}
		if err := insert.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// history makes up what a busy desk did.
type history struct {
	company model.ID
	channel model.ID
	people  []model.ID
	sectors []model.ID
	threads []model.ID
	end     time.Time
	random  *rand.Rand

	attendances int
}

// newHistory adds the people and the conversations that all of it is about.
func newHistory(ctx context.Context, s *store.Store, c company, n int) (*history, error) {
	h := &history{attendances: n, end: time.Now(), random: rand.New(rand.NewPCG(1, 1))}
	h.company, _ = model.ParseID(c.ID)
	h.channel, _ = model.ParseID(c.Channel)
	if h.channel.IsZero() {
		h.channel = model.NewID()
	}
	for _, sector := range c.Sectors {
		id, _ := model.ParseID(sector)
		h.sectors = append(h.sectors, id)
	}
	d := desk.New(desk.Options{Store: s})
	for i := range caseworkers {
		m, err := d.CreateUser(ctx, h.company, desk.NewUser{
			Name: fmt.Sprintf("Person %02d", i+1), Email: fmt.Sprintf("person%d@bench.example", i),
			Role: model.RoleAgent, AccessProfile: model.AccessAll,
		})
		if err != nil {
			return nil, err
		}
		h.people = append(h.people, m.ID)
	}
	return h, s.Write(ctx, func(tx *store.Tx) error {
		h.threads = h.threads[:0]
		for i := range conversations {
			group := fmt.Sprintf("bench-%d", i)
			c := model.Conversation{
				ID: model.NewID(), Company: h.company, Channel: h.channel, Kind: model.KindGroup, Name: fmt.Sprintf("Group %d", i),
				GroupID: &group, CreatedAt: h.end.AddDate(0, 0, -historyDays),
			}
			if _, err := tx.InsertConversation(&c); err != nil {
				return err
			}
			h.threads = append(h.threads, c.ID)
		}
		return nil
	})
}

// attendance gives the columns of the i-th, oldest first: the last of every conversation is open still.
func (h *history) attendance(i int) []any {
	const span = historyDays * 24 * time.Hour
	opened := h.end.Add(-span).Add(time.Duration(float64(span) * float64(i) / float64(h.attendances)))
	person := h.people[i%len(h.people)]
	row := []any{
		model.NewID(), h.company, int64(1_000_000 + i), h.threads[i%len(h.threads)], h.channel, false, person, nil,
		opened.UnixMilli(), model.OpenedByCustomer, nil, nil, nil,
	}
	if len(h.sectors) > 0 {
		row[7] = h.sectors[i%len(h.people)%len(h.sectors)]
	}
	if i < h.attendances-len(h.threads) {
		row[10] = opened.Add(h.lasting(3*time.Minute, 1.3)).UnixMilli()
		row[11], row[12] = opened.Add(h.lasting(2*time.Hour, 1.3)).UnixMilli(), person
	}
	return row
}

// lasting is a duration as they are met at desks: most near the middle, a few very long.
func (h *history) lasting(median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*h.random.NormFloat64()))
}
