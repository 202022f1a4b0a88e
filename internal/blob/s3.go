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

// S3Options name a bucket and the credentials for it.
type S3Options struct {
	Endpoint string // https://s3.sa-east-1.amazonaws.com or, on the same network, http://
	Region   string // requested from the server when empty
	Bucket   string // must exist
	Prefix   string // prefix of every key, such as "recado/"

	// Without keys, the AWS environment variables and then the role of the machine are used.
	AccessKey string
	SecretKey string

	// SpoolDir holds uploads until they are complete; the system's temporary folder when empty.
	SpoolDir string
}

// S3 stores each file as an object in a bucket.
type S3 struct {
	core   minio.Core
	bucket string
	prefix string
	spool  string
}

var _ Store = (*S3)(nil)

// NewS3 connects to a bucket and checks that it exists.
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
		Creds: creds, Secure: endpoint.Scheme == "https", Region: o.Region, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	exists, err := client.BucketExists(ctx, o.Bucket)
	if err != nil {
		return nil, fmt.Errorf("blob: bucket %q: %w", o.Bucket, err)
	}
	if !exists {
		return nil, fmt.Errorf("blob: there is no bucket %q", o.Bucket)
	}
	return &S3{core: minio.Core{Client: client}, bucket: o.Bucket, prefix: o.Prefix, spool: o.SpoolDir}, nil
}

// Put spools the file on disk, then sends it in one request with its size and hash. S3 verifies the hash and stores
// the file atomically.
func (s *S3) Put(ctx context.Context, id kernel.ID, r io.Reader, limit int64) (Info, error) {
	f, err := os.CreateTemp(s.spool, "recado-upload-*")
	if err != nil {
		return Info{}, fmt.Errorf("blob: %w", err)
	}
	if os.Remove(f.Name()) != nil { // now, where the system allows it, so that a crash leaves nothing behind
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
			ContentType:          "application/octet-stream",
			DisableContentSha256: true, // of parts: the hash of the whole file is sent
		})
	if err != nil {
		return Info{}, s3Error(err)
	}
	return info, nil
}

// Open requests only the size. Content is fetched from the current position when it is read.
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

// Delete removes a file.
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

// object reads an S3 object like a file.
type object struct {
	size  int64
	fetch func(from int64) (io.ReadCloser, error)

	at   int64         // position of the next Read
	body io.ReadCloser // content from at; nil until the first Read
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
		return 0, errors.New("blob: invalid whence")
	}
	if offset < 0 {
		return 0, errors.New("blob: seek before the beginning")
	}
	if offset != o.at {
		_ = o.Close()
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
