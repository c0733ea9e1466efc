'use strict'

/**
 * Takes a snapshot that is closed with the store at the latest.
 *
 * @param {import('../rows/row-layout').IndexSpace} space
 */
function takeSnapshot (space) {
  const snapshot = space.keyspace.snapshot()
  return { snapshot, close: space.hold(() => snapshot.close()) }
}

module.exports = { takeSnapshot }
