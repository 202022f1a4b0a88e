package talk

import (
	"time"

	"recado/internal/kernel"
)

// Limits on uploaded files by kind, in bytes.
const (
	MaxImage      = 5 << 20
	MaxSticker    = 500 << 10
	MaxAudioVideo = 16 << 20
	MaxDocument   = 100 << 20
	MaxMedia      = MaxDocument // the largest of them
)

// MaxReason is the length of a reason, in characters.
const MaxReason = 500

const (
	// ServiceWindow is how long after a customer's last message free-form messages may be sent.
	ServiceWindow = 24 * time.Hour
	// MediaLinkLifetime is how long the link of a file is valid.
	MediaLinkLifetime = 10 * time.Minute
	// UnattachedRetention is how long an uploaded file is kept that nothing refers to.
	UnattachedRetention = 24 * time.Hour
)

// The kinds of subjects of responses.
const (
	SubjectConversation = "conversation" // and its messages, notes, attendances and scheduled messages
	SubjectContact      = "contact"
	SubjectFile         = "file"
)

// ChannelSend is the name under which nodes wake each other's senders.
const ChannelSend = "recado_send"

// Limits of each company.
var (
	limitLabels     = kernel.RegisterLimit("labels", 1_000)
	limitUploads    = kernel.RegisterLimit("uploads", 8)        // at once on a node
	LimitMediaBytes = kernel.RegisterSizeLimit("media", 50<<30) // stored files
)

// leaseChannel is the kind of lease that the node has which sends through a channel.
const leaseChannel = "channel"
