package people

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// ScanDistribution reads the columns distribution, capacity, prefer_last and return_minutes of a sector.
func ScanDistribution(r db.Row) Distribution {
	return Distribution{
		Mode: r.Text("distribution"), Capacity: r.Int("capacity"), PreferLast: r.Bool("prefer_last"),
		ReturnAfterMinutes: r.NullInt("return_minutes"),
	}
}

const sectorColumns = `id, name, hours, distribution, capacity, prefer_last, return_minutes`

func scanSector(r db.Row) Sector {
	return Sector{
		ID: r.ID("id"), Name: r.Text("name"), HoursID: r.NullID("hours"), Distribution: ScanDistribution(r), Members: []kernel.Ref{},
	}
}

// listSectors lists the company's sectors by name, with their members and without queues.
func listSectors(tx *kernel.Tx, company kernel.ID) ([]Sector, error) {
	sectors, err := kernel.Rows(tx, `
		SELECT `+sectorColumns+`
		FROM sectors
		WHERE company = $1 AND removed_at IS NULL
		ORDER BY folded, id`, []any{company}, scanSector)
	if err != nil {
		return nil, err
	}
	members := map[kernel.ID][]kernel.Ref{}
	err = eachSectorMember(tx, ``, []any{company}, func(sector kernel.ID, member kernel.Ref) {
		members[sector] = append(members[sector], member)
	})
	for i := range sectors {
		sectors[i].Members = members[sectors[i].ID]
	}
	return sectors, err
}

// eachSectorMember calls each for the members of the company's sectors that meet a further condition, by name.
func eachSectorMember(tx *kernel.Tx, condition string, args []any, each func(sector kernel.ID, member kernel.Ref)) error {
	return tx.Query(`
		SELECT s.id AS sector, u.id, u.name
		FROM sectors s
		JOIN sector_members m ON m.company = s.company AND m.sector = s.id
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE s.company = $1 AND s.removed_at IS NULL AND u.removed_at IS NULL`+condition+`
		ORDER BY u.name, u.id`, args, func(r db.Row) error {
		each(r.ID("sector"), scanRef(r))
		return nil
	})
}

// WaitingLine is a queue of a sector.
type WaitingLine struct {
	Sector kernel.ID
	Queue
}

// WaitingLines counts, by sector and channel, the open attendances without a responsible person.
func WaitingLines(tx *kernel.Tx, company kernel.ID) ([]WaitingLine, error) {
	return kernel.Rows(tx, `
		SELECT sector, channel, COUNT(*) AS waiting, MIN(opened_at) AS oldest
		FROM attendances
		WHERE company = $1 AND sector IS NOT NULL AND responsible IS NULL AND closed_at IS NULL AND NOT private
			AND `+kernel.Public("channel", "$1")+`
		GROUP BY sector, channel
		ORDER BY sector, channel`, []any{company}, func(r db.Row) WaitingLine {
		return WaitingLine{r.ID("sector"), Queue{r.ID("channel"), r.Int("waiting"), r.NullTime("oldest")}}
	})
}

// KeepSector reports whether the company has a sector, and keeps it from being removed until the transaction ends.
func KeepSector(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	present, err := presentSectors(tx, company, []kernel.ID{id}, tx.ForShare())
	return len(present) == 1, err
}

// SectorExists reports whether the company has a sector.
func SectorExists(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	present, err := presentSectors(tx, company, []kernel.ID{id}, "")
	return len(present) == 1, err
}

// presentSectors returns which of some sectors the company has. The lock applies to these.
func presentSectors(tx *kernel.Tx, company kernel.ID, ids []kernel.ID, lock string) ([]kernel.ID, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT id
		FROM sectors
		WHERE company = ` + s.Arg(company) + ` AND removed_at IS NULL AND id IN (` + db.Listed(ids)(s) + `)
		ORDER BY id` + lock)
	return tx.IDs(s.String(), s.Args...)
}

// SectorName returns the name of a sector of the company, or "" if there is none.
func SectorName(tx *kernel.Tx, company, id kernel.ID) (string, error) {
	name, _, err := kernel.Row(tx, `SELECT name FROM sectors WHERE company = $1 AND id = $2 AND removed_at IS NULL`,
		[]any{company, id}, func(r db.Row) string { return r.Text("name") })
	return name, err
}

// findSector finds a sector with its members and without queues. The lock applies to the sector.
func findSector(tx *kernel.Tx, company, id kernel.ID, lock string) (Sector, error) {
	s, err := kernel.Find(tx, "sector", `
		SELECT `+sectorColumns+`
		FROM sectors
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`+lock, []any{company, id}, scanSector)
	if err != nil {
		return s, err
	}
	err = eachSectorMember(tx, ` AND s.id = $2`, []any{company, id}, func(_ kernel.ID, member kernel.Ref) {
		s.Members = append(s.Members, member)
	})
	return s, err
}

// insertSector stores a sector. It reports false if the company has a sector with that name.
func insertSector(tx *kernel.Tx, company, id kernel.ID, name string) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO sectors (id, company, name, folded, created_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, id, company, name, fold.Text(name), tx.Now)
	return n == 1, err
}

// renameSector reports false if another sector of the company has that name. The transaction has failed then.
func renameSector(tx *kernel.Tx, company, id kernel.ID, name string) (bool, error) {
	_, err := tx.Exec(`UPDATE sectors SET name = $3, folded = $4 WHERE company = $1 AND id = $2`,
		company, id, name, fold.Text(name))
	if db.IsUnique(err, "sectors_name", "sectors.company, sectors.folded") {
		return false, nil
	}
	return err == nil, err
}

// insertMemberships makes members belong to sectors.
func insertMemberships(tx *kernel.Tx, company kernel.ID, sectors, members []kernel.ID) {
	s := tx.Statement()
	s.WriteString(`
		INSERT INTO sector_members (company, sector, member)
		SELECT u.company, s.id, u.id
		FROM users u, sectors s
		WHERE u.company = ` + s.Arg(company) + ` AND u.id IN (` + db.Listed(members)(s) + `)
			AND s.company = u.company AND s.id IN (` + db.Listed(sectors)(s) + `)
		ON CONFLICT DO NOTHING`)
	tx.Later(s.String(), s.Args...)
}

// IsSectorMember reports whether a member belongs to a sector.
func IsSectorMember(tx *kernel.Tx, company, sector, member kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sector_members WHERE company = $1 AND sector = $2 AND member = $3`,
		[]any{company, sector, member}, func(db.Row) {})
}

// SectorIDs lists the company's sectors by name.
func SectorIDs(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, company)
}
