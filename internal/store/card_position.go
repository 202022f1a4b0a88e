package store

import (
	"recado/internal/model"
	"recado/internal/store/search"
)

// cardsByPosition lists cards in the order of the boards' stages and of the cards in each stage. It reads stage after
// stage until the page is full.
func (tx *Tx) cardsByPosition(f *CardFilter) (page []model.Card, more bool, err error) {
	stages, err := tx.stagesOf(f)
	if err != nil {
		return nil, false, err
	}
	page = make([]model.Card, 0, f.Limit)
	started := f.AfterStage.IsZero()
	for _, stage := range stages {
		rank, id := "", model.ID{}
		if stage == f.AfterStage {
			started, rank, id = true, f.AfterRank, f.After
		}
		if !started {
			continue
		}
		cards, further, err := tx.cardsOfStage(f, stage, rank, id, f.Limit-len(page))
		if err != nil {
			return nil, false, err
		}
		if page = append(page, cards...); further || len(page) > f.Limit {
			return page[:min(len(page), f.Limit)], true, nil
		}
	}
	return page, false, nil
}

// stagesOf lists the stages of the list in order: the one that is asked for, or those of all of its boards.
func (tx *Tx) stagesOf(f *CardFilter) ([]model.ID, error) {
	s := tx.statement()
	s.WriteString("SELECT id FROM stages WHERE company = " + s.Arg(f.Company))
	s.And(s.In("board", f.Boards))
	if !f.Stage.IsZero() {
		s.And("id = " + s.Arg(f.Stage))
	}
	s.WriteString("\n\tORDER BY board, position, id")
	return tx.ids(s.String(), s.Args...)
}

// cardsOfStage lists the cards of a stage behind a place. Of a limit of 0 it only says whether there are any.
func (tx *Tx) cardsOfStage(f *CardFilter, stage model.ID, rank string, id model.ID, limit int) ([]model.Card, bool, error) {
	q := &cardQuery{statement: tx.statement(), CardFilter: *f, tx: tx}
	q.Stage = model.ID{}
	q.WriteString("SELECT" + cardColumns + "\n\tFROM cards c" + tx.indexedBy("cards_stage") + "\n\tWHERE c.stage = " + q.Arg(stage))
	q.And("c.company = " + q.Arg(f.Company))
	q.And(q.ofStatuses())
	if rank != "" {
		q.And("(c.rank, c.id) > (" + q.Arg(rank) + ", " + q.Arg(id) + ")")
	}
	q.WriteString(q.visibleToPerson() + q.conditions(byAll))
	search.NewText(f.Q).Check(q.statement, "c.folded")
	q.WriteString("\n\tORDER BY c.rank, c.id")
	tx.page(q.statement, limit, 0)
	return collect(tx, q.statement, limit, scanCard)
}
