package slots

import (
	"time"
)

// contention is how long a key counts as active after it was seen.
const contention = time.Second

// activity knows whether several keys are active.
type activity[K comparable] struct {
	last, other seen[K] // the key that was active last, and the last one that was not the same
}

// seen is a key and when it was active.
type seen[K comparable] struct {
	key K
	at  time.Time
}

// note says that the key is active.
func (a *activity[K]) note(key K, now time.Time) {
	if a.last.key != key {
		a.other, a.last.key = a.last, key
	}
	a.last.at = now
}

// any reports whether a key is active.
func (a *activity[K]) any(now time.Time) bool { return now.Sub(a.last.at) <= contention }

// contended reports whether another key is active.
func (a *activity[K]) contended(key K, now time.Time) bool {
	other := a.last
	if other.key == key {
		other = a.other
	}
	return now.Sub(other.at) <= contention
}
