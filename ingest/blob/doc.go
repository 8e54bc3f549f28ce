// Package blob reads logs from object stores, and puts datasets into them:
// Amazon S3 and what speaks its protocol (s3://), Google Cloud Storage (gs://)
// and Azure Blob Storage (azblob://), by gocloud.dev/blob.
//
// A name is SCHEME://BUCKET/KEY?SETTING=VALUE&..., where the settings are those
// of gocloud.dev's openers, such as region and endpoint. Nothing of a key is
// escaped. Credentials are looked for where the store's own tools look, and only
// when a name of that store is given.
package blob
