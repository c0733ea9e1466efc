'use strict'

/**
 * @typedef {[string, { status: string, deleted?: boolean }, any[]]} Form hash, options, children's forms
 */

/**
 * A tree in the form of pouchdb-merge: `[{ pos, ids: [hash, { status, deleted? }, children] }]`,
 * roots by generation, children by hash.
 *
 * @param {import('./encode').Tree} tree
 * @param {(rev: string) => boolean} isAvailable
 */
function pouchForm (tree, isAvailable) {
  /** @type {Map<import('./encode').Node, Form>} */
  const forms = new Map()
  for (const node of tree.values()) {
    /** @type {Form[1]} */
    const options = { status: isAvailable(node.rev) ? 'available' : 'missing' }
    if (node.deleted) options.deleted = true
    forms.set(node, [node.hash, options, []])
  }
  const roots = []
  for (const [node, form] of forms) {
    if (node.parent === null) roots.push({ pos: node.generation, ids: form })
    else /** @type {Form} */ (forms.get(node.parent))[2].push(form)
  }
  for (const form of forms.values()) form[2].sort(byHash)
  return roots.sort((a, b) => a.pos - b.pos || byHash(a.ids, b.ids))
}

/** @param {Form} a @param {Form} b */
function byHash (a, b) {
  return a[0] < b[0] ? -1 : 1
}

module.exports = { pouchForm }
