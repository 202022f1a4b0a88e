package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"recado/bench/load"
	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/store"
)

const (
	fewAttendances  = 10_000
	manyAttendances = 1_000_000
	leastOfFew      = 1 / 1.5 // of the rate with few attendances, with many

	caseworkers   = 20
	conversations = 5_000
	historyDays   = 30
)

// runAttendances reads the same report and the same page from two servers, one of which has a hundred times the
// attendances of the other, all within the days of the report.
func runAttendances(ctx context.Context, b *bench) error {
	var servers [2]*server
	for i, n := range []int{manyAttendances, fewAttendances} {
		var err error
		if servers[i], err = b.serveAttendances(ctx, n); err != nil {
			return err
		}
	}
	for _, path := range []string{"/v1/reports/attendance", "/v1/attendances", "/v1/attendances?status=open"} {
		var contenders []contender
		for i, s := range servers {
			name := fmt.Sprintf("GET %s of %d", path, []int{manyAttendances, fewAttendances}[i])
			contenders = append(contenders, contender{name, s.process, b.drive(s.address, func(_, _ int, r *load.Request) {
				r.Path = path
				r.Set("Authorization", s.bearer())
			})})
		}
		outcomes, err := b.compare(ctx, contenders...)
		if err != nil {
			return err
		}
		b.add(leastOfFew, outcomes[0], outcomes[1])
	}
	return nil
}

// serveAttendances is a server whose first company has had n attendances in the last 30 days.
func (b *bench) serveAttendances(ctx context.Context, n int) (*server, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, err
	}
	first, err := b.serve(ctx, at)
	if err != nil {
		return nil, err
	}
	first.stop()
	started := time.Now()
	if err := b.makeAttendances(ctx, at, first.demo.Companies[0], n); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "  made %d attendances in %v\n", n, time.Since(started).Round(time.Second))
	return b.serve(ctx, at)
}

func (b *bench) makeAttendances(ctx context.Context, at place, c company, n int) (err error) {
	s, err := b.reopen(ctx, at)
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	h, err := newHistory(ctx, s, c)
	if err != nil {
		return err
	}
	for done := 0; done < n; {
		size := min(2_000, n-done)
		err := s.Write(ctx, func(tx *store.Tx) error {
			for i := range size {
				h.insert(tx, done+i, n)
			}
			return nil
		})
		if err != nil {
			return err
		}
		done += size
	}
	return desk.New(desk.Options{Store: s}).RebuildReport(ctx, h.company)
}

// history makes up what a busy desk did.
type history struct {
	company model.ID
	channel model.ID
	people  []model.Ref
	sectors []model.ID
	threads []model.ID
	end     time.Time
	random  *rand.Rand
}

func newHistory(ctx context.Context, s *store.Store, c company) (*history, error) {
	h := &history{end: time.Now(), random: rand.New(rand.NewPCG(1, 1))}
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
		h.people = append(h.people, model.Ref{ID: m.ID, Name: m.Name})
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

// insert adds the i-th of n attendances, oldest first: the last of every conversation is open still.
func (h *history) insert(tx *store.Tx, i, n int) {
	person := i % len(h.people)
	opened := h.end.Add(-historyDays * 24 * time.Hour).Add(time.Duration(float64(historyDays*24*time.Hour) * float64(i) / float64(n)))
	att := &model.Attendance{
		ID: model.NewID(), Company: h.company, Number: int64(1_000_000 + i), Conversation: h.threads[i%len(h.threads)], Channel: h.channel,
		Responsible: &h.people[person], OpenedAt: opened, OpenedBy: model.OpenedByCustomer,
	}
	if len(h.sectors) > 0 {
		att.Sector = &h.sectors[person%len(h.sectors)]
	}
	tx.InsertAttendance(att)
	if i >= n-len(h.threads) {
		return
	}
	att.Answered(opened.Add(h.lasting(3*time.Minute, 1.3)))
	closed := opened.Add(h.lasting(2*time.Hour, 1.3))
	att.ClosedAt, att.ClosedBy = &closed, att.Responsible
	tx.SaveAttendance(att)
}

// lasting is a duration as they are met at desks: most near the middle, a few very long.
func (h *history) lasting(median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*h.random.NormFloat64()))
}

// reopen opens the store of a place whose server has stopped.
func (b *bench) reopen(ctx context.Context, at place) (*store.Store, error) {
	if at.database != "" {
		return store.Open(ctx, store.Options{DatabaseURL: at.database, MaxConns: pooled})
	}
	return store.Open(ctx, store.Options{Dir: at.folder})
}
