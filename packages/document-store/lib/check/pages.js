'use strict'

const PAGE = 256

/** What is left of an iterator of a level, by pages; closes it. */
async function * pagesOf (iterator) {
  try {
    for (let page = await iterator.nextv(PAGE); page.length > 0; page = await iterator.nextv(PAGE)) yield page
  } finally {
    await iterator.close()
  }
}

module.exports = { pagesOf }
