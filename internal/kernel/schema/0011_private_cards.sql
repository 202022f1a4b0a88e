-- Who made a card: a private card is seen by that person, its assignee, and managers and above. NULL: the system, or
-- not known.
ALTER TABLE cards ADD COLUMN created_by UUID;
CREATE INDEX cards_unseen ON cards (company, id) WHERE (private OR hidden);

-- Private conversations that viewers have in their lists and counts.
CREATE INDEX conversations_private ON conversations (channel, activity_at DESC, id DESC) WHERE private;
