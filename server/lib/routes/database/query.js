'use strict'

const { JsonQuery } = require('@potoroo/indexes')
const { requireObject } = require('../../documents/input')
const { sendJson, sendJsonText } = require('../../http/response')
const { countFind } = require('../../stats/count-find')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /{db}/_query?q=` → what the query gives of the list of all documents; with `explain`, how it is carried out
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function getQuery (req, res) { return answer(req, res, req.args) }

/**
 * `POST /{db}/_query` with `{ q, args, explain }`: the same
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
function postQuery (req, res) { return answer(req, res, requireObject(req.body)) }

/** @param {DatabaseRequest} req @param {PotorooResponse} res @param {Record<string, any>} asked */
async function answer ({ params: { db }, service: { counts, databases, mango }, database, user }, res, { q, args, explain }) {
  const query = new JsonQuery(q, args)
  // Indexes are everybody's, as those of `_find`.
  const store = await databases.get(db)
  const reader = database.isOfMember ? store.forMember(user) : undefined
  if (explain === true) return sendJson(res, 200, await query.explain(mango, store, { reader }))
  sendJsonText(res, 200, `${await query.textIn(mango, store, { isWanted: () => !res.destroyed, reader, onFind: figures => countFind(counts, figures) })}\n`)
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/:db/_query', who: 'member', byDocument: true, allow: 'GET,POST', query: { q: 'string', args: 'array', explain: 'boolean' }, handler: getQuery },
  { method: 'POST', path: '/:db/_query', who: 'member', byDocument: true, reads: true, body: 'typed-json', handler: postQuery }
]
