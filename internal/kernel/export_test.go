package kernel

import "context"

// AroundOnce is aroundOnce, for the tests on both engines.
var AroundOnce = aroundOnce

// AnswerCall is answerCall.
func AnswerCall[T any](ctx context.Context, db *Store, verb func(tx *Tx) (T, error)) (T, error) {
	return answerCall(ctx, db, verb)
}
