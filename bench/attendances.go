package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/talk"
)

const (
	fewAttendances  = 10_000
	manyAttendances = 1_000_000

	caseworkers   = 20
	conversations = 500 // with one open attendance each
	historyDays   = 30
)

// runAttendances requests the report and pages from two servers, one with a hundred times the attendances of the other,
// all within the days of the report.
func runAttendances(ctx context.Context, b *bench) error {
	var servers [2]*testServer
	for i, n := range []int{manyAttendances, fewAttendances} {
		var err error
		servers[i], err = b.serveOn(ctx, fmt.Sprintf("%d attendances", n), func(at location, c company) error {
			return at.makeAttendances(ctx, c, n)
		})
		if err != nil {
			return err
		}
	}
	for _, path := range []string{"/v1/reports/attendance", "/v1/attendances", "/v1/attendances?status=open"} {
		err := b.compareServers(ctx, minOfSmall, "GET "+path, servers, func(i int) requestFunc { return servers[i].get(path) })
		if err != nil {
			return err
		}
	}
	return nil
}

// makeAttendances creates n attendances while the server is stopped and rebuilds the report.
func (at location) makeAttendances(ctx context.Context, c company, n int) error {
	h := newHistory(c, n)
	if err := at.onStore(ctx, h.create); err != nil {
		return err
	}
	if err := at.fill(ctx, "attendances", attendanceColumns, n, h.attendance); err != nil {
		return err
	}
	return at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error {
		return server.New(server.Options{Store: s}).Reports.RebuildReport(ctx, h.company)
	})
}

var attendanceColumns = []string{
	"id", "company", "number", "conversation", "channel", "private", "responsible", "sector",
	"opened_at", "opened_by", "first_response_at", "closed_at", "closed_by",
}

// history generates the attendances of a busy desk.
type history struct {
	company kernel.ID
	channel kernel.ID
	people  []kernel.ID
	sectors []kernel.ID
	threads []kernel.ID
	end     time.Time
	random  *rand.Rand

	attendances int
}

func newHistory(c company, n int) *history {
	h := &history{attendances: n, end: time.Now(), random: rand.New(rand.NewPCG(1, 1))}
	h.company, _ = kernel.ParseID(c.ID)
	h.channel, _ = kernel.ParseID(c.Channel)
	for _, sector := range c.Sectors {
		id, _ := kernel.ParseID(sector)
		h.sectors = append(h.sectors, id)
	}
	return h
}

// create creates the people and the conversations.
func (h *history) create(ctx context.Context, s *kernel.Store) error {
	d := server.New(server.Options{Store: s})
	for i := range caseworkers {
		m, err := d.People.CreateUser(ctx, h.company, people.NewUser{
			Name: fmt.Sprintf("Person %02d", i+1), Email: fmt.Sprintf("person%d@bench.example", i),
			Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll,
		})
		if err != nil {
			return err
		}
		h.people = append(h.people, m.ID)
	}
	return s.Write(ctx, func(tx *kernel.Tx) error {
		h.threads = h.threads[:0]
		for i := range conversations {
			group := fmt.Sprintf("bench-%d", i)
			c := talk.Conversation{
				ID: kernel.NewID(), Company: h.company, Channel: h.channel, Kind: talk.KindGroup,
				Name: fmt.Sprintf("Group %d", i), GroupID: &group, CreatedAt: h.end.AddDate(0, 0, -historyDays),
			}
			if _, err := talk.InsertConversation(tx, &c); err != nil {
				return err
			}
			h.threads = append(h.threads, c.ID)
		}
		return nil
	})
}

// attendance returns the columns of the i-th attendance, oldest first. The last one of every conversation is open.
func (h *history) attendance(i int) []any {
	const span = historyDays * 24 * time.Hour
	opened := h.end.Add(-span).Add(time.Duration(float64(span) * float64(i) / float64(h.attendances)))
	person := h.people[i%len(h.people)]
	row := []any{
		kernel.NewID(), h.company, int64(1_000_000 + i), h.threads[i%len(h.threads)], h.channel, false, person, nil,
		opened.UnixMilli(), talk.OpenedByCustomer, nil, nil, nil,
	}
	if len(h.sectors) > 0 {
		row[7] = h.sectors[i%len(h.people)%len(h.sectors)]
	}
	if i < h.attendances-len(h.threads) {
		row[10] = opened.Add(h.duration(3*time.Minute, 1.3)).UnixMilli()
		row[11], row[12] = opened.Add(h.duration(2*time.Hour, 1.3)).UnixMilli(), person
	}
	return row
}

// duration returns a log-normal duration: most are near the median, a few very long.
func (h *history) duration(median time.Duration, spread float64) time.Duration {
	return time.Duration(float64(median) * math.Exp(spread*h.random.NormFloat64()))
}
