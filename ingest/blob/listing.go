package blob

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	"gocloud.dev/blob"
)

// allUnder asks for the objects whose keys begin so.
func allUnder(prefix string) *blob.ListOptions {
	return &blob.ListOptions{Prefix: prefix, BeforeList: checkCut}
}

// first is the first of the keys that begin so, empty if there is none.
func (n *name) first(ctx context.Context, b *blob.Bucket, prefix string) (string, error) {
	objects, failed := b.List(allUnder(prefix)).All(ctx)
	for o := range objects {
		return o.Key, nil
	}
	if err := failed(); err != nil {
		return "", n.explain("", err)
	}
	return "", nil
}

// errCut is that of a store which leaves out how a listing goes on.
var errCut = errors.New("the store says that there are more objects, and not how to list them")

// checkCut makes Amazon's library look whether a listing that is cut says how it
// goes on: who asks for the next page takes it for the last one.
func checkCut(as func(any) bool) error {
	var options *[]func(*s3.Options)
	if !as(&options) {
		return nil // another store
	}
	*options = append(*options, s3.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("loopgauge.cut", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) { //nolint:misspell // as Amazon has it
			out, more, err := next.HandleInitialize(ctx, in)
			if page, ok := out.Result.(*s3.ListObjectsV2Output); ok && err == nil && aws.ToBool(page.IsTruncated) && aws.ToString(page.NextContinuationToken) == "" {
				err = errCut
			}
			return out, more, err
		}), middleware.Before)
	}))
	return nil
}
