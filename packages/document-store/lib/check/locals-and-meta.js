'use strict'

const { decodeLocal } = require('../store/local-documents')
const { Totals } = require('../commit/totals')
const { isRetention } = require('../history/retention')
const { LAYOUT_VERSION } = require('../media/upgrade')
const { isJson, isObject } = require('./payload')

/**
 * @import { Scan } from './scan'
 */

/** @param {Scan} scan */
async function * checkLocals (scan) {
  const { layout } = scan
  for (const store of [layout.locals, layout.ownLocals]) {
    for await (const page of scan.entries(layout.range(store))) {
      for (const [key, text] of page) {
        const { id, rev, body } = decodeLocal(layout.idOf(key), text)
        if (!/^0-[1-9]\d*$/.test(rev) || !isObject(body)) yield `The local document ${JSON.stringify(id)} is garbled`
      }
    }
  }
}

/**
 * Checks the database's own record, and its totals; runs after everything was counted.
 *
 * @param {Scan} scan
 */
async function * checkMeta (scan) {
  const { layout } = scan
  let database, state
  for await (const page of scan.entries(layout.range(layout.metas))) {
    for (const [key, text] of page) {
      const name = key.slice(layout.metas.length)
      if (name === 'database') database = text
      else if (name === 'state') state = text
      else if (name === 'history') yield * checkRetention(text)
      else if (!name.startsWith('user:')) yield `The value ${JSON.stringify(name)} is none of a database's`
      else if (!isJson(text)) yield `The value ${JSON.stringify(name.slice('user:'.length))} is not JSON`
    }
  }
  // A value that is not there may be damaged.
  if (scan.damage.found) return
  yield * checkDatabase(database)
  yield * checkTotals(scan, state)
}

/** @param {string} text */
function * checkRetention (text) {
  if (!isRetention(text)) yield 'What the database keeps of earlier versions is garbled'
}

/** @param {string | undefined} text */
function * checkDatabase (text) {
  if (text === undefined) yield 'The database has no record of its own'
  else if (!isObject(text) || JSON.stringify(JSON.parse(text)) !== text) yield 'The record of the database is garbled'
  else if (JSON.parse(text).version !== LAYOUT_VERSION) yield `The database has layout version ${JSON.parse(text).version}`
}

/** @param {Scan} scan @param {string | undefined} state */
function * checkTotals (scan, state) {
  if (state !== new Totals(state).encode()) yield 'The totals of the database are garbled'
  const totals = new Totals(state)
  for (const [name, count] of counts(scan.found)) {
    if (totals[name] !== count) yield `The database counts ${totals[name]} for ${name}, and has ${count}`
  }
  if (scan.lastPurge > totals.purgeSeq) yield `The last purge sequence is ${totals.purgeSeq}, and there is a purge ${scan.lastPurge}`
  if (scan.lastChange > totals.seq) yield `The last sequence is ${totals.seq}, and there is a change ${scan.lastChange}`
}

/** @param {Scan['found']} found */
function counts (found) {
  return /** @type {Array<[keyof Scan['found'], number]>} */ (Object.entries(found))
}

module.exports = { checkLocals, checkMeta }
