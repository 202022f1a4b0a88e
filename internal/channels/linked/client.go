// Package linked connects ordinary WhatsApp numbers as linked devices, in the way of WhatsApp Web. It uses whatsmeow.
package linked

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCompanionReg"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/proto/waWeb"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// Client is what this package uses of a connection to WhatsApp. *whatsmeow.Client implements it.
type Client interface {
	Connect() error
	Disconnect()
	IsConnected() bool
	IsLoggedIn() bool
	Logout(ctx context.Context) error
	AddEventHandlerWithSuccessStatus(handler whatsmeow.EventHandlerWithSuccessStatus) uint32
	PairPhone(ctx context.Context, phone string, notify bool, kind whatsmeow.PairClientType, name string) (string, error)

	SendMessage(ctx context.Context, to types.JID, m *waE2E.Message, extra ...whatsmeow.SendRequestExtra) (whatsmeow.SendResponse, error)
	Upload(ctx context.Context, plaintext []byte, kind whatsmeow.MediaType) (whatsmeow.UploadResponse, error)
	Download(ctx context.Context, m whatsmeow.DownloadableMessage) ([]byte, error)
	MarkRead(ctx context.Context, ids []types.MessageID, at time.Time, chat, sender types.JID, kind ...types.ReceiptType) error
	SendPresence(ctx context.Context, state types.Presence) error
	IsOnWhatsApp(ctx context.Context, phones []string) ([]types.IsOnWhatsAppResponse, error)

	GetGroupInfo(ctx context.Context, group types.JID) (*types.GroupInfo, error)
	GetProfilePictureInfo(ctx context.Context, who types.JID, params *whatsmeow.GetProfilePictureParams) (*types.ProfilePictureInfo, error)

	DownloadHistorySync(ctx context.Context, n *waE2E.HistorySyncNotification, wait bool) (*waHistorySync.HistorySync, error)
	ParseWebMessage(chat types.JID, m *waWeb.WebMessageInfo) (*events.Message, error)
	DecryptReaction(ctx context.Context, m *events.Message) (*waE2E.ReactionMessage, error)
}

// NewClient returns a connection to WhatsApp's servers. It works, and tries to connect, until ctx is done. resend returns a message
// that a receiver could not decrypt.
type NewClient func(ctx context.Context, device *store.Device, log waLog.Logger, resend func(id types.MessageID) *waE2E.Message) Client

const (
	historyDays = 90        // how much history is imported
	maxResponse = 128 << 20 // of WhatsApp's servers for files; files of up to 100 MB are received
)

func init() {
	store.SetOSInfo("Recado", [3]uint32{1, 0, 0})
	store.DeviceProps.PlatformType = waCompanionReg.DeviceProps_DESKTOP.Enum()
	store.DeviceProps.RequireFullSync = new(true)
	store.DeviceProps.HistorySyncConfig.FullSyncDaysLimit = new(uint32(historyDays))
	store.DeviceProps.HistorySyncConfig.RecentSyncDaysLimit = new(uint32(historyDays))
}

// Dial is the NewClient for WhatsApp's servers.
func Dial(ctx context.Context, device *store.Device, log waLog.Logger, resend func(id types.MessageID) *waE2E.Message) Client {
	cli := whatsmeow.NewClient(device, log)
	cli.BackgroundEventCtx = ctx
	cli.SetMediaHTTPClient(&http.Client{Transport: limited{http.DefaultTransport}})
	cli.SynchronousAck = true // a message that is not stored is delivered again
	cli.EnableDecryptedEventBuffer = true
	cli.ManualHistorySyncDownload = true // see history
	cli.InitialAutoReconnect = true
	cli.AutomaticMessageRerequestFromPhone = true
	cli.GetMessageForRetry = func(_, _ types.JID, id types.MessageID) *waE2E.Message { return resend(id) }
	return cli
}

// limited limits the length of responses, which whatsmeow reads into memory, whatever length the sender of a file claims.
type limited struct{ http.RoundTripper }

type limitKey struct{}

// atMost returns a context for requests whose responses have at most n bytes.
func atMost(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, limitKey{}, n)
}

// RoundTrip sends a request.
func (t limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		limit, ok := r.Context().Value(limitKey{}).(int64)
		if !ok {
			limit = maxResponse
		}
		resp.Body = http.MaxBytesReader(nil, resp.Body, limit)
	}
	return resp, err
}

// logger passes whatsmeow's messages on. Its information is of little use in a server's log.
type logger struct{ *slog.Logger }

func (l logger) log(level slog.Level, text string, args []any) {
	l.Log(context.Background(), level, fmt.Sprintf(text, args...))
}

// Errorf logs a warning: whatsmeow continues after its errors.
func (l logger) Errorf(text string, args ...any) { l.log(slog.LevelWarn, text, args) }

// Warnf logs details.
func (l logger) Warnf(text string, args ...any) { l.log(slog.LevelDebug, text, args) }

// Infof logs details.
func (l logger) Infof(text string, args ...any) { l.log(slog.LevelDebug, text, args) }

// Debugf drops the message: it may contain texts.
func (l logger) Debugf(string, ...any) {}

// Sub returns a logger for a part.
func (l logger) Sub(part string) waLog.Logger { return logger{l.With(slog.String("part", part))} }
