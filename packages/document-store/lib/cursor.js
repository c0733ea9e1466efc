'use strict'

const { createError } = require('@potoroo/errors')
const { fromLevel } = require('./level-errors')

/** The next page of an iterator of the level; CLOSED where the store was closed meanwhile. */
async function nextPage (core, iterator, size) {
  core.assertOpen()
  let page
  try {
    page = await iterator.nextv(size)
  } catch (error) {
    throw core.closed ? createError('CLOSED', { cause: error }) : fromLevel(error)
  }
  core.assertOpen()
  return page
}

module.exports = { nextPage }
