'use strict'

/** Documents by chance, the same in every run. */

/** Names of members, among them those that objects sort. */
const MEMBERS = ['a', 'b', 'ab', 'name', '0', '17', 'ä', 'a b', 'constructor', '€uro', 'x'.repeat(40)]

const VALUES = [0, 1, -1, 0.5, -12.75, 1e21, 2 ** 53, 123456789012345, 1e-7, true, false, null, '', 'text', 'ä€', '\u{1f600}', 'a"b', 'a\\b', 'a\nb', '\u0001', '</script>', '\u2028']

/** @param {number} seed @returns {(limit: number) => number} a whole number below the limit */
function seeded (seed) {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % limit
  }
}

/** @param {(limit: number) => number} random @param {number} depth that is left */
function randomValue (random, depth) {
  const kind = depth === 0 ? 0 : random(4)
  if (kind === 1) return Array.from({ length: random(4) }, () => randomValue(random, depth - 1))
  if (kind === 2) return randomMembers(random, depth - 1)
  return VALUES[random(VALUES.length)]
}

function randomMembers (random, depth) {
  return Object.fromEntries(Array.from({ length: random(5) }, () => [MEMBERS[random(MEMBERS.length)], randomValue(random, depth)]))
}

/** @param {(limit: number) => number} random @returns {Record<string, any>} */
function randomDocument (random) {
  const special = { _id: `id-${random(1000)}` }
  if (random(3) === 0) special._rev = `${1 + random(9)}-abc`
  if (random(9) === 0) special._deleted = true
  const revisions = random(4) === 0 ? { _revisions: { start: 3, ids: ['c', 'b', 'a'] } } : {}
  return random(4) === 0 ? { ...randomMembers(random, 2), ...special } : { ...special, ...randomMembers(random, 2), ...revisions }
}

module.exports = { MEMBERS, randomDocument, seeded }
