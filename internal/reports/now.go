package reports

import (
	"context"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// CurrentReport is the current state of the team's work. Private numbers are not counted.
type CurrentReport struct {
	Load
	People  []PersonNow `json:"people"`
	Sectors []SectorNow `json:"sectors"`
}

// Load counts open cases.
type Load struct {
	Open            int64      `json:"open" doc:"The number of open cases."`
	Unassigned      int64      `json:"unassigned" doc:"The number of open cases without a responsible person."`
	Unanswered      int64      `json:"unanswered" doc:"The number of open cases in which the customer wrote last."`
	OldestWaitingAt *time.Time `json:"oldest_waiting_at" doc:"The time of the oldest unanswered message; null if there is none."`
}

// PersonNow is the load of a team member.
type PersonNow struct {
	User     kernel.Ref `json:"user"`
	Presence string     `json:"presence" enum:"online,away,offline"`
	Load
}

// SectorNow is the load of a sector.
type SectorNow struct {
	Sector *kernel.Ref `json:"sector" doc:"The sector; null for cases without one."`
	Load
}

func (l *Load) add(other Load) {
	l.Open += other.Open
	l.Unassigned += other.Unassigned
	l.Unanswered += other.Unanswered
	if at := other.OldestWaitingAt; at != nil && (l.OldestWaitingAt == nil || at.Before(*l.OldestWaitingAt)) {
		l.OldestWaitingAt = at
	}
}

// CurrentReport returns who is online, and the open cases by person and by sector.
func (d *Reports) CurrentReport(ctx context.Context, a *kernel.Principal) (now CurrentReport, err error) {
	release, err := d.queries.Begin(ctx, a)
	if err != nil {
		return now, err
	}
	defer release()
	team, err := d.people.Team(ctx, a)
	if err != nil {
		return now, err
	}
	sectors, err := d.people.Sectors(ctx, a)
	if err != nil {
		return now, err
	}
	groups, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]openCases, error) { return listOpenCases(tx, a.Company.ID) })
	if err != nil {
		return now, err
	}
	byPerson, bySector := map[kernel.ID]*Load{}, map[kernel.ID]*Load{}
	now = CurrentReport{People: make([]PersonNow, len(team)), Sectors: make([]SectorNow, len(sectors), len(sectors)+1)}
	for i, m := range team {
		now.People[i] = PersonNow{User: kernel.Ref{ID: m.ID, Name: m.Name}, Presence: m.Presence}
		byPerson[m.ID] = &now.People[i].Load
	}
	for i, s := range sectors {
		now.Sectors[i] = SectorNow{Sector: &kernel.Ref{ID: s.ID, Name: s.Name}}
		bySector[s.ID] = &now.Sectors[i].Load
	}
	var elsewhere Load // without a sector, or in one that was just removed
	for _, g := range groups {
		now.Load.add(g.Load)
		if g.assignee != nil && byPerson[*g.assignee] != nil {
			byPerson[*g.assignee].add(g.Load)
		}
		if g.sector != nil && bySector[*g.sector] != nil {
			bySector[*g.sector].add(g.Load)
		} else {
			elsewhere.add(g.Load)
		}
	}
	if elsewhere.Open > 0 {
		now.Sectors = append(now.Sectors, SectorNow{Load: elsewhere})
	}
	return now, nil
}

// openCases counts the open cases of one responsible person in one sector.
type openCases struct {
	Load
	assignee, sector *kernel.ID
}

func listOpenCases(tx *kernel.Tx, company kernel.ID) ([]openCases, error) {
	return kernel.Rows(tx, `
		SELECT assignee, sector, COUNT(*) AS total, COUNT(waiting_since) AS unanswered, MIN(waiting_since) AS oldest
		FROM conversations`+tx.Dialect().IndexedBy("conversations_open")+`
		WHERE company = $1 AND open = TRUE AND NOT private AND attendance IS NOT NULL AND `+kernel.Public("channel", "$1")+`
		GROUP BY assignee, sector`, []any{company}, func(r db.Row) openCases {
		g := openCases{assignee: r.NullID("assignee"), sector: r.NullID("sector")}
		g.Load = Load{Open: r.Int("total"), Unanswered: r.Int("unanswered"), OldestWaitingAt: r.NullTime("oldest")}
		if g.assignee == nil {
			g.Unassigned = g.Open
		}
		return g
	})
}
