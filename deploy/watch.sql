-- What is to be looked at every minute, with the rights of the application:
--
--     sudo -u pitledger psql -X -h /run/postgresql -d pitledger -f deploy/watch.sql

-- Findings nobody has read yet. A critical one wakes somebody.
SELECT severity, code, count(*), min(first_seen) AS since
  FROM audit_finding WHERE status = 'open' GROUP BY severity, code ORDER BY severity, code;

-- What workers have still to do, oldest first: an export or the check of a day takes minutes, all else seconds.
SELECT topic, count(*), now() - min(created_at) AS oldest
  FROM tables_outboxitem WHERE done_at IS NULL GROUP BY topic ORDER BY oldest DESC;
