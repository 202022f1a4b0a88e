package linked

import (
	"cmp"
	"compress/flate"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// session is the connection of one channel.
type session struct {
	*translator
	m      *Manager
	holder *channels.LinkHolder
	link   channels.Link
	log    *slog.Logger

	cancel context.CancelFunc
	done   chan struct{}
	shown  atomic.Bool // a code was shown
	paired atomic.Bool // the code was scanned
	linked atomic.Bool
	mine   chan struct{} // closed when it is known that the connected number is the one of the channel
	retry  time.Duration // the pause before the session that follows; valid when done is closed

	online    atomic.Bool // WhatsApp answers
	wasOnline atomic.Bool
	inUse     atomic.Bool // members of the team view conversations

	process   context.Context // ends when the node stops
	ctx       context.Context // ends when this node may no longer use the connection
	client    Client
	rows      *rows
	pace      pace
	codes     chan []string // to be shown
	histories chan struct{}
	viewed    chan struct{} // a member of the team views a conversation

	broken     chan error // why the session must end; see fail
	replacedAt time.Time  // when another connection last replaced one of this link; guarded by mu

	pictures chan struct{} // there are entries in changed

	background sync.WaitGroup // what else works for the session; the session has ended when it has

	mu      sync.Mutex
	groups  map[types.JID]bool                 // whose members are known
	refused map[types.JID]time.Time            // groups that WhatsApp did not return, and when
	modes   map[types.JID]types.AddressingMode // of the messages of groups
	changed map[types.JID]groupPicture         // groups whose picture may have changed
	calls   map[string]bool                    // by id: whether a call that rings is a video call
}

const (
	logoutTimeout = 10 * time.Second
	firstCode     = time.Minute // how long WhatsApp accepts the first code
	nextCode      = 20 * time.Second
	pairingCode   = 150 * time.Second // WhatsApp closes the connection after 160 s
	errorPause    = 5 * time.Second   // after the first error; it doubles with each that follows
	maxErrorPause = 5 * time.Minute
	firstRetry    = 100 * time.Millisecond // before storing again what WhatsApp delivered; it doubles until lastRetry
	lastRetry     = 4 * time.Second
	lastChance    = 10 * time.Minute // how long to try storing what is delivered once
	historyBatch  = 200
	historyTries  = 3                // for a part that is gone or damaged
	groupPause    = time.Minute      // before a group that WhatsApp did not return is requested again
	stable        = time.Minute      // a session that lasts this long begins again after errorPause
	inUseFor      = time.Minute      // after the last view of a conversation
	replacedTwice = 10 * time.Minute // a second connection that replaces ours within this time belongs to another program
)

// start begins a session in the background, after a pause if the one before failed. before may be nil.
func (m *Manager) start(ctx context.Context, holder *channels.LinkHolder, l channels.Link, before *session) *session {
	s := &session{
		m: m, holder: holder, link: l, process: ctx, log: m.Logger.With(slog.String("channel", l.Channel.String())),
		done: make(chan struct{}), codes: make(chan []string, 1), histories: make(chan struct{}, 1),
		viewed: make(chan struct{}, 1), mine: make(chan struct{}), broken: make(chan error, 1), pictures: make(chan struct{}, 1),
	}
	if l.State == channels.LinkLinked {
		close(s.mine)
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	var after time.Duration
	if before != nil {
		after = before.retry
		before.mu.Lock()
		s.replacedAt = before.replacedAt
		before.mu.Unlock()
	}
	go func() {
		s.background.Go(s.updatePictures)
		pause(s.ctx, after)
		began := time.Now()
		err := s.run(s.ctx)
		stopped := s.ctx.Err() != nil
		s.cancel()
		s.background.Wait()
		if err != nil && !stopped {
			s.retry = errorPause
			waitsForCode := l.State != channels.LinkLinked
			if !waitsForCode && time.Since(began) < stable {
				s.retry = min(max(2*after, errorPause), maxErrorPause)
			}
			s.log.Warn("the connection of a linked number failed; trying again", slog.Any("error", err))
		}
		close(s.done)
		if stopped {
			m.Desk.Wakeup(channels.WakeLinks).Notify()
		}
	}()
	return s
}

// stop disconnects the session. When it has, it is ended.
func (s *session) stop() {
	s.linked.Store(false)
	s.cancel()
}

// ended reports whether the session has ended.
func (s *session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (s *session) run(ctx context.Context) error {
	key, err := s.m.Desk.LinkKey(ctx, s.link.Company, s.link.Channel)
	if err != nil {
		return err
	}
	if s.rows, err = newRows(s.m.Desk.Kernel, s.link.Company, s.link.Channel, s.holder.Owner, key); err != nil {
		return err
	}
	s.rows.failed = s.fail
	device, err := newDevice(ctx, s.rows, logger{s.log})
	if err != nil {
		return err
	}
	s.translator = &translator{device}
	if device.ID == nil && s.link.State != channels.LinkWaiting && s.link.State != channels.LinkScanned {
		return s.holder.SetEnded(ctx, s.link, channels.NotLinked(), false)
	}
	s.client = s.m.NewClient(ctx, device, logger{s.log}, s.resend)
	s.client.AddEventHandlerWithSuccessStatus(s.handle)
	defer s.client.Disconnect()
	if err := s.client.Connect(); err != nil {
		return err
	}
	if s.link.State == channels.LinkLeaving {
		return s.leave(ctx)
	}
	if s.link.State == channels.LinkLinked {
		s.linked.Store(true)
	}
	s.background.Go(s.importHistories)
	unused := time.NewTimer(inUseFor)
	unused.Stop()
	heard := time.NewTicker(s.m.Heard)
	defer heard.Stop()
	connected := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.broken:
			return err
		case codes := <-s.codes:
			if more := s.offer(ctx, codes); !more {
				select {
				case err := <-s.broken:
					return err
				default:
					return nil
				}
			}
		case <-s.viewed:
			if !unused.Reset(inUseFor) {
				s.setInUse(ctx, true)
			}
		case <-unused.C:
			s.setInUse(ctx, false)
		case <-heard.C:
			switch {
			case s.client.IsConnected():
				connected = time.Now()
				if s.linked.Load() && s.online.Load() {
					s.stored(s.holder.SetHeard(ctx, s.link))
				}
			case s.linked.Load() && time.Since(connected) >= s.m.Reconnect: // after some errors whatsmeow does not connect again
				s.offline(ctx)
				return errors.New("the connection to WhatsApp was lost and did not come back")
			}
		}
	}
}

// leave logs out at WhatsApp. If WhatsApp cannot be reached, the phone shows the device until somebody removes it there.
func (s *session) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, logoutTimeout)
	defer cancel()
	for !s.client.IsLoggedIn() && ctx.Err() == nil {
		pause(ctx, 100*time.Millisecond)
	}
	if err := s.client.Logout(ctx); err != nil {
		s.log.Warn("cannot log out at WhatsApp", slog.Any("error", err))
	}
	ctx = context.WithoutCancel(ctx)
	if err := s.rows.clear(ctx); err != nil {
		return err
	}
	return s.holder.SetEnded(ctx, s.link, provider.NewReason("not_linked", "The number was unlinked."), false)
}

// offer shows codes one after the other. It returns false if all have expired, or if the session has to end.
func (s *session) offer(ctx context.Context, codes []string) bool {
	if s.link.PairingPhone != nil {
		code, err := s.client.PairPhone(ctx, *s.link.PairingPhone, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
		if err != nil {
			s.failed(ctx, "link_refused", "WhatsApp did not return a pairing code.", err)
			return false
		}
		if s.show(ctx, nil, &code, pairingCode) && !s.paired.Load() {
			s.failed(ctx, "link_expired", "Nobody entered the pairing code in time.", nil)
		}
		return s.paired.Load()
	}
	for i, code := range codes {
		valid := nextCode
		if i == 0 && len(codes) > 5 {
			valid = firstCode
		}
		if !s.show(ctx, &code, nil, valid) {
			return false
		}
		if s.paired.Load() {
			return true
		}
	}
	return false
}

// show shows a code until it expires or the number is linked. It returns false if the session has to end.
func (s *session) show(ctx context.Context, qr, pairing *string, valid time.Duration) bool {
	if err := s.holder.SetCode(ctx, s.link, qr, pairing, s.m.Desk.Now().Add(valid)); err != nil {
		s.log.Warn("cannot store the code of a link", slog.Any("error", err))
		return false
	}
	s.shown.Store(true)
	for end := time.Now().Add(valid); time.Now().Before(end) && !s.paired.Load(); {
		if pause(ctx, 100*time.Millisecond); ctx.Err() != nil || len(s.broken) > 0 {
			return false
		}
	}
	return true
}

// failed stores that linking failed.
func (s *session) failed(ctx context.Context, code, message string, cause error) {
	s.log.Info("a number could not be linked", slog.String("code", code), slog.Any("error", cause))
	params := kernel.Params{}
	if cause != nil {
		params["provider_message"] = cause.Error()
	}
	s.stored(s.holder.SetFailed(ctx, s.link, provider.NewReason(code, message, params)))
}

// over stores that the link has ended. forget also deletes the keys, which WhatsApp no longer accepts; otherwise the next request
// for the link uses them again.
func (s *session) over(ctx context.Context, reason provider.Reason, forget bool) bool {
	s.linked.Store(false)
	return s.keep(ctx, func() error {
		if forget {
			if err := s.rows.clear(ctx); err != nil {
				return err
			}
		}
		return s.holder.SetEnded(ctx, s.link, reason, !forget)
	})
}

// loggedOut returns the reason why WhatsApp has removed the device.
func loggedOut(e *events.LoggedOut) provider.Reason {
	if e.Reason == events.ConnectFailureUnknownLogout { // WhatsApp Web calls it banned
		return provider.NewReason("number_banned", "WhatsApp has banned the number.")
	}
	return provider.NewReason("logged_out", "The device was removed on the phone. Link the number again.")
}

// banReasons are the reasons for temporary bans, as in the params of number_banned.
var banReasons = map[events.TempBanReason]string{
	events.TempBanSentToTooManyPeople: "too_many_people", events.TempBanBlockedByUsers: "blocked_by_users", events.TempBanCreatedTooManyGroups: "too_many_groups",
	events.TempBanSentTooManySameMessage: "same_message", events.TempBanBroadcastList: "broadcast_list",
}

// banned returns the reason of a temporary ban.
func (s *session) banned(e *events.TemporaryBan) provider.Reason {
	params := kernel.Params{}
	if reason := banReasons[e.Code]; reason != "" {
		params["reason"] = reason
	}
	if e.Expire > 0 {
		params["expires_at"] = s.m.Desk.Now().Add(e.Expire).UTC().Format(time.RFC3339)
	}
	return provider.NewReason("number_banned", "WhatsApp has temporarily banned the number: "+e.String(), params)
}

// replaced handles that another connection with the same keys has replaced this one. It may be one that an earlier holder of the lease
// was still opening, so the link ends only if it happens again.
func (s *session) replaced(ctx context.Context) bool {
	s.linked.Store(false)
	s.mu.Lock()
	again := time.Since(s.replacedAt) < replacedTwice
	s.replacedAt = time.Now()
	s.mu.Unlock()
	if again {
		return s.over(ctx, provider.NewReason("linked_elsewhere", "Another program uses the same link. Link the number again."), false)
	}
	s.offline(ctx)
	s.fail(errors.New("another connection of the device replaced this one"))
	return true
}

// backOnline lets the messages and files that wait for the connection continue.
func (s *session) backOnline() {
	s.online.Store(true)
	for _, name := range []string{channels.WakeSend, channels.WakeFetch} {
		s.m.Desk.Wakeup(name).Notify()
	}
}

// offline stores that there is no connection.
func (s *session) offline(ctx context.Context) {
	s.online.Store(false)
	s.stored(s.holder.SetOffline(ctx, s.link))
}

// expectConnection ends the session if the number does not connect after its code was scanned.
func (s *session) expectConnection() {
	time.AfterFunc(s.m.PairTimeout, func() {
		if !s.wasOnline.Load() {
			s.fail(errors.New("the number did not connect after its code was scanned"))
		}
	})
}

// stored logs the error of a change of the link, and reports whether there is none.
func (s *session) stored(err error) bool {
	if err != nil && s.ctx.Err() == nil {
		s.log.Warn("cannot store the state of a link", slog.Any("error", err))
	}
	return err == nil
}

// isMine waits until the number is linked to the channel. It returns false if the session ends before that.
func (s *session) isMine() bool {
	select {
	case <-s.mine:
	case <-s.ctx.Done():
	}
	return s.ctx.Err() == nil
}

// handle handles an event. It returns false if WhatsApp should deliver it again. A number that is being unlinked receives nothing.
// Whatever is not about the connection waits until the number is linked: until then it may be a number of somebody else.
func (s *session) handle(event any) bool {
	ctx := s.ctx
	if ctx.Err() != nil || s.link.State == channels.LinkLeaving {
		return false
	}
	switch e := event.(type) {
	case *events.QR:
		select {
		case s.codes <- e.Codes:
		default:
		}
	case *events.PairSuccess:
		s.paired.Store(true)
		s.expectConnection()
		return s.stored(s.holder.SetScanned(ctx, s.link))
	case *events.PairError:
		s.failed(ctx, "link_refused", "WhatsApp refused to link the number.", e.Error)
	case *events.QRScannedWithoutMultidevice:
		s.failed(ctx, "link_refused", "The WhatsApp on this phone is too old to link devices. Update it.", nil)
	case *events.Connected:
		return s.connected(ctx)
	case *events.Disconnected:
		s.offline(ctx)
		switch unlinked := s.device.GetJID().IsEmpty(); { // whatsmeow connects only linked devices again
		case unlinked && s.shown.Load(): // WhatsApp closes the connection when the codes have expired; another session shows new ones
			s.fail(nil)
		case unlinked:
			s.fail(errors.New("the connection to WhatsApp ended before the number was linked"))
		}
	case *events.KeepAliveTimeout:
		s.offline(ctx)
	case *events.KeepAliveRestored:
		s.backOnline()
		s.stored(s.holder.SetHeard(ctx, s.link))
	case *events.ConnectFailure: // whatsmeow does not connect again
		s.offline(ctx)
		s.fail(fmt.Errorf("WhatsApp refused the connection: %s %s", e.Reason, e.Message))
	case *events.LoggedOut:
		return s.over(ctx, loggedOut(e), true)
	case *events.TemporaryBan:
		return s.over(ctx, s.banned(e), false)
	case *events.ClientOutdated:
		return s.over(ctx, provider.NewReason("client_outdated", "WhatsApp no longer accepts this version of Recado. Update it, then link the number again."), false)
	case *events.StreamReplaced:
		return s.replaced(ctx)
	default:
		if !s.isMine() {
			return false
		}
		if isDeliveredOnce(event) {
			ctx = s.process
		}
		return s.delivered(ctx, event)
	}
	return true
}

// isDeliveredOnce reports whether WhatsApp never delivers an event again, whatever handle returns.
func isDeliveredOnce(event any) bool {
	switch e := event.(type) {
	case *events.Message:
		return e.UnavailableRequestID != "" // the phone has sent it again
	case *events.Receipt:
		return e.IsGroup // of several members at once
	case *events.UndecryptableMessage, *events.CallTerminate, *events.PushName, *events.BusinessName, *events.Contact, *events.AppStateSyncComplete:
		return true
	}
	return false
}

// delivered handles an event of the linked number that is not about the connection.
func (s *session) delivered(ctx context.Context, event any) bool {
	switch e := event.(type) {
	case *events.Message:
		return s.message(ctx, e)
	case *events.UndecryptableMessage:
		return s.undecryptable(ctx, e)
	case *events.Receipt:
		return s.receive(ctx, s.receipt(ctx, e)...)
	case *events.GroupInfo:
		return s.groupChanged(ctx, e)
	case *events.JoinedGroup:
		if !s.receive(ctx, s.members(ctx, &e.GroupInfo)) {
			return false
		}
		s.pictureChanged(e.JID, groupPicture{})
	case *events.Picture:
		s.pictureChanged(e.JID, groupPicture{removed: e.Remove})
	case *events.PushName:
		return s.receive(ctx, s.name(ctx, e.JID, e.NewPushName, s.m.Desk.Now()))
	case *events.BusinessName:
		return s.receive(ctx, s.name(ctx, e.JID, e.NewBusinessName, s.m.Desk.Now()))
	case *events.Contact:
		return s.receive(ctx, s.entry(ctx, e))
	case *events.PushNameSetting: // before it arrives for the first time, WhatsApp accepts no presence
		s.setInUse(ctx, s.inUse.Load())
	case *events.AppStateSyncComplete:
		switch e.Name {
		case appstate.WAPatchCriticalBlock: // it has the profile name
			s.setInUse(ctx, s.inUse.Load())
		case appstate.WAPatchCriticalUnblockLow:
			return s.addressBook(ctx)
		}
	case *events.CallOffer:
		s.rings(e)
	case *events.CallTerminate:
		return s.callEnded(ctx, e)
	case *events.ChatPresence:
		s.typing(ctx, e)
	}
	return true
}

// addressBook stores the names of the phone's address book, which whatsmeow has received for the first time.
func (s *session) addressBook(ctx context.Context) bool {
	var names []provider.Incoming
	read := func() (err error) {
		names, err = s.names(ctx)
		return err
	}
	return s.keep(ctx, read) && s.receive(ctx, names...)
}

// rings remembers the kind of a call that begins.
func (s *session) rings(e *events.CallOffer) {
	video := e.Data != nil && len(e.Data.GetChildrenByTag("video")) > 0
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]bool{}
	}
	s.calls[e.CallID] = video
}

// callEnded stores a call of a customer. One that nobody answered on the phone is missed, also if it was declined there.
func (s *session) callEnded(ctx context.Context, e *events.CallTerminate) bool {
	s.mu.Lock()
	video := s.calls[e.CallID]
	delete(s.calls, e.CallID)
	s.mu.Unlock()
	caller := e.CallCreator.ToNonAD()
	if !e.GroupJID.IsEmpty() || !s.isChat(caller) {
		return true
	}
	in := &provider.IncomingMessage{
		ExternalID: e.CallID, Customer: s.person(ctx, caller, e.CallCreatorAlt.ToNonAD(), ""), At: e.Timestamp, Type: provider.TypeUnsupported,
	}
	switch answered := e.Reason == "accepted_elsewhere"; {
	case answered && video:
		in.Text, in.Notice = "Video call", notice(provider.NoticeVideoCall)
	case answered:
		in.Text, in.Notice = "Voice call", notice(provider.NoticeVoiceCall)
	case video:
		in.Text, in.Notice = "Missed video call", notice(provider.NoticeMissedVideoCall)
	default:
		in.Text, in.Notice = "Missed voice call", notice(provider.NoticeMissedVoiceCall)
	}
	return s.receive(ctx, provider.Incoming{Message: in})
}

// setInUse tells WhatsApp the profile name of the number and whether the device is in use. If it is, WhatsApp reports when customers
// type; if it is not, the phone keeps notifying its owner.
func (s *session) setInUse(ctx context.Context, inUse bool) {
	s.inUse.Store(inUse)
	presence := types.PresenceUnavailable
	if inUse {
		presence = types.PresenceAvailable
	}
	if err := s.client.SendPresence(ctx, presence); err != nil {
		s.log.Debug("cannot send the presence", slog.Any("error", err))
	}
}

// typing tells the team that a customer is typing. WhatsApp reports it only while the device is in use.
func (s *session) typing(ctx context.Context, e *events.ChatPresence) {
	if e.State != types.ChatPresenceComposing || e.IsFromMe || e.IsGroup || !s.isChat(e.Chat) || s.m.CustomerTypes == nil {
		return
	}
	err := s.m.CustomerTypes(ctx, s.link.Company, s.link.Channel, s.person(ctx, e.Chat.ToNonAD(), e.SenderAlt.ToNonAD(), ""))
	if err != nil {
		s.log.Debug("cannot report that a customer is typing", slog.Any("error", err))
	}
}

// connected stores that the number is linked and connected.
func (s *session) connected(ctx context.Context) bool {
	id := s.device.GetJID()
	if id.IsEmpty() {
		return true
	}
	number, _ := phone.Normalize("+" + id.User)
	var refused *provider.SendError
	stored := s.keep(ctx, func() error {
		err := s.holder.SetLinked(ctx, s.link, cmp.Or(number, "+"+id.User))
		if errors.As(err, &refused) {
			return nil
		}
		return err
	})
	switch {
	case !stored:
		return false
	case refused != nil:
		return s.refuse(ctx, refused)
	}
	s.mu.Lock()
	select {
	case <-s.mine: // connected again
	default:
		close(s.mine)
	}
	s.mu.Unlock()
	s.linked.Store(true)
	s.wasOnline.Store(true)
	s.backOnline()
	s.setInUse(ctx, s.inUse.Load())
	return true
}

// refuse logs out a number that does not belong to the channel, and forgets it whether or not WhatsApp could be reached.
func (s *session) refuse(ctx context.Context, reason *provider.SendError) bool {
	logout, cancel := context.WithTimeout(ctx, logoutTimeout)
	defer cancel()
	if err := s.client.Logout(logout); err != nil {
		s.log.Warn("cannot log out at WhatsApp", slog.Any("error", err))
	}
	s.client.Disconnect()
	if !s.keep(ctx, func() error { return s.rows.clear(ctx) }) {
		return false
	}
	s.failed(ctx, reason.Code, reason.Message, nil)
	return true
}

// receive stores items.
func (s *session) receive(ctx context.Context, items ...provider.Incoming) bool {
	if len(items) == 0 {
		return true
	}
	s.m.Desk.NoteCallback(s.link.Company, s.link.Channel)
	return s.keep(ctx, func() error { return s.store(ctx, items) })
}

// store stores items once.
func (s *session) store(ctx context.Context, items []provider.Incoming) error {
	return s.m.Receive(ctx, s.link.Company, s.link.Channel, clean(items))
}

// keep stores something that WhatsApp delivered, with further attempts. If they fail too, it breaks the connection, because
// WhatsApp only delivers again after a device has connected again. What is delivered once has the context process: it gets attempts
// for longer, even if the session has ended.
func (s *session) keep(ctx context.Context, write func() error) bool {
	began := time.Now()
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := write()
		switch {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case wait == lastRetry && (ctx != s.process || time.Since(began) > lastChance):
			s.fail(fmt.Errorf("cannot store what WhatsApp delivered: %w", err))
			return false
		}
		s.log.Warn("cannot store what WhatsApp delivered; trying again", slog.Any("error", err))
		pause(ctx, wait)
	}
}

// fail ends the session with an error, or nil. Another one follows.
func (s *session) fail(err error) {
	select {
	case s.broken <- err:
	default:
	}
}

func (s *session) message(ctx context.Context, e *events.Message) bool {
	direct(&e.Info)
	s.keepMode(e.Info.Chat, e.Info.AddressingMode)
	if n := e.Message.GetProtocolMessage().GetHistorySyncNotification(); n != nil && e.Info.IsFromMe {
		return s.keepHistory(ctx, e.Info.ID, n)
	}
	var known bool
	decrypted := s.keep(ctx, func() (err error) {
		known, err = s.decryptReaction(ctx, e)
		return err
	})
	if !decrypted || !known {
		return decrypted
	}
	in, ok := s.translator.message(ctx, e, false)
	if !ok {
		return true
	}
	return (!e.Info.IsGroup || s.group(ctx, e.Info.Chat, false)) && s.receive(ctx, in)
}

// decryptReaction replaces an encrypted reaction, as in the announcements of a community, by the reaction. It reports false if the
// message that it is on is unknown: then there is nothing to show. It returns an error if the database cannot be read.
func (s *session) decryptReaction(ctx context.Context, e *events.Message) (known bool, err error) {
	encrypted := e.Message.GetEncReactionMessage()
	if encrypted == nil {
		return true, nil
	}
	r, err := s.client.DecryptReaction(ctx, e)
	if errors.Is(err, errStorage) || ctx.Err() != nil {
		return false, kernel.ErrOr(err, ctx.Err())
	}
	if err != nil {
		s.log.Debug("cannot decrypt a reaction", slog.Any("error", err))
		return false, nil
	}
	r.Key = encrypted.GetTargetMessageKey()
	e.Message = &waE2E.Message{ReactionMessage: r}
	return true, nil
}

// group stores the name and the members of a group, once in a session. If WhatsApp does not return them, they are requested with
// a message after groupPause. history: the group was imported.
func (s *session) group(ctx context.Context, group types.JID, history bool) bool {
	return s.isKnown(group) || s.wasRefused(group) || s.readGroup(ctx, group, "", history)
}

// wasRefused reports whether WhatsApp has just not returned a group.
func (s *session) wasRefused(group types.JID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m.Desk.Now().Sub(s.refused[group]) < groupPause
}

// isKnown reports whether this session has stored the members of a group.
func (s *session) isKnown(group types.JID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups[group]
}

func (s *session) setKnown(group types.JID, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups == nil {
		s.groups = map[types.JID]bool{}
	}
	s.groups[group] = known
}

// groupChanged stores the name and the members of a group that has changed.
func (s *session) groupChanged(ctx context.Context, e *events.GroupInfo) bool {
	s.setKnown(e.JID, false)
	name := ""
	if e.Name != nil {
		name = e.Name.Name
	}
	return s.readGroup(ctx, e.JID, name, false)
}

// readGroup requests a group from WhatsApp and stores it. If WhatsApp does not return it, it stores the new name, unless that is "".
func (s *session) readGroup(ctx context.Context, group types.JID, name string, history bool) bool {
	info, err := s.client.GetGroupInfo(ctx, group)
	if err == nil {
		s.keepMode(info.JID, info.AddressingMode)
		in := s.members(ctx, info)
		in.Group.History = history
		if !s.receive(ctx, in) {
			return false
		}
		s.pictureChanged(group, groupPicture{history: history})
		s.setKnown(group, true)
		return true
	}
	s.log.Info("cannot get a group", slog.Any("error", err))
	s.mu.Lock()
	if s.refused == nil {
		s.refused = map[types.JID]time.Time{}
	}
	s.refused[group] = s.m.Desk.Now()
	s.mu.Unlock()
	g := &provider.IncomingGroup{ID: group.String(), Name: name, History: history}
	if errors.Is(err, whatsmeow.ErrNotInGroup) {
		g.Left = []provider.Person{s.person(ctx, s.device.GetJID().ToNonAD(), s.device.GetLID().ToNonAD(), "")}
	}
	return g.Name == "" && g.Left == nil || s.receive(ctx, provider.Incoming{Group: g})
}

// undecryptable stores a notice in place of a message that only the phone can show so far. If the sender sends it again, it
// replaces the notice.
func (s *session) undecryptable(ctx context.Context, e *events.UndecryptableMessage) bool {
	direct(&e.Info)
	if e.DecryptFailMode == events.DecryptFailHide || !s.isChat(e.Info.Chat) {
		return true
	}
	customer, group := s.source(ctx, &e.Info)
	return s.receive(ctx, provider.Incoming{Message: &provider.IncomingMessage{
		ExternalID: e.Info.ID, FromPhoneApp: e.Info.IsFromMe, Customer: customer, Group: group, At: e.Info.Timestamp,
		Type: provider.TypeUnsupported, Text: "A message that can only be read on the phone", Notice: notice(provider.NoticeOnPhoneOnly),
	}})
}

const (
	kindHistory  = "history"
	kindProgress = "history_progress" // by the type of the parts, in percent
)

// keepHistory stores where a part of the history is, so that it is imported even after a crash.
func (s *session) keepHistory(ctx context.Context, id types.MessageID, n *waE2E.HistorySyncNotification) bool {
	value, err := proto.Marshal(n)
	if err != nil || !s.keep(ctx, func() error { return s.rows.put(ctx, kindHistory, id, value) }) {
		return false
	}
	s.historyDue()
	return true
}

func (s *session) historyDue() {
	select {
	case s.histories <- struct{}{}:
	default:
	}
}

// importHistories imports parts of the history until the session ends, beginning with those that an earlier session has left.
func (s *session) importHistories() {
	if !s.isMine() {
		return
	}
	s.historyDue()
	for wait := errorPause; ; {
		select {
		case <-s.ctx.Done():
			return
		case <-s.histories:
		}
		err := s.importParts(s.ctx)
		switch {
		case err == nil:
			wait = errorPause
		case s.ctx.Err() == nil:
			s.log.Warn("the history could not be imported; trying again", slog.Any("error", err))
			time.AfterFunc(wait, s.historyDue)
			wait = min(2*wait, maxErrorPause)
		}
	}
}

// importParts imports the stored parts of the history. It gives up parts that WhatsApp no longer has or that are damaged.
func (s *session) importParts(ctx context.Context) error {
	parts, err := s.rows.list(ctx, kindHistory, "")
	if err == nil {
		err = s.setProgress(ctx)
	}
	if err != nil {
		return err
	}
	for id, value := range parts {
		if err := s.importPart(ctx, value); err != nil {
			return err
		}
		if err := s.rows.delete(ctx, kindHistory, id); err != nil {
			return err
		}
		if err := s.setProgress(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keepProgress stores how much of its type of history a part completes, in percent.
func (s *session) keepProgress(ctx context.Context, kind string, percent uint32) error {
	if !slices.Contains(countedHistory, kind) {
		return nil
	}
	var before uint32
	if _, err := s.rows.getJSON(ctx, kindProgress, kind, &before); err != nil {
		return err
	}
	return s.rows.putJSON(ctx, kindProgress, kind, max(before, percent))
}

// countedHistory are the types of parts that count to 100, each by itself.
var countedHistory = []string{waHistorySync.HistorySync_RECENT.String(), waHistorySync.HistorySync_FULL.String()}

// setProgress stores how much of the history is imported. The parts of each type count to 100, and parts of the other type may
// follow, so it may go back.
func (s *session) setProgress(ctx context.Context) error {
	waiting, err := s.rows.list(ctx, kindHistory, "")
	if err != nil {
		return err
	}
	percent, known := int64(100), false
	for _, kind := range countedHistory {
		var n int64
		found, err := s.rows.getJSON(ctx, kindProgress, kind, &n)
		if err != nil {
			return err
		}
		if found {
			percent, known = min(percent, n), true
		}
	}
	switch {
	case !known && len(waiting) == 0:
		return nil
	case !known:
		percent = 0
	case len(waiting) > 0:
		percent = min(percent, 99)
	}
	return s.holder.SetHistory(ctx, s.link, percent)
}

// importPart imports a part of the history, unless it is lost.
func (s *session) importPart(ctx context.Context, value []byte) error {
	var n waE2E.HistorySyncNotification
	if err := proto.Unmarshal(value, &n); err != nil {
		s.log.Warn("a part of the history is damaged", slog.Any("error", err))
		return nil
	}
	data, err := s.downloadPart(ctx, &n)
	if err == nil && data != nil {
		err = s.importData(ctx, data)
	}
	if err != nil {
		return err
	}
	return s.keepProgress(ctx, n.GetSyncType().String(), max(n.GetProgress(), data.GetProgress()))
}

// downloadPart returns a part of the history, or nil if it is lost.
func (s *session) downloadPart(ctx context.Context, n *waE2E.HistorySyncNotification) (*waHistorySync.HistorySync, error) {
	done, err := s.m.transfer(ctx, int64(n.GetFileLength()))
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	for range historyTries {
		data, err := s.client.DownloadHistorySync(ctx, n, true)
		if err == nil || !isDamaged(err) && !isGone(err) {
			return data, err
		}
		s.log.Warn("WhatsApp no longer has a part of the history, or it is damaged", slog.Any("error", err))
	}
	return nil, nil
}

// isDamaged reports whether a download is not what was uploaded.
func isDamaged(err error) bool {
	_, isCorrupt := errors.AsType[flate.CorruptInputError](err)
	_, isTooLong := errors.AsType[*http.MaxBytesError](err)
	return isCorrupt || isTooLong || slices.ContainsFunc([]error{
		whatsmeow.ErrInvalidMediaHMAC, whatsmeow.ErrInvalidMediaSHA256, whatsmeow.ErrInvalidMediaEncSHA256, whatsmeow.ErrFileLengthMismatch,
		whatsmeow.ErrTooShortFile, zlib.ErrHeader, zlib.ErrChecksum, zlib.ErrDictionary, io.ErrUnexpectedEOF, proto.Error,
	}, func(target error) bool { return errors.Is(err, target) })
}

func (s *session) importData(ctx context.Context, data *waHistorySync.HistorySync) error {
	if data.GetSyncType() == waHistorySync.HistorySync_PUSH_NAME { // whatsmeow has stored them
		names, err := s.names(ctx)
		if err != nil {
			return err
		}
		return s.store(ctx, names)
	}
	since := s.m.Desk.Now().AddDate(0, 0, -historyDays)
	var batch []provider.Incoming
	flush := func() error {
		err := s.store(ctx, batch)
		batch = batch[:0]
		return err
	}
	groups := map[types.JID]bool{} // whether the history has their members
	for _, c := range data.GetConversations() {
		items, err := s.conversation(ctx, c, since)
		if err != nil {
			return err
		}
		if chat, _ := types.ParseJID(c.GetID()); chat.Server == types.GroupServer && len(items) > 0 {
			groups[chat] = len(c.GetParticipant()) > 0
		}
		for _, in := range items {
			if batch = append(batch, in); len(batch) == historyBatch {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	if len(batch) > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	for group, hasMembers := range groups {
		if !hasMembers {
			s.group(ctx, group, true)
		}
		s.pictureChanged(group, groupPicture{history: true})
	}
	return nil
}

// conversation translates the messages of a conversation since a time, the oldest first.
func (s *session) conversation(ctx context.Context, c *waHistorySync.Conversation, since time.Time) (items []provider.Incoming, err error) {
	chat, err := types.ParseJID(c.GetID())
	if err != nil || !s.isChat(chat) {
		return nil, nil
	}
	for _, m := range slices.Backward(c.GetMessages()) {
		e, err := s.client.ParseWebMessage(chat, m.GetMessage())
		if err != nil || e.Info.Timestamp.Before(since) {
			continue
		}
		if known, err := s.decryptReaction(ctx, e); err != nil {
			return nil, err
		} else if !known {
			continue
		}
		if in, ok := s.translator.message(ctx, e, true); ok {
			if in.Message != nil && in.Message.Group != nil {
				in.Message.Group.Name = c.GetName()
			}
			items = append(append(items, in), s.reactions(ctx, e)...)
		}
	}
	if members := s.participants(ctx, c); len(items) > 0 && len(members) > 0 && !s.isKnown(chat) {
		items = append(items, provider.Incoming{Group: &provider.IncomingGroup{ID: chat.String(), Name: c.GetName(), Members: members, History: true}})
	}
	return items, nil
}
