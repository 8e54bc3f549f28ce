package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gocloud.dev/gcerrors"

	"github.com/loopgauge/loopgauge/ingest"
)

// stores are what differs between the stores in what a user can do.
var stores = map[string]struct{ credentials, rights, bucket, settings string }{
	"s3": {
		"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; a public bucket is read with ?anonymous=true",
		"it takes s3:ListBucket and s3:GetObject to read, s3:PutObject and s3:DeleteObject to write",
		"its region is AWS_REGION or ?region=...; a store that is not Amazon's is AWS_ENDPOINT_URL or ?endpoint=https://...&use_path_style=true",
		"region, endpoint, profile, use_path_style, anonymous",
	},
	"gs": {
		"run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS; a public bucket is read with ?anonymous=true",
		"it takes the role Storage Object Viewer to read, Storage Object User to write",
		"see that it is spelt as in gcloud storage ls",
		"anonymous",
	},
	"azblob": {
		"set AZURE_STORAGE_ACCOUNT, and AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run az login",
		"it takes the role Storage Blob Data Reader to read, Storage Blob Data Contributor to write",
		"the bucket is a container; its account is AZURE_STORAGE_ACCOUNT or ?storage_account=...",
		"storage_account, domain, protocol",
	},
}

// fail names the object, or the bucket where there is no key, in an error.
func (n *name) fail(key string, err error, hint string) *ingest.Error {
	return &ingest.Error{Path: n.object(key), Err: err, Hint: hint}
}

// Signs, in what the stores' libraries say, of who asks not being known.
var (
	noCredentials = []string{"credentials", "no identity", "AZURE_STORAGE_ACCOUNT", "AccountName"}
	badSignature  = []string{"SignatureDoesNotMatch", "InvalidAccessKeyId", "AuthenticationFailed", "ExpiredToken", "InvalidClientTokenId", "InvalidToken", "invalid_grant", "Server failed to authenticate", "decode account key"}
	wrongClock    = []string{"RequestTimeTooSkewed"}
	archived      = []string{"InvalidObjectState", "BlobArchived"}
	busy          = []string{"SlowDown", "StatusCode: 500", "StatusCode: 503", "ServerBusy", "InternalError", "Error 429", "Error 500", "Error 503"}
	denied        = []string{"AccessDenied", "AuthorizationPermissionMismatch", "AuthorizationFailure", "StatusCode: 403", "Error 403", "403 Forbidden"}
	noRegion      = []string{"Missing Region", "Invalid region", "PermanentRedirect", "MovedPermanently", "StatusCode: 301", "AuthorizationHeaderMalformed"}
	noServer      = []string{"connection refused", "no such host", "i/o timeout"}
	nobody        = []string{"IMDS role", "DefaultAzureCredential"} // the machine was asked last, which need not be there
)

// explain says what went wrong with a bucket or, if there is a key, an object.
func (n *name) explain(key string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	says := func(signs []string) bool {
		return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(err.Error(), s) })
	}
	store := stores[n.scheme]
	code := gcerrors.Code(err)
	if unknown := unknownSetting.FindStringSubmatch(err.Error()); unknown != nil {
		return n.fail(key, fmt.Errorf("%s is no setting of %s://", unknown[1], n.scheme), "the settings are those of gocloud.dev/blob, such as "+store.settings)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // which would pass for the end
		return n.fail(key, errors.New("the store broke the connection off"), "run it again")
	}
	if errors.Is(err, errCut) {
		return n.fail(key, errCut, "name less at once, such as the folder of a day")
	}
	if says(nobody) {
		return n.fail(key, errors.New("no credentials"), store.credentials)
	}
	unsent, _ := errors.AsType[*url.Error](err)
	if unsent != nil {
		err = unsent.Err // its address may have a signature in it
	}
	switch {
	case says(archived):
		return n.fail(key, errors.New("the object is archived"), "restore it first")
	case says(wrongClock):
		return n.fail(key, errors.New("this machine's clock is not the store's"), "set it right")
	case says(busy):
		return n.fail(key, errors.New("the store is too busy, or fails"), "run it again later")
	case says(badSignature):
		return n.fail(key, errors.New("the store does not accept these credentials"), store.credentials)
	case code == gcerrors.PermissionDenied, says(denied):
		return n.fail(key, errors.New("access denied"), store.rights)
	case says(noRegion):
		return n.fail(key, errors.New("the bucket is in no region, or in another one"), store.bucket)
	case code == gcerrors.NotFound && key == "" && !says(noServer):
		return n.fail(key, errors.New("no such bucket"), store.bucket)
	case code == gcerrors.NotFound && !says(noServer):
		return n.fail(key, errors.New("no such object"), "")
	case says(noServer):
		if dial, ok := errors.AsType[*net.OpError](err); ok {
			err = dial
		}
		return n.fail(key, fmt.Errorf("the store cannot be reached: %w", err), store.bucket)
	case says(noCredentials):
		return n.fail(key, errors.New("no credentials"), store.credentials)
	case unsent != nil:
		return n.fail(key, fmt.Errorf("the store cannot be reached: %w", err), store.bucket)
	}
	if text := err.Error(); strings.Contains(text, unchecked) && !strings.Contains(n.settings, unchecked) { // it is ours
		err = errors.New(strings.NewReplacer("&"+unchecked+"="+whenRequired, "", "?"+unchecked+"="+whenRequired, "").Replace(text))
	}
	return n.fail(key, err, "")
}

// unknownSetting is what the openers say of a setting that they do not know.
var unknownSetting = regexp.MustCompile(`(?:unknown|invalid) query parameter "?([^" ]+)`)
