package desk

import (
	"recado/internal/model"
)

// identity takes a change of number or id, or an entry of the phone's address book. A name from there is for
// people who have none; where there is no contact yet it is kept for the day there is one.
func (in *inboundBatch) identity(i *model.IncomingIdentity) error {
	p := i.Person
	if i.Removed {
		in.tx.ForgetAddressBookName(in.channel.ID, p.UserID, model.PhoneKey(p.WAID))
		return nil
	}
	_, found, err := in.d.knownContact(in.tx, in.channel, p, in.join)
	if err != nil || found || !i.AddressBook {
		return err
	}
	if name := cleanPersonName(p.Name); name != "" {
		in.tx.KeepAddressBookName(in.channel.ID, p.UserID, model.PhoneKey(p.WAID), name)
	}
	return nil
}

// account takes what the provider did to a whole account: the company's channels of that account show it.
func (in *inboundBatch) account(a *model.IncomingAccount) error {
	channels, err := in.tx.ChannelsOfAccount(in.channel.Company, a.WABAID, model.PhoneKey(a.Phone))
	if err != nil {
		return err
	}
	for _, id := range channels {
		switch {
		case a.Lifted:
			in.tx.LiftRestriction(in.channel.Company, id, a.Text)
		case a.Disconnect:
			in.tx.RestrictChannel(in.channel.Company, id, a.Text, nil)
			in.tx.SetChannelStatus(in.channel.Company, id, model.ChannelDisconnected, &a.Text)
		default:
			in.tx.RestrictChannel(in.channel.Company, id, a.Text, optionalTime(a.Until))
		}
	}
	return nil
}
