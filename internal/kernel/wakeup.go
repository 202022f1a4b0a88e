package kernel

// Wakeup wakes the loop that waits on C. Two notifications before the loop looks are the same as one.
type Wakeup struct{ C chan struct{} }

// TakeBack undoes a notification that no loop has seen yet.
func (s Wakeup) TakeBack() {
	select {
	case <-s.C:
	default:
	}
}

// Notify never blocks.
func (s Wakeup) Notify() {
	select {
	case s.C <- struct{}{}:
	default:
	}
}

// Wakeup returns the wakeup with a name: that of the background work that waits on it.
func (d *Kernel) Wakeup(name string) Wakeup {
	if w, ok := d.wakeups.Load(name); ok {
		return w.(Wakeup)
	}
	w, _ := d.wakeups.LoadOrStore(name, Wakeup{make(chan struct{}, 1)})
	return w.(Wakeup)
}
