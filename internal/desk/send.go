package desk

// ringSend wakes the loops that send, on this node and on the others.
func (d *Desk) ringSend() {
	d.bells.Send.Ring()
	d.store.Notify(channelSend, "")
}
