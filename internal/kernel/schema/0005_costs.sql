-- What WhatsApp charges ---------------------------------------------------------------------------

-- Amounts of money are millionths of a unit of their currency.
ALTER TABLE messages ADD COLUMN cost_category TEXT; -- as the provider reports it; NULL: nothing was reported
ALTER TABLE messages ADD COLUMN cost_type TEXT;
ALTER TABLE messages ADD COLUMN cost_billable BOOLEAN;
ALTER TABLE messages ADD COLUMN cost_amount BIGINT; -- NULL: there was no rate
ALTER TABLE messages ADD COLUMN cost_currency TEXT;
ALTER TABLE messages ADD COLUMN cost_day BIGINT; -- for which it counts, such as 20261114
ALTER TABLE messages ADD COLUMN cost_sector UUID;
ALTER TABLE messages ADD COLUMN cost_attendance UUID; -- to which it belongs; of a held message since its release

ALTER TABLE attendances ADD COLUMN cost_amount BIGINT; -- the sum of its messages; NULL: none has an amount
ALTER TABLE attendances ADD COLUMN cost_currency TEXT;

ALTER TABLE early_statuses ADD COLUMN pricing TEXT; -- JSON

-- The prices that a company has entered.
CREATE TABLE cost_settings (
    company      UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    currency     TEXT, -- NULL: there are no prices
    free_service BIGINT NOT NULL -- service messages per number and month
);

CREATE TABLE cost_rates (
    company  UUID   NOT NULL REFERENCES companies (id),
    category TEXT   NOT NULL,
    country  TEXT   NOT NULL, -- or *
    day      BIGINT NOT NULL, -- from this day on, such as 20261114
    amount   BIGINT NOT NULL,
    PRIMARY KEY (company, category, country, day)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE budgets (
    company        UUID   NOT NULL PRIMARY KEY REFERENCES companies (id),
    monthly_amount BIGINT, -- NULL: there is no budget
    warn_percent   BIGINT NOT NULL,
    warned_month   BIGINT NOT NULL -- such as 202611; 0: never
);

-- The figures of the report, by the day of the message in the company's time zone. member and sector are the greatest id if there
-- is none; currency is empty for messages without an amount.
CREATE TABLE cost_lines (
    company  UUID   NOT NULL,
    day      BIGINT NOT NULL,
    channel  UUID   NOT NULL,
    member   UUID   NOT NULL,
    sector   UUID   NOT NULL,
    category TEXT   NOT NULL,
    origin   TEXT   NOT NULL,
    currency TEXT   NOT NULL,
    messages BIGINT NOT NULL,
    billable BIGINT NOT NULL,
    amount   BIGINT NOT NULL,
    PRIMARY KEY (company, day, channel, member, sector, category, origin, currency)
) /*sqlite: WITHOUT ROWID */;

-- What a month has cost so far.
CREATE TABLE cost_months (
    company  UUID   NOT NULL,
    month    BIGINT NOT NULL, -- such as 202611
    currency TEXT   NOT NULL,
    amount   BIGINT NOT NULL,
    PRIMARY KEY (company, month, currency)
) /*sqlite: WITHOUT ROWID */;

-- The billable service messages of a number in a month, some of which are free. A number that is connected again continues its month.
CREATE TABLE cost_services (
    company  UUID   NOT NULL,
    phone    TEXT   NOT NULL,
    month    BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (company, phone, month)
) /*sqlite: WITHOUT ROWID */;

-- Notifications without a conversation ---------------------------------------------------------------

ALTER TABLE notifications RENAME TO notifications_before;
DROP INDEX notifications_unread;
DROP INDEX notifications_age;
CREATE TABLE notifications (
    company      UUID   NOT NULL REFERENCES companies (id),
    member       UUID   NOT NULL,
    id           UUID   NOT NULL,
    kind         TEXT   NOT NULL,
    conversation UUID, -- NULL: it is about the company
    by_member    UUID,
    created_at   BIGINT NOT NULL,
    read_at      BIGINT,
    entry        UUID, -- the note or message to open
    PRIMARY KEY (company, member, id),
    FOREIGN KEY (company, member) REFERENCES users (company, id),
    FOREIGN KEY (company, by_member) REFERENCES users (company, id)
) /*sqlite: WITHOUT ROWID */;
INSERT INTO notifications (company, member, id, kind, conversation, by_member, created_at, read_at, entry)
SELECT company, member, id, kind, conversation, by_member, created_at, read_at, entry FROM notifications_before;
DROP TABLE notifications_before;
CREATE INDEX notifications_unread ON notifications (company, member, id) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);
