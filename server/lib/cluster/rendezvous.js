'use strict'

const crypto = require('node:crypto')

/**
 * Chooses a server for a name so that all choose the same without talking, and only those names move that have to when
 * one comes or goes.
 *
 * @template {{ id: string }} T
 * @param {string} name
 * @param {T[]} members at least one
 * @returns {T} the one whose hash with the name is highest
 * @see Thaler and Ravishankar, Using name-based mappings to increase hit rates (1998)
 */
function choose (name, members) {
  let best = members[0]
  let highest = ''
  for (const member of members) {
    const hash = crypto.hash('md5', `${member.id} ${name}`)
    if (hash > highest) [best, highest] = [member, hash]
  }
  return best
}

module.exports = { choose }
