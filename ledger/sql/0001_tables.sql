-- The journal's tables. Released: never edit this file, write a new numbered one.
--
-- Integers before texts, so that no row wastes bytes on padding. Names and kinds are plain ASCII by
-- constraint: they need no escaping in canonical JSON and have one spelling only. Lengths are not counted by
-- the regular expressions: {0,99} makes them ten times as slow, and an account is checked at every posting.
-- There is no foreign key from ledger_entry or ledger_movement: the posting functions resolve streams and
-- accounts under the head's lock, and a key check per row would lock account rows once more for nothing.

DO $check$
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the journal hashes UTF-8 bytes: the database must be UTF8, it is %',
            current_setting('server_encoding');
    END IF;
END
$check$;

-- One independent chain: a table, a cage, an office.
CREATE TABLE public.ledger_stream (
    id integer GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    CONSTRAINT ledger_stream_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_stream_name_key UNIQUE (name),
    CONSTRAINT ledger_stream_name_form CHECK (name ~ '^[a-z][a-z0-9_.:-]*$' AND octet_length(name) <= 100)
);

-- The end of each chain, and the one lock that every posting to the stream takes first. Half of each page
-- is left free so that updates stay on their page (HOT) and touch no index.
CREATE TABLE public.ledger_head (
    seq bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    stream_id integer NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT ledger_head_pkey PRIMARY KEY (stream_id),
    CONSTRAINT ledger_head_stream_fkey FOREIGN KEY (stream_id) REFERENCES public.ledger_stream (id),
    CONSTRAINT ledger_head_seq_range CHECK (seq >= 1),
    CONSTRAINT ledger_head_hash_length CHECK (octet_length(hash) = 32)
) WITH (fillfactor = 50);

-- A place for one asset within one stream. floor NULL: a boundary account, which may go below zero.
-- The floor is judged on what an entry leaves behind, not between its movements.
CREATE TABLE public.ledger_account (
    floor bigint,
    balance bigint NOT NULL DEFAULT 0,
    opened_seq bigint NOT NULL,
    id integer GENERATED ALWAYS AS IDENTITY,
    stream_id integer NOT NULL,
    name text NOT NULL,
    asset text NOT NULL,
    CONSTRAINT ledger_account_pkey PRIMARY KEY (id),
    CONSTRAINT ledger_account_stream_name_key UNIQUE (stream_id, name),
    CONSTRAINT ledger_account_stream_fkey FOREIGN KEY (stream_id) REFERENCES public.ledger_stream (id),
    CONSTRAINT ledger_account_name_form CHECK (name ~ '^[a-z][a-z0-9_.:-]*$' AND octet_length(name) <= 100),
    CONSTRAINT ledger_account_asset_form CHECK (
        asset ~ '^[a-z][a-z0-9_]*:[A-Z0-9]+$'
        AND strpos(asset, ':') <= 31 AND octet_length(asset) - strpos(asset, ':') <= 12
    ),
    CONSTRAINT ledger_account_floor_range CHECK (floor BETWEEN -9007199254740991 AND 0),
    CONSTRAINT ledger_account_balance_range CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT ledger_account_floor_kept CHECK (balance >= floor)
) WITH (fillfactor = 70);

-- payload is the canonical JSON text whose UTF-8 bytes payload_digest is the SHA-256 of.
CREATE TABLE public.ledger_entry (
    seq bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    occurred_at timestamptz NOT NULL,
    stream_id integer NOT NULL,
    hash_version smallint NOT NULL,
    id uuid NOT NULL,
    command_id uuid NOT NULL,
    actor uuid NOT NULL,
    terminal uuid,
    reverses uuid,
    kind text NOT NULL,
    payload text NOT NULL,
    payload_digest bytea NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT ledger_entry_pkey PRIMARY KEY (stream_id, seq),
    CONSTRAINT ledger_entry_id_key UNIQUE (id),
    CONSTRAINT ledger_entry_command_key UNIQUE (stream_id, command_id),
    CONSTRAINT ledger_entry_seq_range CHECK (seq >= 1),
    CONSTRAINT ledger_entry_kind_form CHECK (kind ~ '^[a-z][a-z0-9_.]*$' AND octet_length(kind) <= 64),
    CONSTRAINT ledger_entry_lengths CHECK (
        octet_length(payload_digest) = 32 AND octet_length(previous_hash) = 32 AND octet_length(hash) = 32
    )
);
CREATE UNIQUE INDEX ledger_entry_reverses_key ON public.ledger_entry (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX ledger_entry_recorded_brin ON public.ledger_entry USING brin (recorded_at);

-- amount goes from source to target: balanced by construction. The asset is that of both accounts, which
-- never changes; the hash covers it, and the accounts' names, for every movement.
CREATE TABLE public.ledger_movement (
    seq bigint NOT NULL,
    amount bigint NOT NULL,
    stream_id integer NOT NULL,
    source_id integer NOT NULL,
    target_id integer NOT NULL,
    line smallint NOT NULL,
    CONSTRAINT ledger_movement_pkey PRIMARY KEY (stream_id, seq, line),
    CONSTRAINT ledger_movement_amount_range CHECK (amount BETWEEN 1 AND 9007199254740991),
    CONSTRAINT ledger_movement_line_range CHECK (line >= 1),
    CONSTRAINT ledger_movement_two_places CHECK (source_id <> target_id)
);
