package desk

import (
	"recado/internal/model"
	"recado/internal/store"
)

// createAttendancesBoard gives a new company the board whose cards follow its attendances.
func (d *Desk) createAttendancesBoard(tx *store.Tx, company model.ID) error {
	system := model.SystemAttendances
	return tx.InsertBoard(company, model.Board{
		ID: model.NewID(), Name: "Attendances", System: &system, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Stages: []model.Stage{
			{ID: model.NewID(), Name: "Waiting", Position: 0, Kind: model.StageOpen},
			{ID: model.NewID(), Name: "In progress", Position: 1, Kind: model.StageOpen},
			{ID: model.NewID(), Name: "Done", Position: 2, Kind: model.StageWon},
		},
	})
}
