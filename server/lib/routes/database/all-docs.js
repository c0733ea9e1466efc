'use strict'

const { readList, readLists } = require('../../documents/range-query')
const { writeAllDocs, writeDesignDocs, writeLocalDocs } = require('../../documents/rows')
const { jsonType } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('../../documents/view-query').ViewArgs} ViewArgs */

/** @param {PotorooRequest} req @param {PotorooResponse} res */
function start (req, res) {
  return new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
}

/**
 * `GET` and `POST /{db}/_all_docs` → `{ total_rows, offset, rows }`
 *
 * @param {(out: ResponseWriter, database: AnyDatabase, args: ViewArgs) => Promise<void>} write
 */
function answerOne (write) {
  return async (/** @type {DatabaseRequest} */ req, /** @type {PotorooResponse} */ res) => {
    const args = readList(req, req.database)
    const out = start(req, res)
    await write(out, req.database, args)
    out.push('\n')
    out.end()
  }
}

/**
 * `POST /{db}/_all_docs/queries` with `{ queries }` → `{ results }`
 *
 * @param {(out: ResponseWriter, database: AnyDatabase, args: ViewArgs) => Promise<void>} write
 */
function answerSeveral (write) {
  return async (/** @type {DatabaseRequest} */ req, /** @type {PotorooResponse} */ res) => {
    const all = await readLists(req, req.database)
    const out = start(req, res)
    out.push('{"results":[')
    for (const [i, args] of all.entries()) {
      out.push(i === 0 ? '\r\n' : ',\r\n')
      await write(out, req.database, args)
      await out.pause()
    }
    out.push('\r\n]}\n')
    out.end()
  }
}

/** A range that begins within the documents goes to the owner, which counts those before it. */
const threads = { parameters: ['keys', 'endkey', 'end_key', 'inclusive_end', 'descending', 'limit', 'skip', 'include_docs', 'conflicts', 'meta'], durable: ['update_seq'] }

/** @type {Record<string, { write: any, whoIn: import('../../dispatch/route-table').WhoIn, threads?: import('../../dispatch/route-table').ThreadParameters }>} */
const kinds = {
  _all_docs: { write: writeAllDocs, whoIn: { replications: 'member', system: 'admin' }, threads },
  _design_docs: { write: writeDesignDocs, whoIn: { replications: 'member' } },
  _local_docs: { write: writeLocalDocs, whoIn: { replications: 'member' } }
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = Object.entries(kinds).flatMap(([name, { write, whoIn, threads }]) => [
  { method: 'GET', path: `/:db/${name}`, who: 'member', byDocument: true, whoIn, threads, shards: name, handler: answerOne(write) },
  { method: 'POST', path: `/:db/${name}`, who: 'member', byDocument: true, whoIn, reads: true, body: 'typed-json', threads, shards: name, handler: answerOne(write) },
  { method: 'POST', path: `/:db/${name}/queries`, who: 'member', byDocument: true, whoIn, reads: true, body: 'json', shards: `${name}/queries`, handler: answerSeveral(write) }
])
