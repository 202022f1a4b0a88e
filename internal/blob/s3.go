package blob

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"recado/internal/kernel"
)

// S3Options say which bucket, and how to get in.
type S3Options struct {
	Endpoint string // https://s3.sa-east-1.amazonaws.com, or http:// for a server on the same network
	Region   string // asked of the server when empty
	Bucket   string // must exist
	Prefix   string // put before every id: "recado/"

	// Without keys here the usual environment variables, and then the machine's role, are asked.
	AccessKey string
	SecretKey string

	// SpoolDir is where an upload waits until it is whole; the system's temporary folder when empty.
	SpoolDir string
}

// S3 keeps each file as an object of one bucket.
type S3 struct {
	core   minio.Core
	bucket string
	prefix string
	spool  string
}

var _ Store = (*S3)(nil)

// NewS3 connects to the bucket and makes sure that it is there.
func NewS3(ctx context.Context, o S3Options) (*S3, error) {
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, errors.New("blob: the S3 endpoint must be an https:// or http:// address")
	}
	creds := credentials.NewStaticV4(o.AccessKey, o.SecretKey, "")
	if o.AccessKey == "" {
		creds = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.IAM{}})
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds:      creds,
		Secure:     endpoint.Scheme == "https",
		Region:     o.Region,
		MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	there, err := client.BucketExists(ctx, o.Bucket)
	if err != nil {
		return nil, fmt.Errorf("blob: bucket %q: %w", o.Bucket, err)
	}
	if !there {
		return nil, fmt.Errorf("blob: there is no bucket %q", o.Bucket)
	}
	return &S3{core: minio.Core{Client: client}, bucket: o.Bucket, prefix: o.Prefix, spool: o.SpoolDir}, nil
}

// Put waits on disk until the file is whole, and then sends it as one request with its size and
// hash: S3 checks it and keeps it whole or not at all, and nothing has to wait in memory.
func (s *S3) Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (Info, error) {
	f, err := os.CreateTemp(s.spool, "recado-upload-*")
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	if os.Remove(f.Name()) != nil { // at once, so that a crash leaves nothing behind, where the system allows it
		defer os.Remove(f.Name())
	}
	defer f.Close()
	info, err := copyAll(ctx, f, r, limit)
	if err != nil {
		return Info{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	_, err = s.core.PutObject(ctx, s.bucket, s.key(id), f, info.Size, "", hex.EncodeToString(info.SHA256[:]),
		minio.PutObjectOptions{
			ContentType:          "application/octet-stream", // what it is, the database knows
			DisableContentSha256: true,                       // of pieces: the hash of the whole is sent
		})
	if err != nil {
		return Info{}, s3Error(err)
	}
	return info, nil
}

// Open asks for the size alone. Bytes are fetched when they are read, from where the reader stands,
// so jumping about costs a request only for what is then read.
func (s *S3) Open(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, int64, error) {
	info, err := s.core.StatObject(ctx, s.bucket, s.key(id), minio.StatObjectOptions{})
	if err != nil {
		return nil, 0, s3Error(err)
	}
	fetch := func(from int64) (io.ReadCloser, error) {
		var opts minio.GetObjectOptions
		if from > 0 {
			if err := opts.SetRange(from, 0); err != nil { // to the end
				return nil, err
			}
		}
		body, got, _, err := s.core.GetObject(ctx, s.bucket, s.key(id), opts)
		if err != nil {
			return nil, s3Error(err)
		}
		if got.ETag != info.ETag || got.Size != info.Size-from {
			return nil, errors.Join(errors.New("blob: the file changed while it was read"), body.Close())
		}
		return body, nil
	}
	return &object{size: info.Size, fetch: fetch}, info.Size, nil
}

// Delete removes the object.
func (s *S3) Delete(ctx context.Context, id kernel.ID) error {
	err := s.core.RemoveObject(ctx, s.bucket, s.key(id), minio.RemoveObjectOptions{})
	if err = s3Error(err); errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func (s *S3) key(id kernel.ID) string { return s.prefix + id.String() }

func s3Error(err error) error {
	if err == nil {
		return nil
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return ErrNotFound
	}
	return fmt.Errorf("blob: %w", err)
}

// object reads one S3 object as if it were a file.
type object struct {
	size  int64
	fetch func(from int64) (io.ReadCloser, error)

	at   int64         // where the next Read begins
	body io.ReadCloser // delivers from at on; nil until something is read
}

func (o *object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.body == nil {
		body, err := o.fetch(o.at)
		if err != nil {
			return 0, err
		}
		o.body = body
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	if err == io.EOF && o.at < o.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	case io.SeekStart:
	default:
		return 0, errors.New("blob: seek from nowhere")
	}
	if offset < 0 {
		return 0, errors.New("blob: seek before the beginning")
	}
	if offset != o.at {
		_ = o.Close() // what was fetched from the old place is of no more use
		o.at = offset
	}
	return offset, nil
}

func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	return body.Close()
}
