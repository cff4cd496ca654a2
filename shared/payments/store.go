package payments

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Store keeps records. Implementations: memory, bolt, dynamo; each passes
// [paymentstest.Run].
type Store interface {
	// Load returns the record of a key, or ErrNotFound.
	Load(ctx context.Context, key Key) (Record, error)

	// Save writes r if the stored version equals r.Version (0: none is stored)
	// and returns it with the next version. ErrConflict: someone else wrote; load
	// and decide again. The first Save of a record with an identifier binds that
	// identifier to the payload hash in the same step; ErrIdentifierUsed if the
	// payer used it for another payload of the same product.
	Save(ctx context.Context, r Record) (Record, error)

	// Reserve is Save of a reserved record that also looks at the payer's account, in
	// the same step: ErrPaused while it is paused at r.CreatedAt, ErrFunds if more than
	// room would be committed there, in atomic units (see [Account.Room]). A record
	// whose amount is in the account already fits.
	Reserve(ctx context.Context, r Record, room int64) (Record, error)

	// Submit is Save of a record whose attempt claims r.Attempt.WalletNonce, in
	// one step. ErrNonceTaken if that nonce is below the wallet's next; above it is
	// allowed, since the wallet may have been used elsewhere. A replacement takes
	// the place of the attempt that holds its nonce; ErrNonceTaken if none does.
	Submit(ctx context.Context, r Record) (Record, error)

	// NextNonce is the next nonce of a wallet on a chain instance; known is false
	// until the first Submit.
	NextNonce(ctx context.Context, chain, wallet string) (next uint64, known bool, err error)

	// Attempts lists the signed transactions of a wallet from a nonce on, in
	// order, to send those again that a node lost.
	Attempts(ctx context.Context, chain, wallet string, from uint64) ([]Attempt, error)

	// Identified is the payload hash that an identifier is bound to, or ErrNotFound.
	Identified(ctx context.Context, payer, product, identifier string) (payloadHash string, err error)

	// ByNonce lists the records with an authorization nonce, of all payers.
	ByNonce(ctx context.Context, nonce string) ([]Record, error)

	// ByRequest lists the records of a payer for a request fingerprint that are not
	// [Record.Unused], the newest first, at most [RecentRequests].
	ByRequest(ctx context.Context, payer, fingerprint string) ([]Record, error)

	// Account is what the payments of a payer in an asset add up to, the zero value for
	// nothing. Each write keeps it; see [Record.Next].
	Account(ctx context.Context, asset, payer string) (Account, error)

	// WastedGas is the gas of the reverts of an hour (see [Hour]).
	WastedGas(ctx context.Context, hour int64) (uint64, error)

	// Unfinished lists the keys of records that are open (see [Record.Open]).
	Unfinished(ctx context.Context) ([]Key, error)

	// Due lists those of them for which there may be something to do by a time, without
	// a look at the records themselves. It may list one early (see [Record.Due]), and
	// one that was reserved lately up to the end of its first lease late.
	Due(ctx context.Context, by time.Time) ([]Key, error)
}

// RecentRequests is how many records of equal requests a store lists.
const RecentRequests = 8

// RequestKey names what a payer asked for, for stores.
func RequestKey(payer, fingerprint string) string { return payer + "/" + fingerprint }

// RequestOrder is the place of a record among those of equal requests, for
// stores: the later it was reserved, the greater.
func RequestOrder(r Record) string {
	return fmt.Sprintf("%015d/%s", max(r.CreatedAt.UnixMilli(), 0), r.Key())
}

// IdentifierKey names an identifier within its scope, for stores.
func IdentifierKey(payer, product, identifier string) string {
	return payer + "/" + product + "/" + identifier
}

// WalletKey names a gas wallet on a chain instance, for stores.
func WalletKey(chain, wallet string) string { return chain + "/" + wallet }

// Wallet is the stored form of a wallet address: lower case.
func Wallet(address string) string { return strings.ToLower(address) }
