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
	team, err := d.people.Team(ctx, a)
	if err != nil {
		return now, err
	}
	sectors, err := d.people.Sectors(ctx, a)
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
	err = d.Store.Read(ctx, func(tx *kernel.Tx) error {
		return tx.Query(`
			SELECT assignee, sector, COUNT(*) AS total, COUNT(waiting_since) AS unanswered, MIN(waiting_since) AS oldest
			FROM conversations
			WHERE company = $1 AND open AND attendance IS NOT NULL AND NOT private
			GROUP BY assignee, sector`, []any{a.Company.ID}, func(r db.Row) error {
			load := Load{Open: r.Int("total"), Unanswered: r.Int("unanswered"), OldestWaitingAt: r.NullTime("oldest")}
			assignee, sector := r.NullID("assignee"), r.NullID("sector")
			if assignee == nil {
				load.Unassigned = load.Open
			} else if person := byPerson[*assignee]; person != nil {
				person.add(load)
			}
			now.Load.add(load)
			if sector != nil && bySector[*sector] != nil {
				bySector[*sector].add(load)
			} else {
				elsewhere.add(load)
			}
			return nil
		})
	})
	if elsewhere.Open > 0 {
		now.Sectors = append(now.Sectors, SectorNow{Load: elsewhere})
	}
	return now, err
}
