// Package chatwoot has the schema of Chatwoot's database for tests and measurements of the import.
package chatwoot

// Schema has the columns of Chatwoot's public schema that matter here.
const Schema = `
CREATE TABLE accounts (id serial PRIMARY KEY, name varchar NOT NULL, created_at timestamp NOT NULL);
CREATE TABLE users (id serial PRIMARY KEY, name varchar NOT NULL, email varchar);
CREATE TABLE account_users (id bigserial PRIMARY KEY, account_id bigint, user_id bigint, role integer DEFAULT 0);
CREATE TABLE teams (id bigserial PRIMARY KEY, name varchar NOT NULL, account_id bigint NOT NULL);
CREATE TABLE team_members (id bigserial PRIMARY KEY, team_id bigint NOT NULL, user_id bigint NOT NULL);
CREATE TABLE labels (id bigserial PRIMARY KEY, title varchar, color varchar DEFAULT '#1f93ff' NOT NULL, account_id bigint);
CREATE TABLE tags (id serial PRIMARY KEY, name varchar);
CREATE TABLE taggings (id serial PRIMARY KEY, tag_id integer, taggable_type varchar, taggable_id integer, context varchar(128));
CREATE TABLE inboxes (id serial PRIMARY KEY, channel_id integer NOT NULL DEFAULT 1, account_id integer NOT NULL, name varchar NOT NULL, channel_type varchar);
CREATE TABLE contacts (id serial PRIMARY KEY, name varchar DEFAULT '', email varchar, phone_number varchar, account_id integer NOT NULL,
	created_at timestamp NOT NULL DEFAULT '2024-01-01', additional_attributes jsonb DEFAULT '{}', custom_attributes jsonb DEFAULT '{}', blocked boolean DEFAULT false NOT NULL);
CREATE TABLE contact_inboxes (id bigserial PRIMARY KEY, contact_id bigint, inbox_id bigint, source_id varchar NOT NULL);
CREATE TABLE conversations (id serial PRIMARY KEY, account_id integer NOT NULL, inbox_id integer NOT NULL, status integer DEFAULT 0 NOT NULL, assignee_id integer,
	contact_id bigint, contact_inbox_id bigint, created_at timestamp NOT NULL, last_activity_at timestamp NOT NULL, team_id bigint, snoozed_until timestamp,
	first_reply_created_at timestamp, waiting_since timestamp);
CREATE TABLE messages (id serial PRIMARY KEY, content text, account_id integer NOT NULL DEFAULT 1, inbox_id integer NOT NULL, conversation_id integer NOT NULL,
	message_type integer NOT NULL, created_at timestamp NOT NULL, updated_at timestamp NOT NULL DEFAULT '2024-06-01', private boolean DEFAULT false NOT NULL,
	status integer DEFAULT 0, source_id varchar, content_attributes json DEFAULT '{}', sender_type varchar, sender_id bigint);
CREATE INDEX index_messages_on_conversation_id ON messages (conversation_id);
CREATE TABLE attachments (id serial PRIMARY KEY, file_type integer DEFAULT 0, external_url varchar, coordinates_lat float DEFAULT 0, coordinates_long float DEFAULT 0,
	message_id integer NOT NULL, fallback_title varchar);
CREATE TABLE active_storage_attachments (id bigserial PRIMARY KEY, name varchar NOT NULL, record_type varchar NOT NULL, record_id bigint NOT NULL, blob_id bigint NOT NULL);
CREATE TABLE active_storage_blobs (id bigserial PRIMARY KEY, key varchar NOT NULL, filename varchar NOT NULL, content_type varchar);
CREATE TABLE canned_responses (id serial PRIMARY KEY, account_id integer NOT NULL, short_code varchar, content text);
CREATE TABLE reporting_events (id bigserial PRIMARY KEY, name varchar, account_id integer, conversation_id integer, created_at timestamp NOT NULL, event_end_time timestamp);`
