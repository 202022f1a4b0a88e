package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

const minOfRaw = 0.60 // of the rate of the raw engine

// pooled is the number of connections to PostgreSQL, the default of the store.
const pooled = 16

const insertLabel = `
	INSERT INTO labels (id, company, name, folded, color, created_at)
	VALUES ($1, $2, $3, $4, $5, $6)
	ON CONFLICT DO NOTHING`

// runGroupCommit compares concurrent writers of labels through the store with the raw engine. See rawInserts.
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
	b.add(minOfRaw, outcomes[0], outcomes[1])
	return nil
}

func (b *bench) storeWriters(ctx context.Context, company kernel.ID) (contender, error) {
	s, _, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	b.onClose(func() { s.Close() })
	callers := make([]context.Context, b.conns) // separate ones, as for requests
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
	return contender{name: fmt.Sprintf("%d writers through the store", b.conns), round: repeating(b.conns, write)}, nil
}

func (b *bench) rawLabels(ctx context.Context, company kernel.ID) (contender, error) {
	return b.rawInserts(ctx, company, "rows", insertLabel, func(int64) []any {
		label := newLabel()
		return []any{label.ID, company, label.Name, fold.Text(label.Name), label.Color, time.Now().UnixMilli()}
	})
}

// openStore opens a store with empty data and one company.
func (b *bench) openStore(ctx context.Context, company kernel.ID) (*kernel.Store, location, error) {
	at, err := b.newLocation(ctx)
	if err != nil {
		return nil, at, err
	}
	s, err := at.open(ctx)
	if err != nil {
		return nil, at, err
	}
	err = s.Write(ctx, func(tx *kernel.Tx) error {
		c := kernel.Company{ID: company, Name: "Bench", Timezone: "UTC"}
		people.InsertCompany(tx, c, people.AttendanceRules{Mode: "liberal"})
		return nil
	})
	return s, at, err
}

var errTaken = errors.New("a label with that name exists")

func newLabel() talk.Label {
	id := kernel.NewID()
	return talk.Label{ID: id, Name: id.String(), Color: "#2e7d32"}
}
