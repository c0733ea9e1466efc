'use strict'

/**
 * Lets others run; throws CLOSED where the store was closed meanwhile.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../json/turn').Turn} turn
 */
async function othersTurn (core, turn) {
  await turn.end()
  core.assertOpen()
}

module.exports = { othersTurn }
