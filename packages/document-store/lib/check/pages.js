'use strict'

/**
 * @import { Pages } from './readable-pages'
 */

const PAGE = 256

/**
 * Gives the rest of an iterator of a level, by pages; closes it.
 *
 * @template T
 * @param {Pages<T>} iterator
 * @param {() => Promise<void>} [turn] after each page, so that others go on where reads never wait
 */
async function * pagesOf (iterator, turn = async () => {}) {
  try {
    for (let page = await iterator.nextv(PAGE); page.length > 0; page = await iterator.nextv(PAGE)) {
      yield page
      await turn()
    }
  } finally {
    await iterator.close()
  }
}

module.exports = { pagesOf }
