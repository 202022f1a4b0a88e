package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// InboxCounts counts the open conversations that the principal may see.
func (d *Desk) InboxCounts(ctx context.Context, a *Principal) (*model.InboxCounts, error) {
	if err := a.May(VerbInboxCounts); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) (*model.InboxCounts, error) {
		count, err := newInboxCount(tx, a)
		if err != nil {
			return nil, err
		}
		return &count.InboxCounts, tx.InboxRows(a.Company.ID, a.sight(), count.add)
	})
}

// inboxCount adds conversations up.
type inboxCount struct {
	model.InboxCounts
	me      model.ID
	sectors map[model.ID]int // places in Sectors
	labels  map[model.ID]int // places in Labels
}

func newInboxCount(tx *store.Tx, a *Principal) (*inboxCount, error) {
	c := &inboxCount{me: a.User.ID, sectors: map[model.ID]int{}, labels: map[model.ID]int{}}
	c.Sectors, c.Labels, c.Views = []model.SectorCount{}, []model.LabelCount{}, []model.ViewCount{}
	sectors, err := tx.SectorIDs(a.Company.ID)
	if err != nil {
		return nil, err
	}
	for i, id := range sectors {
		c.sectors[id], c.Sectors = i, append(c.Sectors, model.SectorCount{ID: id})
	}
	labels, err := tx.Labels(a.Company.ID)
	for i, label := range labels {
		c.labels[label.ID], c.Labels = i, append(c.Labels, model.LabelCount{ID: label.ID})
	}
	return c, err
}

func (c *inboxCount) add(row *model.InboxRow) {
	if row.Snoozed {
		c.Snoozed++
		return
	}
	c.Open++
	if row.Assignee != nil && *row.Assignee == c.me {
		c.Mine++
	}
	if row.Waiting() {
		c.Unassigned++
	}
	if row.Unread {
		c.Unread++
	}
	c.addSector(row)
	for _, id := range row.LabelIDs {
		if i, known := c.labels[id]; known {
			c.Labels[i].Open++
		}
	}
}

func (c *inboxCount) addSector(row *model.InboxRow) {
	if row.Sector == nil {
		return
	}
	i, known := c.sectors[*row.Sector]
	if known && row.Waiting() {
		c.Sectors[i].Waiting++
	}
	if known && row.Unread {
		c.Sectors[i].Unread++
	}
}
