package linkedtest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"

	"recado/internal/channels/linked"
)

// WhatsApp plays WhatsApp's servers and a phone for devices in other processes, which tests kill and pause. See Dial.
type WhatsApp struct {
	Addr string // where devices connect
	JID  types.JID
	LID  types.JID

	mu       sync.Mutex
	key      []byte // of the linked device
	new      *line  // of a device that is not linked
	current  *line  // of the linked device
	lines    int    // that are open
	codes    int
	replaced int
	written  uint64
	inbox    []frame // messages that the device has not acknowledged
	sent     []Sent
	late     []Sent
	faults   []string
	at       map[Moment]func()
}

// line is the connection of a device.
type line struct {
	out  *gob.Encoder
	key  []byte
	node int
}

// frame is what a device and WhatsApp send to each other.
type frame struct {
	Kind    string
	Key     []byte // hello: the public key of the device
	Linked  bool   // hello: whether the device has been linked
	Node    int    // hello: the id of the process
	ID      types.MessageID
	Chat    types.JID
	LID     types.JID
	Number  uint64 // message: its position in the session with the sender
	Slow    bool   // message: its decryption takes a while
	Message []byte
	Error   string
}

// The kinds of frames.
const (
	frameHello      = "hello"
	frameAck        = "ack"        // of a message
	frameSend       = "send"       // a message of the device
	frameDecrypting = "decrypting" // a slow message
	frameFault      = "fault"      // a message cannot be decrypted

	framePair      = "pair"
	frameConnected = "connected"
	frameLoggedOut = "logged out"
	frameReplaced  = "replaced" // another connection of the same device was opened
	frameMessage   = "message"
	frameSent      = "sent"
)

// Moment is a moment at which a test does something; see WhatsApp.At.
type Moment string

// The moments.
const (
	Delivered  Moment = "a message was delivered to the device"
	Decrypting Moment = "the device is decrypting a slow message"
	Acking     Moment = "the device acknowledges a message, but WhatsApp does not hear it"
	Sending    Moment = "the device sends a message and WhatsApp has it, but does not reply"
	Replied    Moment = "WhatsApp has replied to a message that the device sent"
)

// NewWhatsApp starts a WhatsApp with a number, such as 5511987654321.
func NewWhatsApp(t testing.TB, number string) *WhatsApp {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	phone := NewPhone(number)
	w := &WhatsApp{Addr: listener.Addr().String(), JID: phone.JID, LID: phone.LID, at: map[Moment]func(){}}
	w.JID.Device = 7
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.serve(conn)
		}
	}()
	return w
}

func (w *WhatsApp) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	l, in := &line{out: gob.NewEncoder(conn)}, gob.NewDecoder(conn)
	w.mu.Lock()
	w.lines++
	w.mu.Unlock()
	for {
		var f frame
		err := in.Decode(&f)
		w.mu.Lock()
		if err != nil {
			w.lines--
			if w.current == l {
				w.current = nil
			}
			w.mu.Unlock()
			return
		}
		w.handle(l, f)
		w.mu.Unlock()
	}
}

// handle handles a frame of a device. The caller holds mu.
func (w *WhatsApp) handle(l *line, f frame) {
	switch f.Kind {
	case frameHello:
		l.key, l.node = f.Key, f.Node
		switch {
		case !f.Linked:
			w.codes++
			w.new = l
		case !bytes.Equal(f.Key, w.key):
			l.send(frame{Kind: frameLoggedOut})
		default:
			w.connect(l)
		}
	case frameSend:
		var m waE2E.Message
		if err := proto.Unmarshal(f.Message, &m); err != nil {
			w.faults = append(w.faults, err.Error())
		}
		sent := Sent{ID: f.ID, To: f.Chat, Message: &m, Node: l.node}
		if l != w.current {
			w.late = append(w.late, sent)
			return
		}
		w.sent = append(w.sent, sent)
		if !w.now(Sending) {
			l.send(frame{Kind: frameSent, ID: f.ID})
			w.now(Replied)
		}
	case frameAck:
		if l == w.current && !w.now(Acking) {
			w.inbox = slices.DeleteFunc(w.inbox, func(m frame) bool { return m.ID == f.ID })
		}
	case frameDecrypting:
		w.now(Decrypting)
	case frameFault:
		if l == w.current {
			w.faults = append(w.faults, f.ID+": "+f.Error)
		}
	}
}

// connect makes a connection the one of the linked device, and delivers what has waited for it. The caller holds mu.
func (w *WhatsApp) connect(l *line) {
	if w.current != nil {
		w.current.send(frame{Kind: frameReplaced})
		w.replaced++
	}
	w.current = l
	l.send(frame{Kind: frameConnected})
	for _, m := range w.inbox {
		l.send(m)
	}
}

// send sends a frame. A device that has gone does not get it.
func (l *line) send(f frame) { _ = l.out.Encode(f) }

// now runs the function of a moment and reports whether there is one. The caller holds mu.
func (w *WhatsApp) now(m Moment) bool {
	f := w.at[m]
	delete(w.at, m)
	if f != nil {
		f()
	}
	return f != nil
}

// At runs f once, the next time that it is the moment m. f must not use w.
func (w *WhatsApp) At(m Moment, f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at[m] = f
}

// Scan links the device that shows a code.
func (w *WhatsApp) Scan() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.new
	if l == nil {
		return errors.New("no device shows a code")
	}
	w.new, w.key = nil, l.key
	l.send(frame{Kind: framePair, Chat: w.JID, LID: w.LID})
	w.connect(l)
	return nil
}

// Write lets a customer write a text and returns the id of the message. The decryption of a slow one takes a while.
func (w *WhatsApp) Write(from types.JID, text string, slow bool) types.MessageID {
	m, err := proto.Marshal(Text(text))
	if err != nil {
		panic(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written++
	f := frame{Kind: frameMessage, ID: fmt.Sprintf("IN%d", w.written), Chat: from, Number: w.written, Message: m, Slow: slow}
	w.inbox = append(w.inbox, f)
	if w.current != nil {
		w.current.send(f)
		w.now(Delivered)
	}
	return f.ID
}

// State is what has happened at a WhatsApp.
type State struct {
	Node     int // the process to which the device is connected; 0: none
	Lines    int // open connections, including replaced ones
	Codes    int // connections of devices that were not linked
	Replaced int // connections that were open when another one with the same device was opened
	Waiting  int // messages that the device has not acknowledged
	Sent     []Sent
	Late     []Sent   // messages that were sent on a replaced connection
	Faults   []string // messages that the device could not decrypt
}

// State returns what has happened.
func (w *WhatsApp) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := State{
		Lines: w.lines, Codes: w.codes, Replaced: w.replaced, Waiting: len(w.inbox),
		Sent: slices.Clone(w.sent), Late: slices.Clone(w.late), Faults: slices.Clone(w.faults),
	}
	if w.current != nil {
		s.Node = w.current.node
	}
	return s
}

// Dial returns the linked.NewClient of a WhatsApp at an address.
func Dial(addr string) linked.NewClient {
	return func(_ context.Context, device *store.Device, _ waLog.Logger, resend func(types.MessageID) *waE2E.Message) linked.Client {
		return &remote{Client: &Client{phone: NewPhone("0"), device: device, Resend: resend}, addr: addr, replies: map[types.MessageID]chan struct{}{}}
	}
}

// remote is the connection of a device to a WhatsApp in another process. The methods of Client that it does not replace have
// nobody to talk to.
type remote struct {
	*Client
	addr string

	mu      sync.Mutex
	conn    net.Conn // nil: not connected
	out     *gob.Encoder
	replies map[types.MessageID]chan struct{}
}

// Connect connects the device.
func (r *remote) Connect() error {
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.conn, r.out = conn, gob.NewEncoder(conn)
	r.mu.Unlock()
	incoming := make(chan frame, 10_000)
	go r.read(conn, incoming)
	go func() {
		if r.device.ID == nil {
			r.handle(&events.QR{Codes: []string{"code"}})
		}
		for f := range incoming {
			r.event(f)
		}
	}()
	return r.send(frame{Kind: frameHello, Key: r.device.NoiseKey.Pub[:], Linked: r.device.ID != nil, Node: os.Getpid()})
}

// read passes replies on at once and events in their order, like whatsmeow.
func (r *remote) read(conn net.Conn, incoming chan<- frame) {
	defer close(incoming)
	in := gob.NewDecoder(conn)
	for {
		var f frame
		if in.Decode(&f) != nil {
			r.Disconnect()
			return
		}
		if f.Kind != frameSent {
			incoming <- f
			continue
		}
		r.mu.Lock()
		if reply := r.replies[f.ID]; reply != nil {
			close(reply)
			delete(r.replies, f.ID)
		}
		r.mu.Unlock()
	}
}

func (r *remote) send(f frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn == nil {
		return whatsmeow.ErrNotConnected
	}
	return r.out.Encode(f)
}

// Disconnect disconnects the device.
func (r *remote) Disconnect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		_ = r.conn.Close()
		r.conn = nil
	}
}

// IsConnected reports whether the device is connected.
func (r *remote) IsConnected() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conn != nil
}

// IsLoggedIn reports whether the device is connected.
func (r *remote) IsLoggedIn() bool { return r.IsConnected() }

// SendMessage sends a message and waits for WhatsApp's reply.
func (r *remote) SendMessage(
	ctx context.Context, to types.JID, m *waE2E.Message, extra ...whatsmeow.SendRequestExtra,
) (whatsmeow.SendResponse, error) {
	value, err := proto.Marshal(m)
	if err != nil {
		return whatsmeow.SendResponse{}, err
	}
	id, reply := extra[0].ID, make(chan struct{})
	r.mu.Lock()
	r.replies[id] = reply
	r.mu.Unlock()
	if err := r.send(frame{Kind: frameSend, ID: id, Chat: to, Message: value}); err != nil {
		return whatsmeow.SendResponse{}, err
	}
	select {
	case <-reply:
		return whatsmeow.SendResponse{ID: id, Timestamp: time.Now()}, nil
	case <-ctx.Done():
		return whatsmeow.SendResponse{}, ctx.Err()
	case <-time.After(10 * time.Second):
		return whatsmeow.SendResponse{}, whatsmeow.ErrMessageTimedOut
	}
}

// event handles an event of WhatsApp.
func (r *remote) event(f frame) {
	switch f.Kind {
	case framePair:
		r.device.ID, r.device.LID, r.device.Account = &f.Chat, f.LID, &waAdv.ADVSignedDeviceIdentity{}
		if err := r.device.Save(context.Background()); err != nil {
			r.handle(&events.PairError{Error: err})
			return
		}
		r.handle(&events.PairSuccess{ID: f.Chat, LID: f.LID})
	case frameConnected:
		r.handle(&events.Connected{})
	case frameLoggedOut:
		r.handle(&events.LoggedOut{})
	case frameReplaced:
		r.handle(&events.StreamReplaced{})
	case frameMessage:
		r.message(f)
	}
}

// message does with a message what whatsmeow does: it decrypts it once, passes it on and acknowledges it.
func (r *remote) message(f frame) {
	ctx := context.Background()
	hash := sha256.Sum256(append([]byte(f.ID), f.Message...))
	text, err := r.decrypt(ctx, hash, f)
	var m waE2E.Message
	if err == nil {
		err = proto.Unmarshal(text, &m)
	}
	switch {
	case errors.Is(err, whatsmeow.EventAlreadyProcessed):
	case err != nil:
		_ = r.send(frame{Kind: frameFault, ID: f.ID, Error: err.Error()})
		return
	case !r.handle((&events.Message{Info: r.phone.Info(f.Chat, f.ID, time.Now()), RawMessage: &m}).UnwrapRaw()):
		return
	default:
		if err := r.device.EventBuffer.ClearBufferedEventPlaintext(ctx, hash); err != nil {
			_ = r.send(frame{Kind: frameFault, ID: f.ID, Error: err.Error()})
		}
	}
	_ = r.send(frame{Kind: frameAck, ID: f.ID})
}

// decrypt advances the session with the sender, which is the number of its last message. As in Signal's protocol a message can be
// decrypted only once.
func (r *remote) decrypt(ctx context.Context, hash [32]byte, f frame) ([]byte, error) {
	known, err := r.device.EventBuffer.GetBufferedEvent(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case known != nil && known.Plaintext == nil:
		return nil, whatsmeow.EventAlreadyProcessed
	case known != nil && len(known.Plaintext) == 0:
		return nil, errors.New("plaintext is empty")
	case known != nil:
		return known.Plaintext, nil
	}
	return f.Message, r.device.EventBuffer.DoDecryptionTxn(ctx, func(ctx context.Context) error {
		session, err := r.device.Sessions.GetSession(ctx, f.Chat.SignalAddress().String())
		if err != nil {
			return err
		}
		if last, err := strconv.ParseUint(cmp.Or(string(session), "0"), 10, 64); err != nil || last != f.Number-1 {
			return fmt.Errorf("message %d cannot be decrypted with the session %q", f.Number, session)
		}
		if f.Slow {
			_ = r.send(frame{Kind: frameDecrypting})
			time.Sleep(500 * time.Millisecond)
		}
		if err := r.device.Sessions.PutSession(ctx, f.Chat.SignalAddress().String(), strconv.AppendUint(nil, f.Number, 10)); err != nil {
			return err
		}
		return r.device.EventBuffer.PutBufferedEvent(ctx, hash, f.Message, time.Now())
	})
}
