package people

import (
	"context"
	"testing"

	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestAChangeForgetsOnlyTheHoldersOfItsCompany(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *People, company kernel.Company) {
		looks := 0
		ask := func(of kernel.ID) {
			_, err := d.keys.get(t.Context(), [32]byte(append(of[:], of[:]...)), func(context.Context) (*holder, error) {
				looks++
				return &holder{principal: &kernel.Principal{Company: kernel.Company{ID: of}}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		own, other := company.ID, kernel.NewID()
		ask(own)
		ask(other)
		d.forget(other)
		ask(own)
		testkit.Equal(t, "looks after another company's change", looks, 2)
		err := d.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			d.ForgetHolders(tx, own)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ask(own)
		testkit.Equal(t, "looks after its own change", looks, 3)
	})
}
