'use strict'

const ROWS = 'INSERT INTO entries (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[])'

/** A group: what came while another was written. */
class Groups {
  groups = 0
  again = 0
  #commit
  #waiting = []
  #running = null

  /** @param {(documents: Array<{ id: string, text: string }>, groups: Groups) => Promise<void>} commit */
  constructor (commit) { this.#commit = commit }

  /** @param {string} id @param {string} text */
  write (id, text) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, text, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  async #run () {
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0)
      this.groups++
      await this.#commit(group, this).then(() => { for (const { resolve } of group) resolve() }, error => { for (const { reject } of group) reject(error) })
    }
    this.#running = null
  }
}

/** The keys and values of documents: the document, and its place in the order of changes. */
function rowsOf (documents, seq) {
  const keys = []
  const values = []
  documents.forEach(({ id, text }, i) => {
    const place = String(seq + i + 1).padStart(16, '0')
    keys.push(Buffer.from(`d${id}`), Buffer.from(`s${place}`))
    values.push(Buffer.from(`${place}${text}`), Buffer.from(id))
  })
  return [keys, values]
}

/** @param {import('pg').Pool} pool */
function owner (pool) {
  let seq = 0
  const text = `WITH fence AS (SELECT 1 FROM leases WHERE name = 'db' AND token = $3 FOR SHARE) ${ROWS} WHERE EXISTS (SELECT 1 FROM fence) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  return new Groups(async documents => {
    const { rowCount } = await pool.query({ name: 'owner', text, values: [...rowsOf(documents, seq), 1] })
    if (rowCount === 0) throw new Error('fenced')
    seq += documents.length
  })
}

/** @param {import('pg').Pool} pool */
function head (pool) {
  let seq = 0
  const text = `WITH head AS (UPDATE heads SET seq = $4 WHERE name = 'db' AND seq = $3 RETURNING 1) ${ROWS} WHERE EXISTS (SELECT 1 FROM head) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  return new Groups(async (documents, groups) => {
    for (;;) {
      const next = seq + documents.length
      const { rowCount } = await pool.query({ name: 'head', text, values: [...rowsOf(documents, seq), seq, next] })
      if (rowCount > 0) {
        seq = next
        return
      }
      groups.again++
      const { rows: [row] } = await pool.query({ name: 'seq', text: "SELECT seq FROM heads WHERE name = 'db'" })
      seq = Number(row.seq)
    }
  })
}

/** @param {import('pg').Pool} pool with a connection for each client */
function statement (pool) {
  const text = `WITH head AS (UPDATE heads SET seq = seq + 1 WHERE name = 'db' RETURNING seq)
    INSERT INTO entries (key, value) SELECT $1::bytea, convert_to(lpad(seq::text, 16, '0') || $2::text, 'UTF8') FROM head
    UNION ALL SELECT convert_to('s' || lpad(seq::text, 16, '0'), 'UTF8'), $1::bytea FROM head ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  return {
    groups: 1,
    again: 0,
    write: (id, content) => pool.query({ name: 'statement', text, values: [Buffer.from(`d${id}`), content] })
  }
}

const writers = { owner, head, statement }

module.exports = { writers }
