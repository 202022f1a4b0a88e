// Package linkedtest plays a phone with WhatsApp, and WhatsApp's servers, for tests of linked numbers. It speaks in the events and
// messages of whatsmeow.
package linkedtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waSyncAction"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"

	"recado/internal/channels/linked"
)

// Phone is a phone to which devices are linked. Like WhatsApp's servers it keeps events until a device has accepted them.
type Phone struct {
	JID types.JID // of the number
	LID types.JID

	mu       sync.Mutex
	clients  []*Client
	peak     int // most clients at a time
	opened   int // connections so far
	parsed   int // messages of the history
	onParse  func(n int)
	uploads  int // in progress
	onUpload func(n int)

	onDownload func()

	codes    int
	key      []byte // of the linked device
	removed  bool   // the linked device was removed
	queue    []any
	sent     []Sent
	read     []types.MessageID
	presence types.Presence
	name     string
	files    map[string]File
	parts    map[string]*waHistorySync.HistorySync
	refuse   error // of the next message or upload
	always   bool  // and of those that follow
	lose     bool  // the reply to the next message
	failing  int   // connections
	handed   int   // events that were handed to devices
	logout   error // of requests of devices to be removed
	groupErr error // of requests for groups
	absent   map[string]bool
	groups   map[types.JID]types.GroupInfo

	pictures  map[string][]byte // of groups, by path
	server    *httptest.Server  // of pictures
	downloads int               // of pictures
}

// Sent is a message that a device sent.
type Sent struct {
	ID      types.MessageID
	To      types.JID
	Message *waE2E.Message
	Node    any // the client that sent it
}

// NewPhone returns a phone with a number, such as 5511987654321.
func NewPhone(number string) *Phone {
	return &Phone{
		JID: types.NewJID(number, types.DefaultUserServer), LID: types.NewJID("9"+number, types.HiddenUserServer),
		files: map[string]File{}, parts: map[string]*waHistorySync.HistorySync{}, absent: map[string]bool{},
		groups: map[types.JID]types.GroupInfo{}, pictures: map[string][]byte{},
	}
}

// NewClient is the linked.NewClient of this phone.
func (p *Phone) NewClient(_ context.Context, device *store.Device, _ waLog.Logger, resend func(types.MessageID) *waE2E.Message) linked.Client {
	return &Client{phone: p, device: device, Resend: resend}
}

// Client is the connection of a device.
type Client struct {
	phone   *Phone
	device  *store.Device
	Resend  func(types.MessageID) *waE2E.Message
	handler whatsmeow.EventHandlerWithSuccessStatus
	parser  *whatsmeow.Client // guarded by phone.mu

	mu        sync.Mutex // one event at a time
	connected bool       // guarded by phone.mu
	linked    bool       // guarded by phone.mu
}

// AddEventHandlerWithSuccessStatus sets the handler.
func (c *Client) AddEventHandlerWithSuccessStatus(handler whatsmeow.EventHandlerWithSuccessStatus) uint32 {
	c.handler = handler
	return 1
}

// Connect connects the device: a new one gets codes, a linked one gets what has waited for it.
func (c *Client) Connect() error {
	p := c.phone
	p.mu.Lock()
	if p.failing > 0 {
		p.failing--
		p.mu.Unlock()
		go c.handle(&events.Disconnected{}) // whatsmeow connects only linked devices again
		return nil
	}
	c.connected, c.linked = true, c.device.ID != nil
	p.clients = append(p.clients, c)
	p.peak = max(p.peak, len(p.clients))
	p.opened++
	p.codes++
	n, removed := p.codes, p.removed || !bytes.Equal(p.key, c.device.NoiseKey.Pub[:])
	p.mu.Unlock()
	switch {
	case c.device.ID == nil:
		go c.handle(&events.QR{Codes: []string{fmt.Sprintf("code-%d-1", n), fmt.Sprintf("code-%d-2", n)}})
	case removed:
		go c.handle(&events.LoggedOut{})
	default:
		go func() {
			c.handle(&events.Connected{})
			p.Deliver()
		}()
	}
	return nil
}

func (c *Client) handle(e any) bool {
	if _, ok := e.(*events.Connected); ok { // in whatsmeow it does not wait for other events
		return c.handler(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phone.mu.Lock()
	c.phone.handed++
	c.phone.mu.Unlock()
	if m, ok := e.(*events.Message); ok && !m.Info.SenderAlt.IsEmpty() { // as whatsmeow does
		lid, number := m.Info.Sender, m.Info.SenderAlt
		if lid.Server != types.HiddenUserServer {
			lid, number = number, lid
		}
		if err := c.device.LIDs.PutLIDMapping(context.Background(), lid, number); err != nil {
			return false
		}
	}
	if contact, ok := e.(*events.Contact); ok { // as whatsmeow does
		err := c.device.Contacts.PutContactName(context.Background(), contact.JID, contact.Action.GetFirstName(), contact.Action.GetFullName())
		if err != nil {
			return false
		}
	}
	return c.handler(e)
}

// SyncContacts delivers the phone's address book for the first time: whatsmeow stores it and reports only that it did.
func (p *Phone) SyncContacts(ctx context.Context, book ...store.ContactEntry) error {
	if err := p.client().device.Contacts.PutAllContactNames(ctx, book); err != nil {
		return err
	}
	p.Emit(&events.AppStateSyncComplete{Name: appstate.WAPatchCriticalUnblockLow})
	return nil
}

// Device returns what the connected device has stored.
func (p *Phone) Device() *store.Device { return p.client().device }

// FailConnections lets the next n connections fail.
func (p *Phone) FailConnections(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failing = n
}

// Disconnect disconnects the device.
func (c *Client) Disconnect() {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	c.connected = false
	c.phone.clients = slices.DeleteFunc(c.phone.clients, func(o *Client) bool { return o == c })
}

// IsConnected reports whether the device is connected.
func (c *Client) IsConnected() bool {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	return c.connected
}

// IsLoggedIn reports whether the device is connected.
func (c *Client) IsLoggedIn() bool { return c.IsConnected() }

// Drop ends the connection without an event, as after an error after which whatsmeow does not connect again.
func (p *Phone) Drop() { p.client().Disconnect() }

// Logout removes the device.
func (c *Client) Logout(ctx context.Context) error {
	c.phone.mu.Lock()
	if err := c.phone.logout; err != nil {
		c.phone.mu.Unlock()
		return err
	}
	c.phone.removed, c.linked = true, false
	c.phone.mu.Unlock()
	return c.device.Delete(ctx)
}

// RefuseLogouts lets requests of devices to be removed fail.
func (p *Phone) RefuseLogouts(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logout = err
}

// PairPhone returns a pairing code.
func (c *Client) PairPhone(_ context.Context, phone string, _ bool, _ whatsmeow.PairClientType, _ string) (string, error) {
	if phone != "+"+c.phone.JID.User {
		return "", errors.New("the number is not on WhatsApp")
	}
	return "ABCD-EFGH", nil
}

// Peak returns how many devices were connected at a time at most.
func (p *Phone) Peak() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peak
}

// Opened returns how many connections devices have opened so far.
func (p *Phone) Opened() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

// Connections returns how many devices are connected.
func (p *Phone) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.clients)
}

// Scan scans the code of the device that shows one, and links it.
func (p *Phone) Scan(ctx context.Context) error {
	if err := p.Pair(ctx); err != nil {
		return err
	}
	p.Connect()
	return nil
}

// Connect lets the device connect after Pair.
func (p *Phone) Connect() {
	p.client().handle(&events.Connected{})
	p.Deliver()
}

// SyncProfile delivers the profile name of the number, which WhatsApp does some time after the device has connected for the first time.
func (p *Phone) SyncProfile(ctx context.Context, name string) error {
	device := p.client().device
	p.mu.Lock()
	device.PushName = name
	p.mu.Unlock()
	if err := device.Save(ctx); err != nil {
		return err
	}
	p.Emit(&events.PushNameSetting{Timestamp: time.Now(), Action: &waSyncAction.PushNameSetting{Name: &name}, FromFullSync: true})
	p.Emit(&events.AppStateSyncComplete{Name: appstate.WAPatchCriticalBlock})
	return nil
}

// Pair is Scan of a device that then does not connect.
func (p *Phone) Pair(ctx context.Context) error {
	c := p.client()
	if c == nil {
		return errors.New("no device shows a code")
	}
	jid := p.JID
	jid.Device = 7
	c.mu.Lock()
	c.device.ID, c.device.LID, c.device.Account = &jid, p.LID, &waAdv.ADVSignedDeviceIdentity{}
	err := c.device.Save(ctx)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.removed, p.key, c.linked = false, c.device.NoiseKey.Pub[:], true
	p.mu.Unlock()
	c.handle(&events.PairSuccess{ID: jid, LID: p.LID})
	return nil
}

// client returns the connected device, or nil.
func (p *Phone) client() *Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.clients) == 0 {
		return nil
	}
	return p.clients[len(p.clients)-1]
}

// Emit delivers an event to the device, or keeps it until a device accepts it.
func (p *Phone) Emit(e any) {
	p.mu.Lock()
	p.queue = append(p.queue, e)
	p.mu.Unlock()
	p.Deliver()
}

// Deliver delivers the events that wait, in order. It stops at one that the device does not accept.
func (p *Phone) Deliver() {
	for {
		c := p.client()
		if c == nil {
			return
		}
		p.mu.Lock()
		if len(p.queue) == 0 || !c.linked {
			p.mu.Unlock()
			return
		}
		next := p.queue[0]
		p.mu.Unlock()
		if !c.handle(next) && !isDeliveredOnce(next) {
			return
		}
		p.mu.Lock()
		if len(p.queue) > 0 && p.queue[0] == next {
			p.queue = p.queue[1:]
		}
		p.mu.Unlock()
	}
}

// isDeliveredOnce reports whether whatsmeow acknowledges an event even if the device does not accept it.
func isDeliveredOnce(e any) bool {
	switch e := e.(type) {
	case *events.Message:
		return e.UnavailableRequestID != ""
	case *events.Receipt:
		return e.IsGroup
	case *events.CallTerminate, *events.UndecryptableMessage, *events.Contact, *events.PushName, *events.BusinessName, *events.AppStateSyncComplete:
		return true
	}
	return false
}

// Handed returns how many events were handed to devices so far, whether or not they accepted them.
func (p *Phone) Handed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handed
}

// Waiting returns how many events no device has accepted.
func (p *Phone) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// RemoveDevice removes the linked device on the phone.
func (p *Phone) RemoveDevice() {
	p.mu.Lock()
	p.removed = true
	p.mu.Unlock()
	if c := p.client(); c != nil {
		c.handle(&events.LoggedOut{})
	}
}

// Info returns the description of a message of a customer.
func (p *Phone) Info(from types.JID, id string, at time.Time) types.MessageInfo {
	return types.MessageInfo{
		MessageSource: types.MessageSource{Chat: from, Sender: from}, ID: id, Timestamp: at, PushName: "Maria",
	}
}

// Write delivers a message of a customer.
func (p *Phone) Write(info types.MessageInfo, m *waE2E.Message) {
	p.Emit((&events.Message{Info: info, RawMessage: m}).UnwrapRaw())
}

// Text is a message with a text.
func Text(text string) *waE2E.Message { return &waE2E.Message{Conversation: &text} }

// SendMessage accepts a message of the device.
func (c *Client) SendMessage(
	_ context.Context, to types.JID, m *waE2E.Message, extra ...whatsmeow.SendRequestExtra,
) (whatsmeow.SendResponse, error) {
	p := c.phone
	if err := p.refusal(); err != nil {
		return whatsmeow.SendResponse{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.connected {
		return whatsmeow.SendResponse{}, whatsmeow.ErrNotConnected
	}
	id := extra[0].ID
	p.sent = append(p.sent, Sent{ID: id, To: to, Message: m, Node: c})
	if p.lose {
		p.lose = false
		return whatsmeow.SendResponse{}, whatsmeow.ErrMessageTimedOut
	}
	return whatsmeow.SendResponse{ID: id, Timestamp: time.Now()}, nil
}

// refusal returns the error of the next message or upload.
func (p *Phone) refusal() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.refuse
	if !p.always {
		p.refuse = nil
	}
	return err
}

// Refuse lets the next message or upload fail.
func (p *Phone) Refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = err
}

// RefuseAll lets all messages and uploads fail.
func (p *Phone) RefuseAll(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse, p.always = err, true
}

// LoseReply drops the reply to the next message.
func (p *Phone) LoseReply() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = true
}

// Sent returns the messages that devices sent.
func (p *Phone) Sent() []Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sent)
}

// Upload stores a file.
func (c *Client) Upload(_ context.Context, data []byte, kind whatsmeow.MediaType) (whatsmeow.UploadResponse, error) {
	p := c.phone
	if err := p.refusal(); err != nil {
		return whatsmeow.UploadResponse{}, err
	}
	p.mu.Lock()
	p.uploads++
	n, f := p.uploads, p.onUpload
	p.mu.Unlock()
	if f != nil {
		f(n)
	}
	p.mu.Lock()
	p.uploads--
	p.mu.Unlock()
	return p.Put(data, kind), nil
}

// OnUpload calls f with the number of uploads that are in progress when one begins. It lasts until f returns.
func (p *Phone) OnUpload(f func(n int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onUpload = f
}

// Resends returns what the device sends to a receiver who could not decrypt a message, or nil.
func (p *Phone) Resends(id types.MessageID) *waE2E.Message { return p.client().Resend(id) }

// File is a file at WhatsApp.
type File struct {
	Data []byte
	Kind whatsmeow.MediaType // it is part of the key
}

// Put stores a file at WhatsApp.
func (p *Phone) Put(data []byte, kind whatsmeow.MediaType) whatsmeow.UploadResponse {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := fmt.Sprintf("/file/%d", len(p.files))
	p.files[path] = File{slices.Clone(data), kind}
	return whatsmeow.UploadResponse{
		URL: "https://mmg.whatsapp.net" + path, DirectPath: path, MediaKey: []byte("key"), FileLength: uint64(len(data)),
	}
}

// OnDownload calls f when a download begins. It lasts until f returns.
func (p *Phone) OnDownload(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onDownload = f
}

// Download returns a stored file.
func (c *Client) Download(_ context.Context, m whatsmeow.DownloadableMessage) ([]byte, error) {
	c.phone.mu.Lock()
	begins := c.phone.onDownload
	c.phone.mu.Unlock()
	if begins != nil {
		begins()
	}
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	file, ok := c.phone.files[m.GetDirectPath()]
	if !ok {
		return nil, whatsmeow.ErrMediaDownloadFailedWith404
	}
	return file.Data, nil
}

// FileOf returns the stored file of a message.
func (p *Phone) FileOf(m whatsmeow.DownloadableMessage) File {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[m.GetDirectPath()]
}

// MarkRead stores that messages were read.
func (c *Client) MarkRead(_ context.Context, ids []types.MessageID, _ time.Time, _, _ types.JID, _ ...types.ReceiptType) error {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	c.phone.read = append(c.phone.read, ids...)
	return nil
}

// Read returns the ids of messages that were marked as read.
func (p *Phone) Read() []types.MessageID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.read)
}

// SendPresence records whether the device is in use, and the name of its profile.
func (c *Client) SendPresence(_ context.Context, state types.Presence) error {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	if c.device.PushName == "" {
		return whatsmeow.ErrNoPushName
	}
	c.phone.presence, c.phone.name = state, c.device.PushName
	return nil
}

// Name returns the name of the profile that a device has announced, or "".
func (p *Phone) Name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.name
}

// Presence returns the last presence of a device.
func (p *Phone) Presence() types.Presence {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.presence
}

// IsOnWhatsApp reports that numbers are on WhatsApp, except those of Absent.
func (c *Client) IsOnWhatsApp(_ context.Context, phones []string) (found []types.IsOnWhatsAppResponse, err error) {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	for _, number := range phones {
		found = append(found, types.IsOnWhatsAppResponse{
			Query: number, JID: types.NewJID(number[1:], types.DefaultUserServer), IsIn: !c.phone.absent[number],
		})
	}
	return found, nil
}

// Absent makes a number unknown to WhatsApp.
func (p *Phone) Absent(number string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.absent[number] = true
}

// SetGroup changes a group, and tells the device unless it is new.
func (p *Phone) SetGroup(g types.GroupInfo) {
	p.mu.Lock()
	_, known := p.groups[g.JID]
	p.groups[g.JID] = g
	p.mu.Unlock()
	if known {
		p.Emit(&events.GroupInfo{JID: g.JID, Name: &g.GroupName, Timestamp: time.Now()})
	}
}

// GetGroupInfo returns a group.
func (c *Client) GetGroupInfo(_ context.Context, group types.JID) (*types.GroupInfo, error) {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	g, ok := c.phone.groups[group]
	if err := c.phone.groupErr; err != nil || !ok {
		return nil, cmp.Or(err, whatsmeow.ErrGroupNotFound)
	}
	return &g, nil
}

// RefuseGroups lets requests for groups fail until it is called with nil.
func (p *Phone) RefuseGroups(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groupErr = err
}

// SetPicture changes the picture of a group, and tells the device. It removes the picture if image is nil. The download of an empty image
// never ends.
func (p *Phone) SetPicture(group types.JID, image []byte) {
	p.mu.Lock()
	if p.server == nil { // it runs until the process ends
		p.server = httptest.NewServer(http.HandlerFunc(p.servePicture))
	}
	p.pictures["/"+group.String()] = image
	p.mu.Unlock()
	p.Emit(&events.Picture{JID: group, Timestamp: time.Now(), Remove: image == nil, PictureID: pictureID(image)})
}

func pictureID(image []byte) string { return fmt.Sprintf("%x", sha256.Sum256(image)) }

// GetProfilePictureInfo returns the address of the picture of a group, or nil if the device has it.
func (c *Client) GetProfilePictureInfo(
	_ context.Context, group types.JID, params *whatsmeow.GetProfilePictureParams,
) (*types.ProfilePictureInfo, error) {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	path := "/" + group.String()
	image := c.phone.pictures[path]
	switch id := pictureID(image); {
	case image == nil:
		return nil, whatsmeow.ErrProfilePictureNotSet
	case id == params.ExistingID:
		return nil, nil
	default:
		return &types.ProfilePictureInfo{ID: id, URL: c.phone.server.URL + path, Type: "preview"}, nil
	}
}

func (p *Phone) servePicture(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.downloads++
	image := p.pictures[r.URL.Path]
	p.mu.Unlock()
	if len(image) == 0 {
		<-r.Context().Done()
	}
	_, _ = w.Write(image)
}

// Downloads returns how many pictures devices have requested.
func (p *Phone) Downloads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.downloads
}

// SendHistory delivers a part of the history; nil: one that WhatsApp no longer has.
func (p *Phone) SendHistory(part *waHistorySync.HistorySync) {
	p.mu.Lock()
	id := fmt.Sprintf("HISTORY%d", len(p.parts))
	p.parts[id] = part
	p.mu.Unlock()
	p.announce(id, part)
}

// SendDamagedHistory delivers a part of the history that cannot be decrypted.
func (p *Phone) SendDamagedHistory() { p.announce("damaged", &waHistorySync.HistorySync{}) }

func (p *Phone) announce(id string, part *waHistorySync.HistorySync) {
	info := types.MessageInfo{MessageSource: types.MessageSource{Chat: p.JID, Sender: p.JID, IsFromMe: true}, ID: id, Timestamp: time.Now()}
	p.Write(info, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
		Type: waE2E.ProtocolMessage_HISTORY_SYNC_NOTIFICATION.Enum(),
		HistorySyncNotification: &waE2E.HistorySyncNotification{
			DirectPath: &id, SyncType: waE2E.HistorySyncType(part.GetSyncType()).Enum(), Progress: new(part.GetProgress()),
		},
	}})
}

// DownloadHistorySync returns a part of the history. Like whatsmeow it stores the names that people chose.
func (c *Client) DownloadHistorySync(ctx context.Context, n *waE2E.HistorySyncNotification, _ bool) (*waHistorySync.HistorySync, error) {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	part, ok := c.phone.parts[n.GetDirectPath()]
	if !ok {
		return nil, fmt.Errorf("failed to download: %w", whatsmeow.ErrInvalidMediaHMAC)
	}
	if part == nil {
		return nil, whatsmeow.ErrMediaDownloadFailedWith410
	}
	if part.GetSyncType() == waHistorySync.HistorySync_PUSH_NAME {
		for _, name := range part.GetPushnames() {
			jid, err := types.ParseJID(name.GetID())
			if err == nil {
				_, _, err = c.device.Contacts.PutPushName(ctx, jid, name.GetPushname())
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return part, nil
}

// OnHistory calls f with the number of each message of the history before a device reads it.
func (p *Phone) OnHistory(f func(n int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onParse = f
}

// ParseWebMessage parses a message of the history as whatsmeow does.
func (c *Client) ParseWebMessage(chat types.JID, m *waWeb.WebMessageInfo) (*events.Message, error) {
	c.phone.mu.Lock()
	c.phone.parsed++
	n, f := c.phone.parsed, c.phone.onParse
	c.phone.mu.Unlock()
	if f != nil {
		f(n)
	}
	return c.whatsmeow().ParseWebMessage(chat, m)
}

// whatsmeow returns a client of whatsmeow with the keys of the device, which never connects.
func (c *Client) whatsmeow() *whatsmeow.Client {
	c.phone.mu.Lock()
	defer c.phone.mu.Unlock()
	if c.parser == nil {
		c.parser = whatsmeow.NewClient(c.device, nil)
	}
	return c.parser
}

// DecryptReaction decrypts a reaction as whatsmeow does.
func (c *Client) DecryptReaction(ctx context.Context, m *events.Message) (*waE2E.ReactionMessage, error) {
	return c.whatsmeow().DecryptReaction(ctx, m)
}

// ReactEncrypted reacts on the phone to a message, encrypted as in the announcements of a community.
func (p *Phone) ReactEncrypted(ctx context.Context, to types.MessageInfo, emoji string) error {
	c := p.client()
	if err := c.device.MsgSecrets.PutMessageSecret(ctx, to.Chat, to.Sender, to.ID, bytes.Repeat([]byte("s"), 32)); err != nil { // whatsmeow stores it with the message
		return err
	}
	r, err := c.whatsmeow().EncryptReaction(ctx, &to, &waE2E.ReactionMessage{
		Key: &waCommon.MessageKey{RemoteJID: new(to.Chat.String()), ID: &to.ID, Participant: new(to.Sender.String())}, Text: &emoji,
	})
	if err != nil {
		return err
	}
	info := p.Info(p.LID, "REACTION-"+to.ID, time.Now())
	info.Chat, info.IsGroup, info.IsFromMe = to.Chat, true, true
	p.Write(info, &waE2E.Message{EncReactionMessage: r})
	return nil
}
