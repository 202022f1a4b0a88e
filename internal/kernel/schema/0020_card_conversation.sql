-- The cards of a conversation are listed beside it.
CREATE INDEX cards_conversation ON cards (company, conversation, id) WHERE conversation IS NOT NULL;
