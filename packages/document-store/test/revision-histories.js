'use strict'

const fc = require('fast-check')

/**
 * Random histories of a document: every node of a random tree, each with its whole path, its
 * hash telling where it hangs, as real hashes do. Only leaves are deleted.
 *
 * @returns {import('fast-check').Arbitrary<Array<{ path: { start: number, ids: string[] }, deleted: boolean }>>}
 */
function histories ({ maxNodes = 14 } = {}) {
  const node = fc.record({ parent: fc.nat(), deleted: fc.boolean(), root: fc.nat(6), start: fc.integer({ min: 1, max: 3 }) })
  return fc.array(node, { minLength: 1, maxLength: maxNodes }).map(growTree)
}

function growTree (drawn) {
  const nodes = []
  drawn.forEach(({ parent, deleted, root, start }, i) => {
    const isRoot = nodes.length === 0 || root === 0
    const above = isRoot ? null : nodes[parent % nodes.length]
    if (above !== null) above.leaf = false
    const path = above === null
      ? { start, ids: [`r${i}`] }
      : { start: above.path.start + 1, ids: [`${above.path.ids[0]}.${i}`, ...above.path.ids] }
    nodes.push({ path, deleted, leaf: true })
  })
  return nodes.map(({ path, deleted, leaf }) => ({ path, deleted: leaf && deleted }))
}

/** The histories, and two orders of arrival. */
function shuffled (options) {
  return histories(options).chain((edits) => fc.tuple(
    fc.shuffledSubarray(edits, { minLength: edits.length }),
    fc.shuffledSubarray(edits, { minLength: edits.length })
  ))
}

module.exports = { histories, shuffled }
