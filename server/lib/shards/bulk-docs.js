'use strict'

const { inTurns, validateDocument, validatePartitionedId } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { newId, prepareOneOfMany, requireObject } = require('../documents/input')
const { limitMany } = require('../documents/size-limits')
const { parseBytes, readBody, requireContentType } = require('../http/body')
const { parseQuery } = require('../http/query')
const { sendJsonText } = require('../http/response')
const { changeDesigns, isDesign } = require('./design-copies')
const { failureOf } = require('./failure')
const { itemsOf } = require('../merging/items')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('../dispatch/route-table').Route} Route */

/** One document: its id, its JSON as it came, and its shard. @typedef {{ id: string, text: string, shard: number }} Item */

/**
 * `POST /{db}/_bulk_docs`: each shard gets its documents, as they were sent, and the results are in the order of the request.
 *
 * @param {Coordinator} coordinator
 * @param {PotorooResponse} res
 * @param {Route} route
 */
async function bulkDocs (coordinator, res, route) {
  const { req, service } = coordinator
  req.args = parseQuery(req.search, route.query ?? {})
  requireContentType(req, 'application/json')
  const bytes = await readBody(req, service.jsonLimit)
  const { docs, new_edits: newEdits = true, atomic = false, all_or_nothing: old } = requireObject(await parseBytes(req, bytes, 2))
  if (docs === undefined) throw badRequest('POST body must include `docs` parameter.')
  if (!Array.isArray(docs) || typeof newEdits !== 'boolean' || typeof atomic !== 'boolean' || (old === true && newEdits)) return coordinator.pass(0, { body: bytes })
  const named = docs.map(doc => doc?._id !== undefined)
  await inTurns(docs, doc => prepareOneOfMany(doc, newEdits))
  await limitMany(req, docs)
  // A fault of one is that of the request, before any shard writes.
  await inTurns(docs, doc => validate(doc, newEdits, coordinator.database.partitioned))
  const items = itemsWithIds(coordinator, docs, named, bytes.toString())
  const shards = new Set(items.map(({ shard }) => shard))
  if (atomic && shards.size > 1) throw createError('NOT_IMPLEMENTED', { reason: '`atomic` is not implemented for documents of several shards' })
  const designs = items.filter(({ id }) => isDesign(id)).map(({ id }) => id)
  const write = () => writeItems(coordinator, items, { newEdits, atomic, search: req.search })
  const { status, rows } = designs.length === 0 ? await write() : await changeDesigns(coordinator, designs, write)
  sendJsonText(res, status, `[${rows.join(',')}]\n`)
}

/** @param {any} doc @param {boolean} newEdits @param {boolean} isPartitioned */
function validate (doc, newEdits, isPartitioned) {
  validateDocument(doc, { newEdits })
  if (isPartitioned && !doc._id?.startsWith('_local/')) validatePartitionedId(doc._id ?? '')
}

/**
 * @param {Coordinator} coordinator
 * @param {any[]} docs
 * @param {boolean[]} named whether each came with an id
 * @param {string} text of the request
 * @returns {Item[]}
 */
function itemsWithIds (coordinator, docs, named, text) {
  const texts = itemsOf(text, 'docs')
  return docs.map((doc, i) => {
    const id = doc._id ?? newId()
    // An id that is no text is refused by any shard.
    return { id, text: named[i] ? texts[i] : withId(texts[i], id), shard: typeof id === 'string' ? coordinator.shardOf(id) : 0 }
  })
}

/** @param {string} text of an object @param {string} id */
function withId (text, id) {
  const rest = text.slice(text.indexOf('{') + 1)
  return `{"_id":${JSON.stringify(id)}${rest.trim() === '}' ? '' : ','}${rest}`
}

/**
 * @param {Coordinator} coordinator
 * @param {Item[]} items
 * @param {{ newEdits: boolean, atomic: boolean, search: string }} options
 * @returns {Promise<{ status: number, rows: string[] }>}
 */
async function writeItems (coordinator, items, { newEdits, atomic, search }) {
  const parts = [...byShard(items)]
  const answers = await Promise.all(parts.map(([shard, part]) => {
    const body = `{"new_edits":${newEdits}${atomic ? ',"atomic":true' : ''},"docs":[${part.map(({ text }) => text).join(',')}]}`
    return coordinator.ask(shard, { method: 'POST', path: `/_bulk_docs${search === '' ? '' : `?${search}`}`, body })
  }))
  const failed = answers.find(answer => !isResult(answer))
  if (failed !== undefined && !answers.some(isResult)) throw await failureOf(failed)
  /** @type {Map<Item, string>} */
  const rows = new Map()
  for (const [i, [, part]] of parts.entries()) await collect(answers[i], part, newEdits, rows)
  const status = answers.find(isResult)?.status ?? 201
  return { status, rows: items.flatMap(item => rows.get(item) ?? []) }
}

/** @param {Item[]} items @returns {Map<number, Item[]>} */
function byShard (items) {
  const parts = new Map()
  for (const item of items) {
    if (parts.has(item.shard)) parts.get(item.shard).push(item)
    else parts.set(item.shard, [item])
  }
  return parts
}

/** @param {import('../passing/inner-answer').InnerAnswer} answer */
function isResult ({ ok, status }) { return ok || status === 417 }

/**
 * Says which row is of which document. Without new edits those alone are told that failed, in their order.
 *
 * @param {import('../passing/inner-answer').InnerAnswer} answer
 * @param {Item[]} part
 * @param {boolean} newEdits
 * @param {Map<Item, string>} rows
 */
async function collect (answer, part, newEdits, rows) {
  if (!isResult(answer)) {
    // The other shards have written theirs: a shard that failed is told of its documents alone.
    const { error, reason } = await failureOf(answer)
    for (const item of part) rows.set(item, JSON.stringify({ id: item.id, error, reason }))
    return
  }
  const results = await answer.json()
  if (newEdits) return part.forEach((item, i) => rows.set(item, JSON.stringify(results[i])))
  let next = 0
  for (const result of results) {
    while (next < part.length && part[next].id !== result.id) next++
    if (next < part.length) rows.set(part[next++], JSON.stringify(result))
  }
}

/** @type {Record<string, import('./handlers').ShardedHandler>} */
module.exports = { bulkDocs: { answer: bulkDocs, readsItself: true } }
