package desk

import (
	"context"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/testkit"
)

func TestAChangeForgetsOnlyTheHoldersOfItsCompany(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		looks := 0
		ask := func(company model.ID) {
			_, err := d.keys.Get(t.Context(), [32]byte(append(company[:], company[:]...)), func(context.Context) (*holder, error) {
				looks++
				return &holder{principal: &Principal{Company: model.Company{ID: company}}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		own, other := o.company.ID, model.NewID()
		ask(own)
		ask(other)
		d.forget(other)
		ask(own)
		testkit.Equal(t, "looks after another company's change", looks, 2)
		err := d.store.Write(t.Context(), func(tx *store.Tx) error {
			d.forgetHolders(tx, own)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ask(own)
		testkit.Equal(t, "looks after its own change", looks, 3)
	})
}
