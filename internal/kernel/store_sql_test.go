package kernel

import (
	"testing"

	"recado/internal/kernel/db"
	"recado/test/testkit"
)

func TestTheSchemaOpensTwice(t *testing.T) {
	testkit.EachEngine(t, func(t *testing.T, url string) {
		o := db.Options{Dir: t.TempDir(), DatabaseURL: url}
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
