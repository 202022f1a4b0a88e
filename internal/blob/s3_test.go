package blob_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"recado/internal/blob"
	"recado/internal/kernel"
)

func TestS3(t *testing.T) {
	t.Run("a failed upload is retried with the whole file and its hash", func(t *testing.T) {
		content := pattern(200_000)
		sum := sha256.Sum256(content)
		var puts atomic.Int32
		s := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			if got := r.Header.Get("X-Amz-Content-Sha256"); got != hex.EncodeToString(sum[:]) {
				t.Errorf("hash: %s", got)
			}
			if puts.Add(1) > 1 {
				return false
			}
			_, _ = io.CopyN(io.Discard, r.Body, 1000)
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		id := kernel.NewID()
		if _, err := s.Put(t.Context(), id, bytes.NewReader(content), 1<<20); err != nil || puts.Load() != 2 {
			t.Fatalf("%d tries, %v", puts.Load(), err)
		}
		f, _, err := s.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})

	t.Run("a denied request is not reported as a missing file", func(t *testing.T) {
		var refuse atomic.Bool
		s := bucketBehind(t, func(w http.ResponseWriter, _ *http.Request) bool {
			if refuse.Load() {
				w.WriteHeader(http.StatusForbidden)
			}
			return refuse.Load()
		})
		refuse.Store(true)
		if _, _, err := s.Open(t.Context(), kernel.NewID()); err == nil || errors.Is(err, blob.ErrNotFound) {
			t.Error(err)
		}
		if err := s.Delete(t.Context(), kernel.NewID()); err == nil {
			t.Error("a denied deletion returned no error")
		}
	})

	t.Run("reading a file fails when it is replaced", func(t *testing.T) {
		s := bucketBehind(t, func(http.ResponseWriter, *http.Request) bool { return false })
		id := kernel.NewID()
		put := func(letter string) {
			if _, err := s.Put(t.Context(), id, strings.NewReader(strings.Repeat(letter, 1000)), 1000); err != nil {
				t.Fatal(err)
			}
		}
		put("a")
		f, _, err := s.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		put("b")
		for _, from := range []int64{0, 500} {
			_, _ = f.Seek(from, io.SeekStart)
			if got, err := io.ReadAll(f); err == nil || len(got) > 0 {
				t.Errorf("read %d bytes, %v", len(got), err)
			}
		}
	})

	t.Run("a missing bucket or an invalid address is an error at the start", func(t *testing.T) {
		srv := httptest.NewServer(gofakes3.New(s3mem.New()).Server())
		defer srv.Close()
		for _, endpoint := range []string{srv.URL, "", "s3.example.com", "ftp://s3.example.com", "https://"} {
			o := blob.S3Options{Endpoint: endpoint, Region: "us-east-1", Bucket: "missing", AccessKey: "a", SecretKey: "s"}
			if _, err := blob.NewS3(t.Context(), o); err == nil {
				t.Errorf("%q was accepted", endpoint)
			}
		}
	})
}

// bucketBehind returns a bucket. intercept sees every request first and reports whether it handled it.
func bucketBehind(t *testing.T, intercept func(http.ResponseWriter, *http.Request) bool) *blob.S3 {
	t.Helper()
	bucket := s3mem.New()
	if err := bucket.CreateBucket("recado"); err != nil {
		t.Fatal(err)
	}
	server := gofakes3.New(bucket).Server()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !intercept(w, r) {
			server.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	s, err := blob.NewS3(t.Context(), blob.S3Options{
		Endpoint: srv.URL, Region: "us-east-1", Bucket: "recado", AccessKey: "access", SecretKey: "secret", SpoolDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
