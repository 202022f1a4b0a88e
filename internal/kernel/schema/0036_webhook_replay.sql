-- A webhook that is inactive has the position in the feed from which it misses events, and the time. While missed events
-- are being delivered, replay_position and replay_id name the last event that was looked at.
ALTER TABLE webhooks ADD COLUMN missed_position BIGINT;
ALTER TABLE webhooks ADD COLUMN missed_at BIGINT;
ALTER TABLE webhooks ADD COLUMN replay_position BIGINT;
ALTER TABLE webhooks ADD COLUMN replay_id UUID;
ALTER TABLE webhooks ADD COLUMN replay_since BIGINT;
