'use strict'

const { RowLayout, encodeCount } = require('../rows/row-layout')
const { sumPlace } = require('../sums/index-sums')
const { IndexSnapshot } = require('./index-snapshot')

/**
 * An index that another thread writes, at one moment. Nothing is kept that is worked out of it.
 *
 * @param {import('../rows/row-layout').IndexSpace} space
 * @param {object} stored
 * @param {import('@potoroo/collation').Collation[]} stored.collations by view
 * @param {import('./level-index').IndexState} stored.state in the snapshot
 * @param {any} stored.snapshot
 * @param {() => Promise<void>} stored.close
 * @param {(view: number) => void} stored.want notes that something could have been read that was worked out
 */
function storedSnapshot (space, { collations, state, snapshot, close, want }) {
  const layout = new RowLayout(space.prefix)
  const rows = layout.rowsOf(state.index)
  return new IndexSnapshot({
    space,
    collations,
    state,
    snapshot,
    prefixOf: view => rows + encodeCount(view),
    placeOf: view => sumPlace(layout, state, view),
    want,
    keep: async (place, view) => { want(view) },
    close
  })
}

module.exports = { storedSnapshot }
