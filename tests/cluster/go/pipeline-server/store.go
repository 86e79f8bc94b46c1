package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"path"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// Store is the server's bucket, backend/src/apiserver/storage/blob_object_store.go.
type Store struct {
	bucket *blob.Bucket
	folder string
}

// openStore is `initBlobObjectStore`, client_manager.go:937.
func openStore(ctx context.Context, c Configuration) (Store, error) {
	name := c.Text("ObjectStoreConfig.BucketName", "")
	client, err := storeClient(ctx, c)
	if err != nil {
		return Store{}, err
	}
	if err := ensureBucket(ctx, client, name); err != nil {
		// It goes on, as the server does.
		log.Printf("Failed to ensure bucket exists: %v", err)
	}
	bucket, err := s3blob.OpenBucketV2(ctx, client, name, nil)
	return Store{bucket, c.Text("ObjectStoreConfig.PipelinePath", "")}, err
}

// storeClient is client_manager.go:988, 1021 and 1037: names of buckets in the path, checksums only where they must be.
func storeClient(ctx context.Context, c Configuration) (*s3.Client, error) {
	of := func(name string) string { return c.Text("ObjectStoreConfig."+name, "") }
	region := of("Region")
	if region == "" {
		region = "us-east-1"
	}
	chosen := []func(*config.LoadOptions) error{
		config.WithRegion(region),
		config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired),
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired),
	}
	if key, secret := of("AccessKey"), of("SecretAccessKey"); key != "" && secret != "" {
		given := credentials.NewStaticCredentialsProvider(key, secret, "")
		chosen = append(chosen, config.WithCredentialsProvider(given))
	}
	settings, err := config.LoadDefaultConfig(ctx, chosen...)
	if err != nil {
		return nil, err
	}
	scheme := "http://"
	if c.Is("ObjectStoreConfig.Secure") {
		scheme = "https://"
	}
	return s3.NewFromConfig(settings, func(options *s3.Options) {
		options.BaseEndpoint = aws.String(fmt.Sprintf("%s%s:%s", scheme, of("Host"), of("Port")))
		options.UsePathStyle = true
	}), nil
}

// ensureBucket is client_manager.go:1112.
func ensureBucket(ctx context.Context, client *s3.Client, name string) error {
	_, err := client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name})
	if err == nil {
		log.Printf("Bucket %s already exists and is accessible", name)
		return nil
	}
	var refused smithy.APIError
	if !errors.As(err, &refused) || (refused.ErrorCode() != "NotFound" && refused.ErrorCode() != "NoSuchBucket") {
		return err
	}
	_, err = client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	return err
}

// key is blob_object_store.go:38.
func (s Store) key(pipeline string) string {
	return path.Join(s.folder, pipeline)
}

// write is blob_object_store.go:42.
func (s Store) write(ctx context.Context, key, text string) error {
	writer, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return err
	}
	if _, err = io.WriteString(writer, text); err != nil {
		return errors.Join(err, writer.Close())
	}
	return writer.Close()
}

// read is blob_object_store.go:69.
func (s Store) read(ctx context.Context, key string) (string, error) {
	reader, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return "", err
	}
	defer reader.Close()
	text, err := io.ReadAll(reader)
	return string(text), err
}
