package talk

// Labels are on cards too, so their tests are outside of the package.
var (
	TakeOffLabel  = takeOffLabel
	RemoveLabel   = removeLabel
	RemovedLabels = removedLabels
)

// RemovalBatch is how many things a label is taken off in one transaction.
const RemovalBatch = removalBatch
