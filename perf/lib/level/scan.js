'use strict'

const { load } = require('./entries')

const PAGE = 1000

/**
 * The trial of reading everything, in pages.
 *
 * @param {string} name
 * @param {{ reverse: boolean }} options of the iterator
 * @returns {import('../catalogue').Trial}
 */
function scan (name, { reverse }) {
  return {
    name,
    unit: 'row',
    needs: 'iterator',
    size: 100_000,
    step: 1,
    async prepare (level, { size }) {
      await load(level, size)
      return { level, size }
    },
    async run ({ level, size }) {
      const iterator = level.iterator({ reverse })
      let rows = 0
      for (let page; (page = await iterator.nextv(PAGE)).length > 0;) rows += page.length
      await iterator.close()
      if (rows !== size) throw new Error(`${rows} rows of ${size}`)
      return rows
    }
  }
}

module.exports = { scan }
