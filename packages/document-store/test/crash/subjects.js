'use strict'

/**
 * The state of what the mixed load writes, as it is read from a store:
 *
 *   a document          its leaves, by number: [{ number, rev, deleted, size, fill }], null for none.
 *                       Each revision has a number of its own in its body, and an attachment `f` of
 *                       that size where it is not 0, all of it the same byte
 *   a local document    its number, null for none
 *   `meta`, `limit`     the value
 */

/** @returns {Promise<any>} */
async function stateOf (store, subject) {
  if (subject === 'limit') return store.revsLimit
  if (subject.startsWith('meta')) return await store.getMeta(subject) ?? null
  if (subject.startsWith('_local/')) return localState(store, subject)
  const leaves = await store.openRevs(subject, 'all', { attachments: true })
  return leaves.length === 0 ? null : leaves.map(({ ok }) => leafOf(ok)).sort((a, b) => a.number - b.number)
}

async function localState (store, id) {
  try {
    return JSON.parse((await store.getLocal(id)).body).number
  } catch (error) {
    if (error.code === 'MISSING') return null
    throw error
  }
}

function leafOf ({ rev, deleted, body, attachments }) {
  const { number } = JSON.parse(body)
  const data = attachments?.f?.data ?? Buffer.alloc(0)
  const fill = data.length === 0 ? 0 : data[0]
  return { number, rev, deleted, size: data.equals(Buffer.alloc(data.length, fill)) ? data.length : -1, fill }
}

async function statesOf (store, subjects) {
  const states = new Map()
  for (const subject of subjects) states.set(subject, await stateOf(store, subject))
  return states
}

/** All changes, as the ledger has them. */
async function changesOf (store) {
  const rows = []
  for await (const page of store.changes({ style: 'all_docs' })) rows.push(...page.map(toSeen))
  return rows
}

function toSeen ({ seq, id, changes }) {
  return [seq, id, changes.map(({ rev }) => rev)]
}

module.exports = { stateOf, statesOf, changesOf, toSeen }
