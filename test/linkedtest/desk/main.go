// Command desk is a server whose linked numbers are played by a phone, for tests of the app. It takes the flags of recado serve
// that those tests use, and --phone, the address at which the phone is controlled.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waHistorySync"
	"go.mau.fi/whatsmeow/types"

	"recado/internal/admin"
	"recado/internal/channels"
	"recado/internal/server"
	"recado/test/linkedtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	data := flags.String("data", "", "folder with the database")
	addr := flags.String("addr", "127.0.0.1:0", "address to listen on")
	control := flags.String("phone", "127.0.0.1:0", "address at which the phone is controlled")
	flags.Bool("demo", true, "ignored: there is always a demo")
	if err := flags.Parse(args); err != nil {
		return err
	}
	phone, clock := linkedtest.NewPhone("5511912345678"), &admin.Clock{}
	s, err := server.Start(ctx, server.Config{
		DataDir: *data, Addr: *addr, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), Now: clock.Now,
		Linked:  func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) },
		Prepare: func(s *server.Server) error { return demo(ctx, s, clock, *data) },
	})
	if err != nil {
		return err
	}
	phones := &http.Server{Addr: *control, Handler: controls(phone), ReadHeaderTimeout: time.Second}
	go func() {
		<-ctx.Done()
		_ = phones.Close()
	}()
	if err := phones.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return s.Stop(context.WithoutCancel(ctx))
}

func demo(ctx context.Context, s *server.Server, clock *admin.Clock, folder string) error {
	made, err := admin.Make(ctx, s.Desk, clock, "password of the demo")
	if err != nil {
		return err
	}
	raw, err := json.Marshal(made)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "demo.json")
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path) // it appears when it is complete
}

var (
	maria = types.NewJID("5511987654321", types.DefaultUserServer)
	joao  = types.NewJID("5511955554444", types.DefaultUserServer)
	party = types.NewJID("120363025555555555", types.GroupServer)
)

// controls lets a test use the phone.
func controls(phone *linkedtest.Phone) http.Handler {
	phone.SetGroup(types.GroupInfo{
		JID: party, GroupName: types.GroupName{Name: "Party"},
		Participants: []types.GroupParticipant{{JID: maria, IsAdmin: true, IsSuperAdmin: true}, {JID: joao}},
	})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /scan", func(w http.ResponseWriter, r *http.Request) {
		if err := phone.Scan(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	mux.HandleFunc("POST /remove", func(http.ResponseWriter, *http.Request) { phone.RemoveDevice() })
	mux.HandleFunc("POST /history", func(_ http.ResponseWriter, r *http.Request) {
		n, _ := strconv.ParseUint(r.FormValue("percent"), 10, 32)
		phone.SendHistory(&waHistorySync.HistorySync{
			SyncType: waHistorySync.HistorySync_RECENT.Enum(), Progress: new(uint32(n)),
		})
	})
	mux.HandleFunc("POST /refuse", func(http.ResponseWriter, *http.Request) {
		phone.Refuse(fmt.Errorf("%w 479", whatsmeow.ErrServerReturnedError))
	})
	mux.HandleFunc("GET /sent", func(w http.ResponseWriter, _ *http.Request) {
		for _, sent := range phone.Sent() {
			_, _ = fmt.Fprintln(w, sent.Message)
		}
	})
	mux.HandleFunc("POST /picture", func(http.ResponseWriter, *http.Request) { phone.SetPicture(party, picture()) })
	mux.HandleFunc("POST /write", func(_ http.ResponseWriter, r *http.Request) {
		info := phone.Info(maria, r.FormValue("id"), time.Now())
		if r.FormValue("group") != "" {
			info.Chat, info.IsGroup = party, true
		}
		phone.Write(info, linkedtest.Text(r.FormValue("text")))
	})
	return mux
}

// picture returns a picture of a colour.
func picture() []byte {
	var b bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 96, 96), color.Palette{color.RGBA{R: 230, G: 120, B: 60, A: 255}})
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}
