package linked

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"

	"recado/internal/channels/provider"
	"recado/internal/media"
)

const (
	maxPicture     = 256 << 10 // bytes; WhatsApp's small pictures have less than 10 KiB
	pictureTimeout = 20 * time.Second
)

// groupPicture is what is known of a picture that may have changed.
type groupPicture struct {
	removed bool
	history bool // the group was imported
}

// pictureChanged lets updatePictures update the picture of a group. No message waits for it.
func (s *session) pictureChanged(group types.JID, change groupPicture) {
	if group.Server != types.GroupServer {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = map[types.JID]groupPicture{}
	}
	s.changed[group] = change
	select {
	case s.pictures <- struct{}{}:
	default:
	}
}

// updatePictures updates the pictures of groups until the session ends.
func (s *session) updatePictures() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.pictures:
		}
		s.mu.Lock()
		changed := s.changed
		s.changed = nil
		s.mu.Unlock()
		for group, change := range changed {
			s.updatePicture(s.ctx, group, change)
		}
	}
}

// updatePicture updates the picture of a group. If it cannot, the group keeps the one it has until something about it changes or
// the next session.
func (s *session) updatePicture(ctx context.Context, group types.JID, change groupPicture) {
	ctx, cancel := context.WithTimeout(ctx, pictureTimeout)
	defer cancel()
	picture, err := s.newPicture(ctx, group, change.removed)
	if picture != nil {
		update := provider.Incoming{Group: &provider.IncomingGroup{ID: group.String(), Picture: picture, History: change.history}}
		err = s.store(ctx, []provider.Incoming{update})
	}
	if err != nil && s.ctx.Err() == nil {
		s.log.Info("cannot update the picture of a group", slog.Any("error", err))
	}
}

// newPicture returns the picture of a group, or nil if the stored one is up to date or there is no conversation with the group.
func (s *session) newPicture(ctx context.Context, group types.JID, removed bool) (*provider.GroupPicture, error) {
	stored, found, err := s.m.PictureID(ctx, s.link.Company, s.link.Channel, group.String())
	if err != nil || !found {
		return nil, err
	}
	var info *types.ProfilePictureInfo
	if !removed {
		info, err = s.client.GetProfilePictureInfo(ctx, group, &whatsmeow.GetProfilePictureParams{Preview: true, ExistingID: stored})
		removed = errors.Is(err, whatsmeow.ErrProfilePictureNotSet)
	}
	switch {
	case removed && stored == "":
		return nil, nil
	case removed:
		return &provider.GroupPicture{}, nil
	case err != nil || info == nil || info.ID == stored:
		return nil, err
	}
	image, err := getImage(ctx, info.URL)
	if err != nil {
		return nil, err
	}
	if mime, kind, _ := media.Detect(image, ""); kind != media.Image && kind != media.Sticker {
		return nil, fmt.Errorf("the picture is a file of the type %s", mime)
	}
	return &provider.GroupPicture{ID: info.ID, Image: image}, nil
}

// getImage downloads a picture.
func getImage(ctx context.Context, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server of pictures responded with %s", resp.Status)
	}
	image, err := io.ReadAll(io.LimitReader(resp.Body, maxPicture+1))
	if len(image) > maxPicture {
		err = fmt.Errorf("the picture has more than %d bytes", maxPicture)
	}
	return image, err
}
