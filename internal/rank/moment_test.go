package rank_test

import (
	"slices"
	"testing"

	"recado/internal/kernel"
	"recado/internal/rank"
)

func TestRanksFromIDsSortLikeTheIDs(t *testing.T) {
	var ranks []string
	for range 10_000 {
		ranks = append(ranks, rank.At(kernel.NewID()))
	}
	if !slices.IsSorted(ranks) || len(slices.Compact(ranks)) != 10_000 {
		t.Fatal("ranks are out of order or equal")
	}
	last := ranks[len(ranks)-1]
	if _, err := rank.Between(ranks[0], ranks[1]); err != nil {
		t.Errorf("between %q and %q: %v", ranks[0], ranks[1], err)
	}
	after, err := rank.Between(last, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(last) > 18 || len(after) > 12 {
		t.Errorf("lengths of %q and %q: got %d and %d, want at most 18 and 12", last, after, len(last), len(after))
	}
}
