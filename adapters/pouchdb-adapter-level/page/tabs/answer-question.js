'use strict'

const { toPlain } = require('./plain-error')

/**
 * Answers what an instance in another tab asks, by an instance in this one.
 *
 * @param {any} db
 * @param {import('./leader-election').Question} question
 * @param {{ onRow: (row: any) => void, onFeed: (feed: { cancel: () => void }) => void }} feed
 * @returns {Promise<{ result?: any, error?: any }>}
 */
async function answerQuestion (db, { method, args, again }, feed) {
  try {
    await db.info()
    if (method === '_changes') return { result: await follow(db, args[0], feed) }
    if (method === 'queryIndex') return { result: await db._customFindAbstractMapper.query(...args) }
    if (method.startsWith('_')) return { result: await callBack(db, method, args, again) }
    return { result: await db[method](...args) }
  } catch (error) {
    return { error: toPlain(error) }
  }
}

/** @param {any} db @param {Record<string, any>} options @param {{ onRow: (row: any) => void, onFeed: (feed: { cancel: () => void }) => void }} feed */
function follow (db, options, { onRow, onFeed }) {
  return new Promise((resolve, reject) => {
    const complete = (/** @type {any} */ error, /** @type {any} */ result) => error ? reject(error) : resolve(result)
    onFeed(db._changes({ ...options, onChange: onRow, complete }))
  })
}

/** @param {any} db @param {string} method @param {any[]} args @param {boolean} [again] */
async function callBack (db, method, args, again) {
  const result = await new Promise((resolve, reject) => {
    db[method](...args, (/** @type {any} */ error, /** @type {any} */ result) => error ? reject(error) : resolve(result))
  })
  if (method !== '_bulkDocs') return result
  const docs = args[0].docs
  return Promise.all(result.map((/** @type {any} */ each, /** @type {number} */ i) => again && each.status === 409 ? written(db, docs[i], each) : each.error ? toPlain(each) : each))
}

/**
 * The revision that the same edit has made already, or the conflict.
 *
 * @param {any} db
 * @param {any} doc
 * @param {any} conflict
 */
async function written (db, doc, conflict) {
  const { _rev, _revisions, ...found } = await db.get(doc._id, { revs: true })
  const parent = _revisions.start > 1 ? `${_revisions.start - 1}-${_revisions.ids[1]}` : undefined
  const { _rev: base, _revisions: history, ...given } = doc
  const isSame = parent === base && JSON.stringify(found) === JSON.stringify(given)
  return isSame ? { ok: true, id: doc._id, rev: _rev } : toPlain(conflict)
}

module.exports = { answerQuestion }
