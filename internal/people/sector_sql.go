package people

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// ScanDistribution reads the columns of a distribution, the first at index at.
func ScanDistribution(r db.Row, at int) Distribution {
	return Distribution{Mode: r.Text(at), Capacity: r.Int(at + 1), PreferLast: r.Bool(at + 2), ReturnAfterMinutes: r.NullInt(at + 3)}
}

// setDistribution says how the cases of a sector get a responsible person.
func setDistribution(tx *kernel.Tx, company, sector kernel.ID, d Distribution) {
	tx.Later(`
		UPDATE sectors
		SET distribution = $3, capacity = $4, prefer_last = $5, return_minutes = $6
		WHERE company = $1 AND id = $2`, company, sector, d.Mode, d.Capacity, d.PreferLast, d.ReturnAfterMinutes)
}

// keepHours reports whether the company has opening hours, and keeps them from being deleted until the end of the
// transaction.
func keepHours(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM hours WHERE company = $1 AND id = $2`+tx.ForShare(), []any{company, id}, func(db.Row) {})
}

// setSectorHours says which opening hours a sector has; nil: none of its own.
func setSectorHours(tx *kernel.Tx, company, id kernel.ID, hours *kernel.ID) {
	tx.Later(`UPDATE sectors SET hours = $3 WHERE company = $1 AND id = $2`, company, id, hours)
}

// listSectors lists the company's sectors with their members, by name. Queues are left empty.
func listSectors(tx *kernel.Tx, company kernel.ID) ([]Sector, error) {
	var sectors []Sector
	place := map[kernel.ID]int{}
	err := tx.Query(`SELECT id, name, hours, distribution, capacity, prefer_last, return_minutes FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, []any{company}, func(r db.Row) error {
		place[r.ID(0)] = len(sectors)
		sectors = append(sectors, Sector{ID: r.ID(0), Name: r.Text(1), HoursID: r.NullID(2), Distribution: ScanDistribution(r, 3), Members: []kernel.Ref{}})
		return nil
	})
	if err != nil || len(sectors) == 0 {
		return sectors, err
	}
	return sectors, eachSectorMember(tx, ``, []any{company}, func(sector kernel.ID, member kernel.Ref) {
		i := place[sector]
		sectors[i].Members = append(sectors[i].Members, member)
	})
}

// eachSectorMember goes through the present members of the company's sectors. Its condition, where it is not empty, chooses some of them.
func eachSectorMember(tx *kernel.Tx, also string, args []any, each func(sector kernel.ID, member kernel.Ref)) error {
	return tx.Query(`
		SELECT s.id, u.id, u.name
		FROM sectors s
		JOIN sector_members m ON m.company = s.company AND m.sector = s.id
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE s.company = $1 AND s.removed_at IS NULL AND u.removed_at IS NULL`+also+`
		ORDER BY u.name, u.id`, args, func(r db.Row) error {
		each(r.ID(0), kernel.Ref{ID: r.ID(1), Name: r.Text(2)})
		return nil
	})
}

// WaitingLine is a queue of a sector.
type WaitingLine struct {
	Sector kernel.ID
	Queue
}

// WaitingLines counts, per sector and channel, the open attendances without a responsible person. Its
// cost grows with those alone.
func WaitingLines(tx *kernel.Tx, company kernel.ID) ([]WaitingLine, error) {
	var lines []WaitingLine
	err := tx.Query(`
		SELECT sector, channel, COUNT(*), MIN(opened_at)
		FROM attendances
		WHERE company = $1 AND sector IS NOT NULL AND responsible IS NULL AND closed_at IS NULL AND NOT private AND `+kernel.Public("channel", "$1")+`
		GROUP BY sector, channel
		ORDER BY sector, channel`, []any{company}, func(r db.Row) error {
		lines = append(lines, WaitingLine{r.ID(0), Queue{Channel: r.ID(1), Waiting: r.Int(2), OldestWaitingAt: r.NullTime(3)}})
		return nil
	})
	return lines, err
}

// KeepSector reports whether the company has a sector, and keeps it from being removed until the end of
// the transaction.
func KeepSector(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`+tx.ForShare(), []any{company, id}, func(db.Row) {})
}

// keepSectors is KeepSector for several sectors in one query; the result has those that the company has.
func keepSectors(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]bool, error) {
	return selectPresentSectors(tx, company, ids, tx.ForShare())
}

// presentSectors reports which of several sectors the company has.
func presentSectors(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) (map[kernel.ID]bool, error) {
	return selectPresentSectors(tx, company, ids, "")
}

func selectPresentSectors(tx *kernel.Tx, company kernel.ID, ids []kernel.ID, lock string) (map[kernel.ID]bool, error) {
	found := make(map[kernel.ID]bool, len(ids))
	s := tx.Statement()
	s.WriteString(`SELECT id FROM sectors WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `) ORDER BY id` + lock)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		found[r.ID(0)] = true
		return nil
	})
	return found, err
}

// SectorExists reports whether the company has a sector.
func SectorExists(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(db.Row) {})
}

// SectorName gives the name of a sector of the company, "" where there is none.
func SectorName(tx *kernel.Tx, company, id kernel.ID) (name string, err error) {
	_, err = tx.One(`SELECT name FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r db.Row) { name = r.Text(0) })
	return name, err
}

// sectorWithMembers gives a sector with its members. Queues are left empty.
func sectorWithMembers(tx *kernel.Tx, company, id kernel.ID) (Sector, bool, error) {
	return selectSector(tx, company, id, "")
}

// lockSector is SectorWithMembers, and keeps every other writer away from it until the end of the transaction.
func lockSector(tx *kernel.Tx, company, id kernel.ID) (Sector, bool, error) {
	return selectSector(tx, company, id, tx.ForUpdate())
}

func selectSector(tx *kernel.Tx, company, id kernel.ID, lock string) (Sector, bool, error) {
	s := Sector{ID: id, Members: []kernel.Ref{}}
	found, err := tx.One(`SELECT name, hours, distribution, capacity, prefer_last, return_minutes FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock,
		[]any{company, id}, func(r db.Row) { s.Name, s.HoursID, s.Distribution = r.Text(0), r.NullID(1), ScanDistribution(r, 2) })
	if err != nil || !found {
		return s, false, err
	}
	return s, true, eachSectorMember(tx, ` AND s.id = $2`, []any{company, id}, func(_ kernel.ID, member kernel.Ref) { s.Members = append(s.Members, member) })
}

// insertSector reports false when the company has a sector of that name.
func insertSector(tx *kernel.Tx, company, id kernel.ID, name string) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO sectors (id, company, name, folded, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, id, company, name, fold.Text(name), tx.Now)
	return n == 1, err
}

// renameSector reports false, and the transaction has failed, when another sector of the company has
// that name.
func renameSector(tx *kernel.Tx, company, id kernel.ID, name string) (bool, error) {
	_, err := tx.Exec(`UPDATE sectors SET name = $3, folded = $4 WHERE company = $1 AND id = $2`, company, id, name, fold.Text(name))
	if db.IsUnique(err, "sectors_name", "sectors.company, sectors.folded") {
		return false, nil
	}
	return err == nil, err
}

// setSectorMembers replaces the members of a sector.
func setSectorMembers(tx *kernel.Tx, company, sector kernel.ID, members []kernel.Ref) {
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND sector = $2`, company, sector)
	ids := make([]kernel.ID, len(members))
	for i, member := range members {
		ids[i] = member.ID
	}
	s := tx.Statement()
	s.WriteString(`
		INSERT INTO sector_members (company, sector, member)
		SELECT u.company, s.id, u.id
		FROM sectors s, users u
		WHERE s.company = ` + s.Arg(company) + ` AND s.id = ` + s.Arg(sector) + ` AND u.company = s.company AND u.id IN (` + db.Listed(ids)(s) + `)
		ON CONFLICT DO NOTHING`)
	tx.Later(s.String(), s.Args...)
}

// removeSector ends a sector. What lies in it stays there for the moment: see Orphans.
func removeSector(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`UPDATE sectors SET removed_at = $3 WHERE company = $1 AND id = $2`, company, id, tx.Now)
	tx.Later(`DELETE FROM sector_members WHERE company = $1 AND sector = $2`, company, id)
}

// IsSectorMember reports whether a person belongs to a sector.
func IsSectorMember(tx *kernel.Tx, company, sector, member kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sector_members WHERE company = $1 AND sector = $2 AND member = $3`, []any{company, sector, member}, func(db.Row) {})
}

// SectorIDs lists the company's sectors by name.
func SectorIDs(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, company)
}
