package linked

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
)

// translator turns events of WhatsApp into items of the desk.
type translator struct {
	device *store.Device
}

// person returns the identity of an address and, if it is known, of its other form.
func (t *translator) person(ctx context.Context, jid, alt types.JID, name string) provider.Person {
	p := provider.Person{Name: name}
	if alt.IsEmpty() {
		alt, _ = t.device.GetAltJID(ctx, jid) // unknown is fine
	}
	for _, id := range []types.JID{jid, alt} {
		switch id.Server {
		case types.DefaultUserServer:
			p.Phone, p.WAID = "+"+id.User, id.User
		case types.HiddenUserServer:
			p.UserID = lidOf(id)
		}
	}
	return p
}

// called returns a person with the name in the phone's address book, or else with the one that the person chose, which may be new.
func (t *translator) called(ctx context.Context, p provider.Person, chosen string) provider.Person {
	p.Name = chosen
	for _, user := range []types.JID{types.NewJID(p.WAID, types.DefaultUserServer), lidJID(p.UserID)} {
		if user.User == "" {
			continue
		}
		known, err := t.device.Contacts.GetContact(ctx, user)
		if err != nil {
			continue
		}
		if name := bookName(&known); name != "" {
			p.Name = name
			break
		}
		p.Name = cmp.Or(p.Name, known.PushName, known.BusinessName)
	}
	return p
}

// bookName returns the name of a person in the phone's address book, or "".
func bookName(c *types.ContactInfo) string { return cmp.Or(c.FullName, c.FirstName) }

// names translates all names that the device has stored, those of the address book first. They may be old, so those of people who
// were ever erased are dropped.
func (t *translator) names(ctx context.Context) ([]provider.Incoming, error) {
	at := time.Unix(0, 0)
	all, err := t.device.Contacts.GetAllContacts(ctx)
	if err != nil {
		return nil, err
	}
	var book, chosen []provider.Incoming
	for jid, c := range all {
		name := bookName(&c)
		in := t.name(ctx, jid, cmp.Or(name, c.PushName, c.BusinessName), at)
		in.Identity.AddressBook, in.Identity.History = name != "", true
		if name != "" {
			book = append(book, in)
		} else if in.Identity.Person.Name != "" {
			chosen = append(chosen, in)
		}
	}
	return append(book, chosen...), nil
}

// lidJID is the inverse of lidOf.
func lidJID(id string) types.JID {
	user, _, _ := strings.Cut(id, "@")
	return types.NewJID(user, types.HiddenUserServer)
}

// lidOf returns the user id of a hidden number.
func lidOf(jid types.JID) string { return jid.User + "@" + types.HiddenUserServer }

// isChat reports whether messages of a chat belong to the desk: not status updates, newsletters and broadcasts, and not what
// the owner of the phone sends to their own number.
func (t *translator) isChat(jid types.JID) bool {
	switch jid.Server {
	case types.DefaultUserServer:
		return jid.User != t.device.GetJID().User
	case types.HiddenUserServer:
		return jid.User != t.device.GetLID().User
	}
	return jid.Server == types.GroupServer
}

// source returns the customer and the group of a message. The customer of a message from the phone is its receiver; in a group it
// is nobody.
func (t *translator) source(ctx context.Context, info *types.MessageInfo) (provider.Person, *provider.IncomingGroup) {
	switch {
	case info.IsGroup && info.IsFromMe:
		return provider.Person{}, &provider.IncomingGroup{ID: info.Chat.String()}
	case info.IsGroup:
		return t.called(ctx, t.person(ctx, info.Sender.ToNonAD(), info.SenderAlt.ToNonAD(), ""), info.PushName), &provider.IncomingGroup{ID: info.Chat.String()}
	case info.IsFromMe:
		return t.called(ctx, t.person(ctx, info.Chat.ToNonAD(), info.RecipientAlt.ToNonAD(), ""), ""), nil
	}
	alt := info.SenderAlt
	if info.Chat.ToNonAD() != info.Sender.ToNonAD() {
		alt = info.Sender
	}
	return t.called(ctx, t.person(ctx, info.Chat.ToNonAD(), alt.ToNonAD(), ""), info.PushName), nil
}

// unwrap returns the message inside wrappers that whatsmeow leaves around photos of an album, HD copies and texts that mention
// everybody.
func unwrap(m *waE2E.Message) *waE2E.Message {
	for {
		inner := cmp.Or(m.GetAssociatedChildMessage(), m.GetGroupMentionedMessage(), m.GetEphemeralMessage(), m.GetDocumentWithCaptionMessage()).GetMessage()
		if inner == nil {
			return m
		}
		m = inner
	}
}

// direct moves a message that a customer sent to a broadcast list, which has us as a member, to the chat with the customer.
func direct(info *types.MessageInfo) {
	if info.IsIncomingBroadcast() && !info.IsFromMe {
		info.Chat, info.IsGroup = info.Sender.ToNonAD(), false
	}
}

// message translates a message. It returns false if there is nothing to show.
func (t *translator) message(ctx context.Context, evt *events.Message, history bool) (provider.Incoming, bool) {
	info, msg := &evt.Info, unwrap(evt.Message)
	if !t.isChat(info.Chat) || msg == nil {
		return provider.Incoming{}, false
	}
	customer, group := t.source(ctx, info)
	sender := provider.Sender{FromPhoneApp: info.IsFromMe, Customer: customer}
	switch p := msg.GetProtocolMessage(); {
	case p != nil && p.GetType() == waE2E.ProtocolMessage_REVOKE:
		return provider.Incoming{Revoke: &provider.IncomingRevoke{ExternalID: p.GetKey().GetID(), Sender: sender, At: info.Timestamp, History: history}}, true
	case p != nil && p.GetType() == waE2E.ProtocolMessage_MESSAGE_EDIT:
		edited := unwrap(p.GetEditedMessage())
		return provider.Incoming{Edit: &provider.IncomingEdit{
			ExternalID: p.GetKey().GetID(), Text: t.mentions(ctx, textOf(edited), contextOf(edited).GetMentionedJID()), Sender: sender, At: info.Timestamp, History: history,
		}}, true
	case p != nil:
		return provider.Incoming{}, false
	}
	if r := msg.GetReactionMessage(); r != nil {
		return provider.Incoming{Reaction: &provider.IncomingReaction{
			ExternalID: r.GetKey().GetID(), Emoji: r.GetText(), Sender: sender, At: info.Timestamp, History: history,
		}}, true
	}
	in := &provider.IncomingMessage{
		ExternalID: info.ID, FromPhoneApp: info.IsFromMe, Customer: customer, Group: group, At: info.Timestamp, History: history,
	}
	if info.IsFromMe {
		in.ClientID = ourID(info.ID)
	}
	if !content(msg, in) {
		return provider.Incoming{}, false
	}
	if evt.IsViewOnce && in.Media == nil && in.Type == provider.TypeUnsupported {
		in.Text, in.Notice = "A message to view once, on the phone", notice(provider.NoticeOnPhoneOnly)
	}
	in.ReplyTo = contextOf(msg).GetStanzaID()
	in.Text = t.mentions(ctx, in.Text, contextOf(msg).GetMentionedJID())
	if history && info.IsFromMe {
		in.Status = statusOf(evt.SourceWebMsg)
	}
	return provider.Incoming{Message: in}, true
}

// statusOf returns the status of a message of the team in the history.
func statusOf(m *waWeb.WebMessageInfo) string {
	switch m.GetStatus() {
	case waWeb.WebMessageInfo_DELIVERY_ACK:
		return provider.StatusDelivered
	case waWeb.WebMessageInfo_READ, waWeb.WebMessageInfo_PLAYED:
		return provider.StatusRead
	}
	return provider.StatusSent
}

// reactions translates the reactions to a message in the history.
func (t *translator) reactions(ctx context.Context, evt *events.Message) (items []provider.Incoming) {
	for _, r := range evt.SourceWebMsg.GetReactions() {
		by := types.MessageInfo{MessageSource: evt.Info.MessageSource}
		by.IsFromMe, by.Sender = r.GetKey().GetFromMe(), evt.Info.Chat
		if by.IsGroup && !by.IsFromMe {
			sender, err := types.ParseJID(r.GetKey().GetParticipant())
			if err != nil {
				continue
			}
			by.Sender = sender
		}
		customer, _ := t.source(ctx, &by)
		items = append(items, provider.Incoming{Reaction: &provider.IncomingReaction{
			ExternalID: evt.Info.ID, Emoji: r.GetText(), Sender: provider.Sender{FromPhoneApp: by.IsFromMe, Customer: customer},
			At: time.UnixMilli(r.GetSenderTimestampMS()), History: true,
		}})
	}
	return items
}

// mentions replaces the addresses of mentioned people by their names.
func (t *translator) mentions(ctx context.Context, text string, mentioned []string) string {
	slices.SortFunc(mentioned, func(a, b string) int { return len(b) - len(a) }) // one number may be the beginning of another
	for _, m := range mentioned {
		jid, err := types.ParseJID(m)
		if err != nil {
			continue
		}
		p := t.called(ctx, t.person(ctx, jid.ToNonAD(), types.EmptyJID, ""), "")
		if name := cmp.Or(p.Name, p.Phone); name != "" {
			text = strings.ReplaceAll(text, "@"+jid.User, "@"+name)
		}
	}
	return text
}

func notice(code provider.NoticeCode) *provider.MessageNotice {
	return &provider.MessageNotice{Code: code, Params: map[string]any{}}
}

// textOf returns the text or the caption of a message.
func textOf(m *waE2E.Message) string {
	return cmp.Or(m.GetConversation(), m.GetExtendedTextMessage().GetText(), m.GetImageMessage().GetCaption(),
		m.GetVideoMessage().GetCaption(), m.GetDocumentMessage().GetCaption())
}

// contextOf returns what a message says about the message that it quotes.
func contextOf(m *waE2E.Message) *waE2E.ContextInfo {
	for _, c := range []*waE2E.ContextInfo{
		m.GetExtendedTextMessage().GetContextInfo(), m.GetImageMessage().GetContextInfo(), m.GetVideoMessage().GetContextInfo(),
		m.GetAudioMessage().GetContextInfo(), m.GetDocumentMessage().GetContextInfo(), m.GetStickerMessage().GetContextInfo(),
		m.GetLocationMessage().GetContextInfo(), m.GetContactMessage().GetContextInfo(), m.GetContactsArrayMessage().GetContextInfo(),
		m.GetLiveLocationMessage().GetContextInfo(), m.GetButtonsResponseMessage().GetContextInfo(), m.GetListResponseMessage().GetContextInfo(),
		m.GetTemplateButtonReplyMessage().GetContextInfo(), m.GetInteractiveResponseMessage().GetContextInfo(),
		m.GetPtvMessage().GetContextInfo(), poll(m).GetContextInfo(),
	} {
		if c != nil {
			return c
		}
	}
	return nil
}

// content sets type, text and file of a message. It returns false for messages without content, such as the exchange of keys.
func content(m *waE2E.Message, in *provider.IncomingMessage) bool {
	in.Text = textOf(m)
	switch {
	case m.GetConversation() != "" || m.GetExtendedTextMessage() != nil:
		in.Type = provider.TypeText
		return in.Text != ""
	case file(m, in):
	case m.GetLocationMessage() != nil:
		l := m.GetLocationMessage()
		in.Type, in.Text = provider.TypeLocation, whatsapp.LocationText(l.GetName(), l.GetAddress(), degrees(l.GetDegreesLatitude()), degrees(l.GetDegreesLongitude()))
	case m.GetLiveLocationMessage() != nil:
		l := m.GetLiveLocationMessage()
		in.Type, in.Text = provider.TypeLocation, whatsapp.LocationText(l.GetCaption(), "", degrees(l.GetDegreesLatitude()), degrees(l.GetDegreesLongitude()))
	case m.GetContactMessage() != nil:
		in.Type, in.Text = provider.TypeContacts, card(m.GetContactMessage())
	case m.GetContactsArrayMessage() != nil:
		in.Type = provider.TypeContacts
		var lines []string
		for _, c := range m.GetContactsArrayMessage().GetContacts() {
			lines = append(lines, card(c))
		}
		in.Text = strings.Join(lines, "\n")
	default:
		return other(m, in)
	}
	return true
}

func degrees(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func card(c *waE2E.ContactMessage) string {
	return cmp.Or(whatsapp.CardText(c.GetVcard()), c.GetDisplayName())
}

// poll returns the poll of a message, whatever its version.
func poll(m *waE2E.Message) *waE2E.PollCreationMessage {
	return cmp.Or(m.GetPollCreationMessage(), m.GetPollCreationMessageV2(), m.GetPollCreationMessageV3(),
		m.GetPollCreationMessageV4().GetMessage().GetPollCreationMessage(), m.GetPollCreationMessageV5())
}

// other describes messages that are neither texts nor files.
func other(m *waE2E.Message, in *provider.IncomingMessage) bool {
	if p := poll(m); p != nil {
		lines := []string{p.GetName()}
		for _, o := range p.GetOptions() {
			lines = append(lines, "- "+o.GetOptionName())
		}
		in.Type, in.Text = provider.TypeText, strings.Join(lines, "\n")
		return true
	}
	if text := chosen(m); text != "" {
		in.Type, in.Text = provider.TypeText, text
		return true
	}
	in.Type = provider.TypeUnsupported
	switch {
	case m.GetPollUpdateMessage() != nil:
		in.Text, in.Notice = "A vote in a poll", notice(provider.NoticePollVote)
	case m.GetOrderMessage() != nil:
		in.Text, in.Notice = "An order", notice(provider.NoticeOrder)
	case m.GetProductMessage() != nil:
		in.Text, in.Notice = "A product", notice(provider.NoticeProduct)
	case m.GetGroupInviteMessage() != nil:
		in.Text, in.Notice = "An invitation to a group", notice(provider.NoticeGroupInvite)
	case m.GetTemplateMessage() != nil || m.GetHighlyStructuredMessage() != nil:
		in.Text, in.Notice = "A template", notice(provider.NoticeTemplate)
	case m.GetListMessage() != nil:
		in.Text, in.Notice = "A list", notice(provider.NoticeList)
	case m.GetButtonsMessage() != nil || m.GetInteractiveMessage() != nil:
		in.Text, in.Notice = "An interactive message", notice(provider.NoticeInteractive)
	case m.GetCall() != nil:
		in.Text, in.Notice = "A call", notice(provider.NoticeVoiceCall)
	case m.GetKeepInChatMessage() != nil || m.GetPinInChatMessage() != nil || m.GetAlbumMessage() != nil: // the photos of an album follow
		return false
	default: // a message may have no more than keys for the following ones
		rest := proto.CloneOf(m)
		rest.MessageContextInfo, rest.SenderKeyDistributionMessage, rest.FastRatchetKeySenderKeyDistributionMessage = nil, nil, nil
		return proto.Size(rest) > 0
	}
	return true
}

// chosen returns the text of an answer to buttons or a list.
func chosen(m *waE2E.Message) string {
	return cmp.Or(m.GetButtonsResponseMessage().GetSelectedDisplayText(), m.GetListResponseMessage().GetTitle(),
		m.GetTemplateButtonReplyMessage().GetSelectedDisplayText(), m.GetInteractiveResponseMessage().GetBody().GetText())
}

// fileRef says where a file is and how to decrypt it. It is stored as the provider's id of the file.
type fileRef struct {
	Path   string `json:"path"`
	Key    []byte `json:"key"`
	Enc    []byte `json:"enc"`
	SHA256 []byte `json:"sha256"`
	Length uint64 `json:"length"`
	Type   string `json:"type"`
}

// attachment is what all messages with a file have in common.
type attachment interface {
	whatsmeow.DownloadableMessage
	GetMimetype() string
	GetFileLength() uint64
}

// file sets the file of a message and reports whether there is one.
func file(m *waE2E.Message, in *provider.IncomingMessage) bool {
	var a attachment
	var name string
	voice := false
	switch {
	case m.GetImageMessage() != nil:
		a, in.Type = m.GetImageMessage(), provider.TypeImage
	case m.GetVideoMessage() != nil:
		a, in.Type = m.GetVideoMessage(), provider.TypeVideo
	case m.GetPtvMessage() != nil:
		a, in.Type = m.GetPtvMessage(), provider.TypeVideo
	case m.GetAudioMessage() != nil:
		a, in.Type, voice = m.GetAudioMessage(), provider.TypeAudio, m.GetAudioMessage().GetPTT()
	case m.GetDocumentMessage() != nil:
		a, in.Type = m.GetDocumentMessage(), provider.TypeDocument
		name = cmp.Or(m.GetDocumentMessage().GetFileName(), m.GetDocumentMessage().GetTitle())
	case m.GetStickerMessage() != nil:
		a, in.Type = m.GetStickerMessage(), provider.TypeSticker
	default:
		return false
	}
	ref, _ := json.Marshal(fileRef{
		Path: a.GetDirectPath(), Key: a.GetMediaKey(), Enc: a.GetFileEncSHA256(), SHA256: a.GetFileSHA256(),
		Length: a.GetFileLength(), Type: string(whatsmeow.GetMediaType(a)),
	}) // it always encodes
	in.Media = &provider.IncomingMedia{
		ProviderID: base64.RawURLEncoding.EncodeToString(ref), MimeType: a.GetMimetype(), FileName: name,
		SHA256: hex.EncodeToString(a.GetFileSHA256()), Voice: voice,
	}
	return true
}

// receipt translates ticks.
func (t *translator) receipt(ctx context.Context, evt *events.Receipt) (items []provider.Incoming) {
	status := ""
	switch evt.Type {
	case types.ReceiptTypeDelivered:
		status = provider.StatusDelivered
	case types.ReceiptTypeRead, types.ReceiptTypePlayed:
		status = provider.StatusRead
	default: // retries, and what the phone itself has read
		return nil
	}
	if evt.IsFromMe || !t.isChat(evt.Chat) {
		return nil
	}
	who := t.person(ctx, evt.Sender.ToNonAD(), evt.SenderAlt.ToNonAD(), "")
	group := ""
	if evt.IsGroup {
		group = evt.Chat.String()
	}
	for _, id := range evt.MessageIDs {
		items = append(items, provider.Incoming{Status: &provider.IncomingStatus{
			ExternalID: id, ClientID: ourID(id), Status: status, Recipient: who, GroupID: group, At: evt.Timestamp,
		}})
	}
	return items
}

// members translates a group with its members.
func (t *translator) members(ctx context.Context, info *types.GroupInfo) provider.Incoming {
	g := &provider.IncomingGroup{ID: info.JID.String(), Name: info.Name, Members: []provider.GroupMember{}}
	for _, p := range info.Participants {
		role := provider.RoleMember
		switch {
		case p.IsSuperAdmin:
			role = provider.RoleOwner
		case p.IsAdmin:
			role = provider.RoleAdmin
		}
		alt := p.PhoneNumber
		if p.JID.Server == types.DefaultUserServer {
			alt = p.LID
		}
		g.Members = append(g.Members, provider.GroupMember{Person: t.person(ctx, p.JID.ToNonAD(), alt.ToNonAD(), p.DisplayName), Role: role})
	}
	return provider.Incoming{Group: g}
}

// participants translates the members of a group in the history.
func (t *translator) participants(ctx context.Context, c *waHistorySync.Conversation) (members []provider.GroupMember) {
	roles := map[waHistorySync.GroupParticipant_Rank]string{
		waHistorySync.GroupParticipant_ADMIN: provider.RoleAdmin, waHistorySync.GroupParticipant_SUPERADMIN: provider.RoleOwner,
	}
	for _, p := range c.GetParticipant() {
		if jid, err := types.ParseJID(p.GetUserJID()); err == nil {
			role := cmp.Or(roles[p.GetRank()], provider.RoleMember)
			members = append(members, provider.GroupMember{Person: t.person(ctx, jid.ToNonAD(), types.EmptyJID, ""), Role: role})
		}
	}
	return members
}

// name translates a name that a person chose.
func (t *translator) name(ctx context.Context, jid types.JID, name string, at time.Time) provider.Incoming {
	return provider.Incoming{Identity: &provider.IncomingIdentity{Person: t.person(ctx, jid.ToNonAD(), types.EmptyJID, name), At: at}}
}

// entry translates an entry of the phone's address book.
func (t *translator) entry(ctx context.Context, e *events.Contact) provider.Incoming {
	alt := types.EmptyJID
	other := e.Action.GetLidJID()
	if e.JID.Server == types.HiddenUserServer {
		other = e.Action.GetPnJID()
	}
	if other != "" {
		alt, _ = types.ParseJID(other) // unknown is fine
	}
	name := cmp.Or(e.Action.GetFullName(), e.Action.GetFirstName())
	return provider.Incoming{Identity: &provider.IncomingIdentity{
		Person: t.person(ctx, e.JID.ToNonAD(), alt.ToNonAD(), name), At: e.Timestamp, AddressBook: true, Removed: name == "",
	}}
}

// messageID returns WhatsApp's id of one of our messages, or of a reaction or change, whose id is the last part of the client id. It
// is the same for every attempt.
func messageID(client string) types.MessageID {
	id, _ := kernel.ParseID(client[strings.LastIndexByte(client, '.')+1:])
	return strings.ToUpper(hex.EncodeToString(id[:]))
}

// ourID returns the client id of a message that Recado sent, or "".
func ourID(id types.MessageID) string {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != len(kernel.ID{}) || b[6]>>4 != 7 || b[8]>>6 != 2 { // ids are UUIDs of version 7
		return ""
	}
	return kernel.ID(b).String()
}

// keyOf returns the key of a message in a chat.
func keyOf(chat types.JID, fromUs bool, sender types.JID, id string) *waCommon.MessageKey {
	key := &waCommon.MessageKey{RemoteJID: new(chat.String()), FromMe: &fromUs, ID: &id}
	if chat.Server == types.GroupServer && !fromUs {
		key.Participant = new(sender.String())
	}
	return key
}
