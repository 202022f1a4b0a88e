package people

import (
	"context"
	"testing"

	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestAChangeDropsOnlyTheCachedHoldersOfItsCompany(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *People, company kernel.Company) {
		loads := 0
		load := func(id kernel.ID) {
			_, err := d.keys.get(t.Context(), [32]byte(append(id[:], id[:]...)), func(context.Context) (*holder, error) {
				loads++
				return &holder{principal: &kernel.Principal{Company: kernel.Company{ID: id}}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		own, other := company.ID, kernel.NewID()
		load(own)
		load(other)
		d.forget(other)
		load(own)
		testkit.Equal(t, "loads after another company's change", loads, 2)
		err := d.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			d.ForgetHolders(tx, own)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		load(own)
		testkit.Equal(t, "loads after its own change", loads, 3)
	})
}
