-- The bytes an entry's hash covers, layout version 1. Released: never edit this file. The verifier rebuilds
-- the same bytes from values in Python and shares nothing with this; both must meet the published vectors.
--
--   "pitledger:entry" 0x00      16 bytes, the domain tag
--   hash version                int2        (all integers big-endian, two's complement)
--   stream name                 text        (text = int4 length in bytes, then UTF-8)
--   seq                         int8
--   entry id, command id        16 + 16 bytes
--   kind                        text
--   actor                       16 bytes
--   terminal                    1 byte 0 or 1, then 16 bytes (zero when there is none)
--   recorded at, occurred at    int8 + int8, microseconds since 1970-01-01T00:00:00Z
--   payload digest              32 bytes
--   reverses                    1 byte 0 or 1, then 16 bytes (zero when there is none)
--   previous hash               32 bytes (zero for the first entry)
--   number of movements         int4
--   each movement, by line      source name text, target name text, asset text, amount int8
--
-- Bodies are parsed when created (RETURN), so no search_path can change what they call. textsend() is not
-- used: it speaks the client's encoding. The database is UTF8, so a text's own length is that of its bytes.

CREATE FUNCTION public.ledger_text_bytes(p_value text) RETURNS bytea
LANGUAGE sql STABLE
RETURN int4send(octet_length(p_value)) || convert_to(p_value, 'UTF8');

CREATE FUNCTION public.ledger_uuid_bytes(p_value uuid) RETURNS bytea
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN p_value IS NULL THEN '\x0000000000000000000000000000000000'::bytea
    ELSE '\x01'::bytea || uuid_send(p_value)
END;

CREATE FUNCTION public.ledger_time_bytes(p_value timestamptz) RETURNS bytea
LANGUAGE sql STABLE
RETURN int8send((extract(epoch FROM p_value) * 1000000)::bigint);

CREATE FUNCTION public.ledger_movement_bytes(p_source text, p_target text, p_asset text, p_amount bigint)
RETURNS bytea
LANGUAGE sql STABLE
RETURN public.ledger_text_bytes(p_source) || public.ledger_text_bytes(p_target)
    || public.ledger_text_bytes(p_asset) || int8send(p_amount);

CREATE FUNCTION public.ledger_entry_hash(
    p_version smallint, p_stream text, p_seq bigint, p_entry uuid, p_command uuid, p_kind text, p_actor uuid,
    p_terminal uuid, p_recorded timestamptz, p_occurred timestamptz, p_digest bytea, p_reverses uuid,
    p_previous bytea, p_movement_count integer, p_movement_bytes bytea
) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(
    '\x7069746c65646765723a656e74727900'::bytea
    || int2send(p_version)
    || public.ledger_text_bytes(p_stream)
    || int8send(p_seq)
    || uuid_send(p_entry)
    || uuid_send(p_command)
    || public.ledger_text_bytes(p_kind)
    || uuid_send(p_actor)
    || public.ledger_uuid_bytes(p_terminal)
    || public.ledger_time_bytes(p_recorded)
    || public.ledger_time_bytes(p_occurred)
    || p_digest
    || public.ledger_uuid_bytes(p_reverses)
    || p_previous
    || int4send(p_movement_count)
    || p_movement_bytes
);
