package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// testedStore is a store and a function that lists its content.
type testedStore struct {
	store blob.Store
	names func(t *testing.T) []string
}

func TestStores(t *testing.T) {
	for name, open := range map[string]func(*testing.T) testedStore{"disk": onDisk, "s3": onS3} {
		t.Run(name, func(t *testing.T) { testStore(t, open(t)) })
	}
}

func testStore(t *testing.T, at testedStore) {
	put := func(t *testing.T, id kernel.ID, content []byte) {
		t.Helper()
		info, err := at.store.Put(t.Context(), id, bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "info.Size", info.Size, int64(len(content)))
		testkit.Equal(t, "info.SHA256", info.SHA256, sha256.Sum256(content))
	}
	mustHold := func(t *testing.T, id kernel.ID, want []byte) {
		t.Helper()
		f, size, err := at.store.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := io.ReadAll(f)
		if err != nil || size != int64(len(want)) || !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, size %d, %v; want %d", len(got), size, err, len(want))
		}
	}
	mustMiss := func(t *testing.T, id kernel.ID) {
		t.Helper()
		if _, _, err := at.store.Open(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("want ErrNotFound, got %v", err)
		}
		for _, name := range at.names(t) {
			if strings.Contains(name, id.String()) {
				t.Errorf("left behind: %s", name)
			}
		}
	}

	t.Run("files of all sizes can be stored and read", func(t *testing.T) {
		for _, size := range []int{0, 1, 32 << 10, 32<<10 + 1, 17 << 20} {
			id, content := kernel.NewID(), pattern(size)
			put(t, id, content)
			mustHold(t, id, content)
		}
	})

	t.Run("a second Put replaces the file", func(t *testing.T) {
		id := kernel.NewID()
		put(t, id, []byte("first and longer"))
		put(t, id, []byte("second"))
		mustHold(t, id, []byte("second"))
	})

	t.Run("an unknown id is not found", func(t *testing.T) {
		mustMiss(t, kernel.NewID())
	})

	t.Run("a deleted file is gone and can be deleted again", func(t *testing.T) {
		id := kernel.NewID()
		put(t, id, []byte("x"))
		for range 2 {
			if err := at.store.Delete(t.Context(), id); err != nil {
				t.Error(err)
			}
			mustMiss(t, id)
		}
	})

	t.Run("a file one byte over the limit leaves nothing", func(t *testing.T) {
		for _, limit := range []int{0, 10, 100_000} {
			id := kernel.NewID()
			_, err := at.store.Put(t.Context(), id, bytes.NewReader(pattern(limit+1)), int64(limit))
			if !errors.Is(err, blob.ErrTooLarge) {
				t.Errorf("limit %d: %v", limit, err)
			}
			mustMiss(t, id)
		}
	})

	t.Run("an endless upload is cut at the limit", func(t *testing.T) {
		id := kernel.NewID()
		if _, err := at.store.Put(t.Context(), id, endless{}, 1<<20); !errors.Is(err, blob.ErrTooLarge) {
			t.Error(err)
		}
		mustMiss(t, id)
	})

	t.Run("a failed upload leaves nothing or the previous file", func(t *testing.T) {
		broken := errors.New("the client went away")
		half := func() io.Reader { return io.MultiReader(bytes.NewReader(pattern(50_000)), iotest.ErrReader(broken)) }
		id := kernel.NewID()
		if _, err := at.store.Put(t.Context(), id, half(), 1<<20); !errors.Is(err, broken) {
			t.Error(err)
		}
		mustMiss(t, id)

		put(t, id, []byte("kept"))
		if _, err := at.store.Put(t.Context(), id, half(), 1<<20); !errors.Is(err, broken) {
			t.Error(err)
		}
		mustHold(t, id, []byte("kept"))
	})

	t.Run("an unfinished upload is invisible and ends with its context", func(t *testing.T) {
		id := kernel.NewID()
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			_, err := at.store.Put(ctx, id, r, 1<<20)
			r.CloseWithError(err)
			done <- err
		}()
		_, _ = w.Write(pattern(40_000))
		if _, _, err := at.store.Open(t.Context(), id); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("seen: %v", err)
		}
		cancel()
		for { // until Put fails
			if _, err := w.Write([]byte("x")); err != nil {
				break
			}
		}
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		mustMiss(t, id)
	})

	t.Run("a file can be read from any position", func(t *testing.T) {
		id, content := kernel.NewID(), pattern(100_000)
		put(t, id, content)
		f, _, err := at.store.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := iotest.TestReader(f, content); err != nil {
			t.Error(err)
		}
		if _, err := f.Seek(-1, io.SeekStart); err == nil {
			t.Error("a seek before the beginning")
		}
	})

	t.Run("files and ranges can be served over HTTP", func(t *testing.T) {
		id, content := kernel.NewID(), pattern(100_000)
		put(t, id, content)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, _, err := at.store.Open(r.Context(), id)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			w.Header().Set("Content-Type", "application/octet-stream")
			http.ServeContent(w, r, "", time.Time{}, f)
		}))
		defer srv.Close()
		for _, test := range []struct {
			header string
			status int
			want   []byte
		}{
			{"", 200, content},
			{"bytes=0-9", 206, content[:10]},
			{"bytes=500-", 206, content[500:]},
			{"bytes=-7", 206, content[len(content)-7:]},
			{"bytes=200000-", 416, nil},
		} {
			req, _ := http.NewRequest(http.MethodGet, srv.URL, nil)
			if test.header != "" {
				req.Header.Set("Range", test.header)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != test.status || test.want != nil && !bytes.Equal(got, test.want) {
				t.Errorf("%q: %d, %d bytes, %v", test.header, resp.StatusCode, len(got), err)
			}
		}
	})

	t.Run("concurrent uploads are not mixed, even with the same id", func(t *testing.T) {
		shared := kernel.NewID()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				content := bytes.Repeat([]byte{byte(i)}, 60_000)
				for _, id := range []kernel.ID{kernel.NewID(), shared} {
					if _, err := at.store.Put(t.Context(), id, bytes.NewReader(content), 60_000); err != nil {
						t.Error(err)
					} else if id != shared {
						mustHold(t, id, content)
					}
				}
			})
		}
		wg.Wait()
		f, _, err := at.store.Open(t.Context(), shared)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := io.ReadAll(f)
		if err != nil || len(got) != 60_000 || !bytes.Equal(got, bytes.Repeat(got[:1], 60_000)) {
			t.Errorf("two uploads were mixed: %d bytes, %v", len(got), err)
		}
	})
}

func onDisk(t *testing.T) testedStore {
	dir := t.TempDir()
	d, err := blob.NewDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return testedStore{d, func(t *testing.T) []string {
		t.Helper()
		var names []string
		err := fs.WalkDir(os.DirFS(dir), ".", func(p string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // deleted since it was listed
			}
			if err == nil && !entry.IsDir() {
				names = append(names, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}}
}

func onS3(t *testing.T) testedStore {
	bucket := s3mem.New()
	if err := bucket.CreateBucket("recado"); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(gofakes3.New(bucket).Server())
	t.Cleanup(srv.Close)
	spool := t.TempDir()
	s, err := blob.NewS3(t.Context(), blob.S3Options{
		Endpoint: srv.URL, Region: "us-east-1", Bucket: "recado", Prefix: "media/",
		AccessKey: "access", SecretKey: "secret", SpoolDir: spool,
	})
	if err != nil {
		t.Fatal(err)
	}
	return testedStore{s, func(t *testing.T) []string {
		t.Helper()
		list, err := bucket.ListBucket("recado", &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, object := range list.Contents {
			names = append(names, object.Key)
		}
		entries, err := os.ReadDir(spool)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) > 0 {
			t.Errorf("left in the spool: %v", entries)
		}
		return names
	}}
}

// pattern returns pseudo-random content.
func pattern(size int) []byte {
	b := make([]byte, size)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
