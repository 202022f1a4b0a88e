package talk

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestUploadsThatACrashInterruptedAreRemoved(t *testing.T) {
	disk, err := blob.NewDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bucket := s3mem.New()
	if err := bucket.CreateBucket("recado"); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(gofakes3.New(bucket).Server())
	t.Cleanup(service.Close)
	s3, err := blob.NewS3(t.Context(), blob.S3Options{
		Endpoint: service.URL, Region: "us-east-1", Bucket: "recado", AccessKey: "access", SecretKey: "secret", SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string]blob.Store{"disk": disk, "s3": s3} {
		t.Run(name, func(t *testing.T) {
			kerneltest.EachURL(t, func(t *testing.T, url string) {
				testLeftUploads(t, db.Options{Dir: t.TempDir(), DatabaseURL: url}, files)
			})
		})
	}
}

// crashing is a file store that panics after it has stored a file.
type crashing struct {
	blob.Store
	last kernel.ID
}

var errDied = errors.New("the process died")

func (c *crashing) Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (blob.Info, error) {
	c.last = id
	if _, err := c.Store.Put(ctx, id, r, limit); err != nil {
		return blob.Info{}, err
	}
	panic(errDied)
}

func testLeftUploads(t *testing.T, o db.Options, files blob.Store) {
	clock := testkit.NewClock()
	o.Now = clock.Now
	db := kerneltest.Open(t, o)
	start := func(at blob.Store) (*Talk, *kernel.Principal) {
		d := newTalk(kernel.New(kernel.Options{Store: db, Now: clock.Now}), nil, at)
		return d, testCompany(t, d)
	}
	dying := &crashing{Store: files}
	d, a := start(dying)
	func() {
		defer func() {
			if recover() != errDied {
				t.Fatal("the process did not crash")
			}
		}()
		_, _ = d.UploadMedia(t.Context(), a, "note.txt", strings.NewReader("left behind"))
	}()
	d, a = start(files)
	kept, err := d.UploadMedia(t.Context(), a, "note.txt", strings.NewReader("kept"))
	if err != nil {
		t.Fatal(err)
	}
	strange := kernel.NewID() // a file of another installation in the same folder
	if _, err := files.Put(t.Context(), strange, strings.NewReader("theirs"), 100); err != nil {
		t.Fatal(err)
	}
	holds := func(id kernel.ID) bool {
		f, _, err := files.Open(t.Context(), id)
		if err == nil {
			_ = f.Close()
		}
		return err == nil
	}
	for _, step := range []struct {
		after time.Duration
		left  bool
	}{{23 * time.Hour, true}, {2 * time.Hour, false}, {240 * time.Hour, false}} {
		clock.Advance(step.after)
		if err := d.RemoveLeftUploads(t.Context()); err != nil {
			t.Fatal(err)
		}
		if holds(dying.last) != step.left || !holds(kept.ID) || !holds(strange) {
			t.Fatalf("after another %v: left %v, kept %v, strange %v", step.after, holds(dying.last), holds(kept.ID), holds(strange))
		}
	}
}
