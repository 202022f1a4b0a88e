package webhooks

import (
	"testing"
	"time"
)

func TestFewStreamsOfACompanyWriteAtOnce(t *testing.T) {
	for _, streams := range []int64{1, streamsAtOnce} {
		if got := groupWait(7, streams, time.Now()); got != 0 {
			t.Errorf("the wait of a stream of %d: got %v, want 0", streams, got)
		}
	}
}

func TestManyStreamsOfACompanyWriteInGroups(t *testing.T) {
	for _, test := range []struct {
		streams int64
		groups  int
		longest time.Duration
	}{
		{streamsAtOnce + 1, 5, 5 * streamSpread},
		{10 * streamGroup, 10, 10 * streamSpread},
		{100 * streamGroup, 100, streamLongest},
	} {
		now := time.Now()
		moments := map[time.Duration]int64{}
		for number := range test.streams {
			wait := groupWait(number, test.streams, now)
			if wait <= 0 || wait > test.longest {
				t.Errorf("the wait of stream %d of %d: got %v, want more than 0 and at most %v", number, test.streams, wait, test.longest)
			}
			moments[wait]++
		}
		if len(moments) != test.groups {
			t.Errorf("groups of %d streams: got %d, want %d", test.streams, len(moments), test.groups)
		}
		for wait, together := range moments {
			if together > streamGroup {
				t.Errorf("streams that write after %v: got %d, want at most %d", wait, together, streamGroup)
			}
		}
	}
}

func TestTheWaitOfAStreamEndsAtTheMomentOfItsGroup(t *testing.T) {
	const streams = 10 * streamGroup
	now := time.Now()
	first := now.Add(groupWait(3, streams, now))
	if got, want := first.Add(groupWait(3, streams, first)), first.Add(10*streamSpread); !got.Equal(want) {
		t.Errorf("the moment after the first: got %v, want %v", got, want)
	}
}
