package store

import (
	"testing"

	"recado/internal/testkit"
)

// bothPlaces runs body with options that open the same empty database again and again.
func bothPlaces(t *testing.T, body func(t *testing.T, o Options)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, url string) { body(t, Options{Dir: t.TempDir(), DatabaseURL: url}) })
}

func TestTheSchemaOpensTwice(t *testing.T) {
	bothPlaces(t, func(t *testing.T, o Options) {
		for range 2 {
			s, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
