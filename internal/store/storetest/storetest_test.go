package storetest

import (
	"testing"

	"recado/internal/store"
)

func TestEach(t *testing.T) {
	t.Run("both engines open twice", func(t *testing.T) {
		Each(t, func(t *testing.T, open func() *store.Store) {
			for _, s := range []*store.Store{open(), open()} {
				if err := s.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
