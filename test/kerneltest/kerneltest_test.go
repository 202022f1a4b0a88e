package kerneltest

import (
	"testing"

	"recado/internal/kernel"
)

func TestEach(t *testing.T) {
	t.Run("both engines open twice", func(t *testing.T) {
		Each(t, func(t *testing.T, open func() *kernel.Store) {
			for _, s := range []*kernel.Store{open(), open()} {
				if err := s.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
