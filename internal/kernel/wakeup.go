package kernel

// Wakeup wakes a loop that receives from C. Several notifications before it receives count as one.
type Wakeup struct{ C chan struct{} }

// TakeBack removes a pending notification.
func (s Wakeup) TakeBack() {
	select {
	case <-s.C:
	default:
	}
}

// Notify wakes the loop. It never blocks.
func (s Wakeup) Notify() {
	select {
	case s.C <- struct{}{}:
	default:
	}
}

// Wakeup returns the wakeup of the background work with the name.
func (d *Kernel) Wakeup(name string) Wakeup {
	w, _ := d.wakeups.LoadOrStore(name, Wakeup{make(chan struct{}, 1)})
	return w.(Wakeup)
}
