package main

import (
	"context"
	"fmt"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// leastOfRaw is the share of the raw engine's rate that writers through the store must reach.
const leastOfRaw = 0.60

// pooled is how many connections to PostgreSQL both contenders have: the store's own default.
const pooled = 16

// The row that all writers write: a label, with its unique name and its reference to a company.
const insertLabel = `INSERT INTO labels (id, company, name, folded, color, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`

// runGroupCommit lets many writers at once each commit a row through the store, and beside it the engine alone:
// SQLite one transaction for as many rows as there are writers, PostgreSQL a statement for each row on as many connections.
func runGroupCommit(ctx context.Context, b *bench) error {
	company := kernel.NewID()
	ours, err := b.storeWriters(ctx, company)
	if err != nil {
		return err
	}
	raw, err := b.rawLabels(ctx, company)
	if err != nil {
		return err
	}
	outcomes, err := b.compare(ctx, ours, raw)
	if err != nil {
		return err
	}
	b.add(leastOfRaw, outcomes[0], outcomes[1])
	return nil
}

func (b *bench) storeWriters(ctx context.Context, company kernel.ID) (contender, error) {
	s, _, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	b.onClose(func() { s.Close() })
	callers := make([]context.Context, b.conns) // each has one of its own, as requests do
	for i := range callers {
		own, cancel := context.WithCancel(ctx)
		b.onClose(cancel)
		callers[i] = own
	}
	write := func(_ context.Context, worker int) error {
		label := newLabel()
		return s.Write(callers[worker], func(tx *kernel.Tx) error {
			inserted, err := talk.InsertLabel(tx, company, label)
			if err == nil && !inserted {
				err = errTaken
			}
			return err
		})
	}
	return contender{name: fmt.Sprintf("%d writers through the store", b.conns), round: b.repeating(b.conns, write)}, nil
}

// rawLabels is the engine alone, writing the same rows.
func (b *bench) rawLabels(ctx context.Context, company kernel.ID) (contender, error) {
	return b.rawInserts(ctx, company, "rows", insertLabel, func(int64) []any {
		label := newLabel()
		return []any{label.ID, company, label.Name, fold.Text(label.Name), label.Color, time.Now().UnixMilli()}
	})
}

// openStore opens a store on a fresh place with one company in it.
func (b *bench) openStore(ctx context.Context, company kernel.ID) (*kernel.Store, place, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, at, err
	}
	s, err := at.open(ctx)
	if err != nil {
		return nil, at, err
	}
	err = s.Write(ctx, func(tx *kernel.Tx) error {
		people.InsertCompany(tx, kernel.Company{ID: company, Name: "Bench", Timezone: "UTC"}, people.AttendanceRules{Mode: "liberal"})
		return nil
	})
	return s, at, err
}

var errTaken = fmt.Errorf("a label of that name exists already")

func newLabel() talk.Label {
	id := kernel.NewID()
	return talk.Label{ID: id, Name: id.String(), Color: "#2e7d32"}
}
