'use strict'

/** IndexedDB makes every reader wait. */
function refuse () { throw new TypeError('Pages cannot read without waiting') }

/** @param {{ assertOpen: () => void }} core */
function winnersSync (core) {
  core.assertOpen()
  return undefined
}

module.exports = { conflictsSync: refuse, getSync: refuse, pageSync: refuse, winnersSync }
