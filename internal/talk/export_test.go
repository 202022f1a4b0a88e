package talk

// The tests of labels are outside the package, because cards have labels too.
var (
	TakeOffLabel  = takeOffLabel
	RemoveLabel   = removeLabel
	RemovedLabels = removedLabels
)

// RemovalBatch is the number of rows that a label is removed from in one transaction.
const RemovalBatch = removalBatch
