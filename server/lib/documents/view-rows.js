'use strict'

const { formatSequence } = require('../databases/sequence')

/** @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('./view-query').ViewArgs} ViewArgs */

/**
 * Writes the answer of a view, a page of rows at a time, as long as somebody reads it.
 *
 * @param {import('../http/response-writer').ResponseWriter} out
 * @param {import('../databases/database-view').AnyDatabase} database
 * @param {import('@potoroo/indexes').ViewResult} answer
 * @param {import('./view-query').ViewArgs} args
 */
async function writeView (out, database, answer, args) {
  out.push(head(database, answer, args))
  let separator = '\r\n'
  for await (const page of answer.texts()) {
    for (let i = 0; i < page.length; i++) {
      out.push(separator + page[i])
      separator = ',\r\n'
      if (out.full) await out.flush()
    }
    if (out.closed) return
  }
  out.push(separator === '\r\n' ? '\r\n\r\n]}' : '\r\n]}')
}

/**
 * Rows that need no order are not counted.
 *
 * @param {AnyDatabase} database
 * @param {{ totalRows?: number, offset: number | null, updateSeq?: number }} answer
 * @param {ViewArgs} args
 */
function head (database, /** @type {import('@potoroo/indexes').ViewResult} */ { totalRows, offset, updateSeq }, /** @type {import('./view-query').ViewArgs} */ { sorted = true, update_seq: wantsSequence }) {
  const count = totalRows === undefined || !sorted ? '' : `"total_rows":${totalRows},"offset":${offset},`
  const sequence = wantsSequence && updateSeq !== undefined ? `"update_seq":"${formatSequence(database, updateSeq)}",` : ''
  return `{${count}${sequence}"rows":[`
}

module.exports = { writeView }
