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

// MaxClosingNote is the maximum length of the note of a closing reason in characters.
const MaxClosingNote = 1000

// MaxReason is the maximum length of a reason in characters.
const MaxReason = 500

const (
	// ServiceWindow is how long free-form messages may be sent after the customer's last message.
	ServiceWindow = 24 * time.Hour
	// MediaLinkLifetime is how long the link to a file is valid.
	MediaLinkLifetime = 10 * time.Minute
	// UnattachedRetention is how long an unused upload is kept.
	UnattachedRetention = 24 * time.Hour
)

// Kinds of subjects.
const (
	SubjectConversation = "conversation" // and its messages, notes, attendances and scheduled messages
	SubjectContact      = "contact"
	SubjectFile         = "file"
)

// ChannelSend is the notification channel on which nodes wake each other's senders.
const ChannelSend = "recado_send"

// Limits of each company.
var (
	limitLabels     = kernel.RegisterLimit("labels", 1_000)
	limitUploads    = kernel.RegisterLimit("uploads", 8)        // concurrent, per node
	LimitMediaBytes = kernel.RegisterSizeLimit("media", 50<<30) // stored files
)

// leaseChannel is the kind of lease held by the node that sends the messages of a channel.
const leaseChannel = "channel"
