'use strict'

const INDEX_LAYOUT = 0

/** Its analyzers and their words would be most of what a page loads. */
class TextIndex {
  constructor () { throw new TypeError('Pages have no text indexes') }
}

module.exports = { INDEX_LAYOUT, TextIndex }
