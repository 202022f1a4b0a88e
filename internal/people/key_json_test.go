package people

import (
	"strings"
	"testing"

	"recado/internal/kernel"
)

func TestAKeyForAllBoardsShowsNull(t *testing.T) {
	for name, c := range map[string]struct {
		boards []kernel.ID
		want   string
	}{
		"all boards": {nil, `"boards":null`},
		"no board":   {[]kernel.ID{}, `"boards":[]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, noun := range []any{&Key{Boards: c.boards}, &kernel.Integration{Boards: c.boards}} {
				if b, err := kernel.EncodeJSON(noun); err != nil || !strings.Contains(string(b), c.want) {
					t.Errorf("got %s, %v; want %s", b, err, c.want)
				}
			}
		})
	}
}
