'use strict'

// Every statement that is sent, for a prefix of the tables. The README has them all; a test compares.
// They are PostgreSQL's, CockroachDB's and YugabyteDB's alike.

/**
 * @typedef {import('./wire').Statement} Statement
 * @typedef {ReturnType<typeof makeStatements>} Statements
 */

/** @param {string} name @param {string} text @returns {Statement} */
function statement (name, text) { return { name, text } }

/** @param {string} prefix of the tables: an identifier */
function makeStatements (prefix) {
  return Object.freeze({ ...transactions, ...tables(prefix), ...reads(prefix), ...pages(prefix), ...writes(prefix), ...leases(prefix) })
}

const transactions = {
  settings: (/** @type {number} */ limit, /** @type {number} */ idle) => [
    statement('', `SET statement_timeout = ${limit}`),
    statement('', `SET idle_in_transaction_session_timeout = ${idle}`)
  ],
  readOnly: statement('read_only', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
  serializable: statement('serializable', 'BEGIN ISOLATION LEVEL SERIALIZABLE'),
  readCommitted: statement('read_committed', 'BEGIN ISOLATION LEVEL READ COMMITTED'),
  now: statement('now', 'SELECT 1'),
  commit: statement('commit', 'COMMIT'),
  rollback: statement('rollback', 'ROLLBACK'),
  showCommit: statement('', 'SHOW synchronous_commit'),
  showSync: statement('', 'SHOW fsync'),
  showVersion: statement('', 'SELECT version()')
}

/** @param {string} p */
const tables = p => ({
  find: statement('', `SELECT 1 FROM ${p}_entries, ${p}_batches, ${p}_servers, ${p}_leases LIMIT 0`),
  create: [
    statement('', `CREATE TABLE IF NOT EXISTS ${p}_entries (key bytea PRIMARY KEY, tail bytea, value bytea NOT NULL)`),
    statement('', `CREATE TABLE IF NOT EXISTS ${p}_batches (id bytea PRIMARY KEY, written boolean NOT NULL DEFAULT true, at timestamptz NOT NULL DEFAULT now())`),
    statement('', `CREATE TABLE IF NOT EXISTS ${p}_servers (id text PRIMARY KEY, address text NOT NULL, load text NOT NULL DEFAULT '{}', seen timestamptz NOT NULL DEFAULT now())`),
    statement('', `CREATE TABLE IF NOT EXISTS ${p}_leases (name text PRIMARY KEY, server text, token bigint NOT NULL)`)
  ]
})

/** @param {string} p */
const reads = p => ({
  get: statement('get', `SELECT value FROM ${p}_entries WHERE key = $1::bytea`),
  getMany: statement('get_many', `SELECT key, value FROM ${p}_entries WHERE key = ANY ($1::bytea[])`),
  hasMany: statement('has_many', `SELECT key FROM ${p}_entries WHERE key = ANY ($1::bytea[])`)
})

/** @param {string} p @returns {Record<string, Statement>} by what is wanted of the entries, and the direction */
function pages (p) {
  /** @type {Record<string, Statement>} */
  const made = {}
  for (const [what, columns] of [['entries', 'key, tail, value'], ['keys', 'key, tail']]) {
    for (const [direction, order] of [['forward', 'key'], ['reverse', 'key DESC']]) {
      const name = `${what}_${direction}`
      made[name] = statement(name, `SELECT ${columns} FROM ${p}_entries WHERE key >= $1::bytea AND key < $2::bytea ORDER BY ${order} LIMIT $3::bigint`)
    }
  }
  return made
}

/**
 * A write checks the fence, notes its id, and does its work only if both went well: one row is the answer then.
 *
 * @param {string} p
 */
function writes (p) {
  const fence = (/** @type {number} */ at) => `fence AS (SELECT 1 FROM ${p}_leases WHERE name = $${at}::text AND token = $${at + 1}::bigint FOR SHARE)`
  const plain = `batch AS (INSERT INTO ${p}_batches (id) VALUES ($1::bytea) RETURNING id)`
  const behind = `batch AS (INSERT INTO ${p}_batches (id) SELECT $1::bytea WHERE EXISTS (SELECT 1 FROM fence) RETURNING id)`
  const allowed = 'EXISTS (SELECT 1 FROM batch)'
  const removed = `removed AS (DELETE FROM ${p}_entries WHERE key = ANY ($2::bytea[]) AND ${allowed})`
  const added = `added AS (INSERT INTO ${p}_entries (key, tail, value) SELECT key, tail, value FROM unnest($3::bytea[], $4::bytea[], $5::bytea[]) AS new (key, tail, value) WHERE ${allowed} ON CONFLICT (key) DO UPDATE SET value = excluded.value)`
  const cleared = `cleared AS (DELETE FROM ${p}_entries WHERE key IN (SELECT key FROM ${p}_entries WHERE key >= $2::bytea AND key < $3::bytea ORDER BY key LIMIT $4::bigint) AND ${allowed} RETURNING key)`
  const answer = 'SELECT id FROM batch'
  const count = 'SELECT (SELECT count(*) FROM cleared)::text FROM batch'
  return {
    batch: statement('batch', `WITH ${plain}, ${removed}, ${added} ${answer}`),
    fencedBatch: statement('fenced_batch', `WITH ${fence(6)}, ${behind}, ${removed}, ${added} ${answer}`),
    clear: statement('clear', `WITH ${plain}, ${cleared} ${count}`),
    fencedClear: statement('fenced_clear', `WITH ${fence(5)}, ${behind}, ${cleared} ${count}`),
    // A batch that is too large for one statement has several of these before its last.
    part: statement('part', `WITH removed AS (DELETE FROM ${p}_entries WHERE key = ANY ($1::bytea[])) INSERT INTO ${p}_entries (key, tail, value) SELECT key, tail, value FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS new (key, tail, value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`),
    // It writes in either case: so its answer waits for the standby, as that of the batch did.
    outcome: statement('outcome', `INSERT INTO ${p}_batches (id, written) VALUES ($1::bytea, false) ON CONFLICT (id) DO UPDATE SET written = ${p}_batches.written RETURNING written::text`),
    forget: statement('forget', `DELETE FROM ${p}_batches WHERE id = ANY ($1::bytea[])`),
    forgetOld: statement('forget_old', `DELETE FROM ${p}_batches WHERE at < now() - interval '1 hour'`)
  }
}

/** @param {string} p */
function leases (p) {
  const age = 'extract(epoch FROM now() - s.seen)::text'
  return {
    beat: statement('beat', `WITH beat AS (INSERT INTO ${p}_servers (id, address, load, seen) VALUES ($1::text, $2::text, $3::text, now()) ON CONFLICT (id) DO UPDATE SET address = excluded.address, load = excluded.load, seen = excluded.seen RETURNING id) SELECT s.id, s.address, s.load, ${age} FROM ${p}_servers s WHERE s.seen > now() - $4::double precision * interval '1 second' OR s.id IN (SELECT id FROM beat)`),
    holder: statement('holder', `SELECT l.server, l.token::text, s.address, ${age} FROM ${p}_leases l LEFT JOIN ${p}_servers s ON s.id = l.server WHERE l.name = $1::text`),
    begin: statement('begin_lease', `INSERT INTO ${p}_leases (name, server, token) VALUES ($1::text, $2::text, 1) ON CONFLICT (name) DO NOTHING RETURNING token::text`),
    take: statement('take_lease', `UPDATE ${p}_leases SET server = $2::text, token = token + 1 WHERE name = $1::text AND token = $3::bigint RETURNING token::text`),
    give: statement('give_lease', `UPDATE ${p}_leases SET server = nullif($4::text, ''), token = token + 1 WHERE name = $1::text AND server = $2::text AND token = $3::bigint RETURNING token::text`),
    giveAll: statement('give_leases', `UPDATE ${p}_leases SET server = NULL, token = token + 1 WHERE server = $1::text`),
    leave: statement('leave', `DELETE FROM ${p}_servers WHERE id = $1::text`),
    forgetServers: statement('forget_servers', `DELETE FROM ${p}_servers WHERE seen < now() - interval '1 day'`),
    owners: statement('owners', `SELECT l.name, l.server, l.token::text, s.address, ${age} FROM ${p}_leases l LEFT JOIN ${p}_servers s ON s.id = l.server WHERE l.server IS NOT NULL`),
    ownersOf: statement('owners_of', `SELECT l.name, l.server, l.token::text, s.address, ${age} FROM ${p}_leases l LEFT JOIN ${p}_servers s ON s.id = l.server WHERE l.server IS NOT NULL AND l.name = ANY ($1::text[])`)
  }
}

module.exports = { makeStatements }
