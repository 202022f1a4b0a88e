package store

import (
	"recado/internal/db"
	"recado/internal/fold"
	"recado/internal/model"
)

// Sectors lists the company's sectors with their members, by name. Queues are left empty.
func (tx *Tx) Sectors(company model.ID) ([]model.Sector, error) {
	var sectors []model.Sector
	place := map[model.ID]int{}
	err := tx.query(`SELECT id, name, hours, distribution, capacity, prefer_last, return_minutes FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, []any{company}, func(r Row) error {
		place[r.ID(0)] = len(sectors)
		sectors = append(sectors, model.Sector{ID: r.ID(0), Name: r.Text(1), HoursID: r.NullID(2), Distribution: scanDistribution(r, 3), Members: []model.Ref{}})
		return nil
	})
	if err != nil || len(sectors) == 0 {
		return sectors, err
	}
	return sectors, tx.sectorMembers(`s.company = $1`, company, func(sector model.ID, member model.Ref) {
		i := place[sector]
		sectors[i].Members = append(sectors[i].Members, member)
	})
}

func (tx *Tx) sectorMembers(which string, arg model.ID, each func(sector model.ID, member model.Ref)) error {
	return tx.query(`
		SELECT s.id, u.id, u.name
		FROM sectors s
		JOIN sector_members m ON m.sector = s.id
		JOIN users u ON u.id = m.member
		WHERE s.removed_at IS NULL AND u.removed_at IS NULL AND `+which+`
		ORDER BY u.name, u.id`, []any{arg}, func(r Row) error {
		each(r.ID(0), model.Ref{ID: r.ID(1), Name: r.Text(2)})
		return nil
	})
}

// WaitingLine is a queue of a sector.
type WaitingLine struct {
	Sector model.ID
	model.Queue
}

// WaitingLines counts, per sector and channel, the open attendances without a responsible person. Its
// cost grows with those alone.
func (tx *Tx) WaitingLines(company model.ID) ([]WaitingLine, error) {
	var lines []WaitingLine
	err := tx.query(`
		SELECT sector, channel, COUNT(*), MIN(opened_at)
		FROM attendances
		WHERE company = $1 AND sector IS NOT NULL AND responsible IS NULL AND closed_at IS NULL AND NOT private AND `+public("channel", "$1")+`
		GROUP BY sector, channel
		ORDER BY sector, channel`, []any{company}, func(r Row) error {
		lines = append(lines, WaitingLine{r.ID(0), model.Queue{Channel: r.ID(1), Waiting: r.Int(2), OldestWaitingAt: r.NullTime(3)}})
		return nil
	})
	return lines, err
}

// KeepSector reports whether the company has a sector, and keeps it from being removed until the end of
// the transaction.
func (tx *Tx) KeepSector(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`+tx.forShare(), []any{company, id}, func(Row) {})
}

// KeepSectors is KeepSector for several sectors in one query; the result has those that the company has.
func (tx *Tx) KeepSectors(company model.ID, ids []model.ID) (map[model.ID]bool, error) {
	return tx.presentSectors(company, ids, tx.forShare())
}

// PresentSectors reports which of several sectors the company has.
func (tx *Tx) PresentSectors(company model.ID, ids []model.ID) (map[model.ID]bool, error) {
	return tx.presentSectors(company, ids, "")
}

func (tx *Tx) presentSectors(company model.ID, ids []model.ID, lock string) (map[model.ID]bool, error) {
	found := make(map[model.ID]bool, len(ids))
	s := tx.statement()
	s.WriteString(`SELECT id FROM sectors WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + lock)
	err := tx.query(s.String(), s.Args, func(r Row) error {
		found[r.ID(0)] = true
		return nil
	})
	return found, err
}

// SectorExists reports whether the company has a sector.
func (tx *Tx) SectorExists(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(Row) {})
}

// SectorName gives the name of a sector of the company, "" where there is none.
func (tx *Tx) SectorName(company, id model.ID) (name string, err error) {
	_, err = tx.one(`SELECT name FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r Row) { name = r.Text(0) })
	return name, err
}

// SectorWithMembers gives a sector with its members. Queues are left empty.
func (tx *Tx) SectorWithMembers(company, id model.ID) (model.Sector, bool, error) {
	return tx.sector(company, id, "")
}

// LockSector is SectorWithMembers, and keeps every other writer away from it until the end of the transaction.
func (tx *Tx) LockSector(company, id model.ID) (model.Sector, bool, error) {
	return tx.sector(company, id, tx.forUpdate())
}

func (tx *Tx) sector(company, id model.ID, lock string) (model.Sector, bool, error) {
	s := model.Sector{ID: id, Members: []model.Ref{}}
	found, err := tx.one(`SELECT name, hours, distribution, capacity, prefer_last, return_minutes FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock,
		[]any{company, id}, func(r Row) { s.Name, s.HoursID, s.Distribution = r.Text(0), r.NullID(1), scanDistribution(r, 2) })
	if err != nil || !found {
		return s, false, err
	}
	return s, true, tx.sectorMembers(`s.id = $1`, id, func(_ model.ID, member model.Ref) { s.Members = append(s.Members, member) })
}

// InsertSector reports false when the company has a sector of that name.
func (tx *Tx) InsertSector(company, id model.ID, name string) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO sectors (id, company, name, folded, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, id, company, name, fold.Text(name), tx.Now)
	return n == 1, err
}

// RenameSector reports false, and the transaction has failed, when another sector of the company has
// that name.
func (tx *Tx) RenameSector(company, id model.ID, name string) (bool, error) {
	_, err := tx.exec(`UPDATE sectors SET name = $3, folded = $4 WHERE company = $1 AND id = $2`, company, id, name, fold.Text(name))
	if db.IsUnique(err, "sectors_name", "sectors.company, sectors.folded") {
		return false, nil
	}
	return err == nil, err
}

// SetSectorMembers replaces the members of a sector.
func (tx *Tx) SetSectorMembers(company, sector model.ID, members []model.Ref) {
	tx.later(`DELETE FROM sector_members WHERE sector = $1`, sector)
	ids := make([]model.ID, len(members))
	for i, member := range members {
		ids[i] = member.ID
	}
	s := tx.statement()
	s.WriteString(`
		INSERT INTO sector_members (sector, member, company)
		SELECT s.id, u.id, u.company
		FROM sectors s, users u
		WHERE s.company = ` + s.Arg(company) + ` AND s.id = ` + s.Arg(sector) + ` AND u.company = s.company AND u.id IN (` + db.Listed(ids)(s) + `)
		ON CONFLICT DO NOTHING`)
	tx.later(s.String(), s.Args...)
}

// RemoveSector ends a sector. What lies in it stays there for the moment: see Orphans.
func (tx *Tx) RemoveSector(company, id model.ID) {
	tx.later(`UPDATE sectors SET removed_at = $3 WHERE company = $1 AND id = $2`, company, id, tx.Now)
	tx.later(`DELETE FROM sector_members WHERE sector = $1`, id)
}

// IsSectorMember reports whether a person belongs to a sector.
func (tx *Tx) IsSectorMember(sector, member model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sector_members WHERE sector = $1 AND member = $2`, []any{sector, member}, func(Row) {})
}

// SectorIDs lists the company's sectors by name.
func (tx *Tx) SectorIDs(company model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, company)
}
