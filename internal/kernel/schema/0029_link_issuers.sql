-- Who issued a link or an invitation: a member, with a key or with a session. NULL: the operator.
ALTER TABLE reset_links ADD COLUMN issuer UUID;
ALTER TABLE reset_links ADD COLUMN issuer_key UUID;
ALTER TABLE invitations ADD COLUMN issuer UUID;
ALTER TABLE invitations ADD COLUMN issuer_key UUID;

-- Whether a viewer waits to be confirmed, after another person made the link with which they set their password.
ALTER TABLE channel_viewers ADD COLUMN pending BOOLEAN NOT NULL DEFAULT FALSE;
