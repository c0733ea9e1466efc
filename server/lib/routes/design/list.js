'use strict'

const { createError } = require('@potoroo/errors')
const { requireObject } = require('../../documents/input')
const { designOf } = require('../../functions/design')
const { ListAnswer } = require('../../functions/list-answer')
const { RowBatches, rowsOf } = require('../../functions/list-rows')
const { bodyText, requestObject } = require('../../functions/request-object')

/** @typedef {import('@potoroo/query-server').QueryServer} QueryServer */

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/query-server').Functions} Functions */

/**
 * `GET` and `POST /{db}/_design/{ddoc}/_list/{func}/[{other-ddoc}/]{view}`
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/ddoc/render.html#db-design-design-doc-list-list-name-view-name
 */
async function list (req, res) {
  const { service, params: { db, ddoc, name, view, other = ddoc.slice('_design/'.length) } } = req
  if (req.method === 'POST') requireObject(req.body)
  const store = await service.databases.get(db)
  const functions = (await designOf(store, ddoc, service.counts)).function('lists', name)
  const { head, pages } = await rowsOf(req, other, view)
  const rows = new RowBatches(pages)
  try {
    const request = await requestObject(req, { store: req.database, body: req.body ?? await bodyText(req) })
    const start = `{"head":${JSON.stringify(head)},"req":${JSON.stringify(request)},`
    await run(service.queryServer, functions, `${start}${await rows.next()}}`, rows, new ListAnswer(req, res))
  } finally {
    await rows.close()
  }
}

/** UTF-16 units of a call that goes with others. */
const SHORT = 64 * 1024

/** @param {QueryServer} queryServer @param {Functions} functions @param {string} json @param {RowBatches} rows @param {ListAnswer} answer */
async function run (queryServer, functions, json, rows, answer) {
  const whole = rows.ended && json.length < SHORT ? await queryServer.shortList(functions, json) : null
  if (whole !== null) return answer.end(whole)
  try {
    await queryServer.list(functions, json, {
      write: piece => answer.write(piece),
      end: piece => answer.end(piece),
      rows: async () => `{${await rows.next()}}`,
      giveWay: () => answer.hangUp()
    })
  } catch (error) {
    if (!answer.begun || error.status === undefined) throw error
    answer.fail(error)
  }
}

/** CouchDB has an order of its own here. */
function methodNotAllowed () {
  throw Object.assign(createError('METHOD_NOT_ALLOWED', { reason: 'Only GET,POST,HEAD allowed' }), { headers: { Allow: 'GET,POST,HEAD' } })
}

function invalidPath () { throw createError('MISSING', { error: 'list_error', reason: 'Invalid path.' }) }

const path = '/:db/:ddoc/_list'

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  ...[`${path}/:name/:view`, `${path}/:name/:other/:view`].flatMap(each => [
    { method: 'GET', path: each, who: 'member', byDocument: true, handler: list },
    { method: 'OPTIONS', path: each, who: 'member', byDocument: true, handler: list },
    { method: 'POST', path: each, who: 'member', byDocument: true, body: 'typed-json', handler: list },
    ...['PUT', 'DELETE', 'COPY'].map(method => ({ method, path: each, who: 'member', byDocument: true, handler: methodNotAllowed }))
  ]),
  ...[path, `${path}/:name`, `${path}/:name/:other/:view/:rest+`].flatMap(each => ['GET', 'POST', 'OPTIONS'].map(method => ({ method, path: each, who: 'member', byDocument: true, allow: 'GET,POST,HEAD', handler: invalidPath })))
]
