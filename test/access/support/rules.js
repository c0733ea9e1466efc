'use strict'

/**
 * The rules of access by document, after CouchDB's RFC 010, as plainly as they can be said.
 *
 * @typedef {import('./model').Person} Person
 * @typedef {import('./model').Document} Document
 * @typedef {import('./model').Leaf} Leaf
 */

const isDesign = (/** @type {string} */ id) => id.startsWith('_design/')

/** The lists of an `_access`: who may write may read. @param {any} access */
function listsOf (access) {
  const { read = [], write = [] } = Array.isArray(access) ? { write: access } : access ?? {}
  return { write, read: [...new Set([...write, ...read])] }
}

/** Whether two of them say the same. @param {any} one @param {any} other */
function isSame (one, other) {
  const text = (/** @type {any} */ access) => JSON.stringify(Object.values(listsOf(access)).map(list => [...new Set(list)].sort()))
  return text(one) === text(other)
}

/** Names and roles of a person, as `_access` has them. @param {Person} person */
const namesOf = ({ name, roles }) => [name, ...roles.map(role => `role:${role}`)]

/** @param {Person} person @param {string[]} list */
const isIn = (person, list) => namesOf(person).some(name => list.includes(name))

/** Whether a person may read one revision. @param {Person} person @param {string} id @param {{ body: any }} leaf */
function reads (person, id, { body }) {
  return person.admin === true || (isDesign(id) && isSame(body._access, undefined)) || isIn(person, listsOf(body._access).read)
}

/**
 * Whether a person may put a leaf in the place of what is there, or beside it. Only administrators say who a document is for, except
 * of a new one that is for its writer alone.
 *
 * @param {Person} person
 * @param {Leaf | undefined} winner that is there
 * @param {string} id
 * @param {any} body
 * @param {Leaf} [parent] that it replaces
 */
function mayReplace (person, winner, id, body, parent) {
  if (person.admin === true) return true
  const given = listsOf(body._access)
  if (winner === undefined) return isIn(person, given.write) && given.read.every(name => namesOf(person).includes(name))
  if (!reads(person, id, winner) || !isIn(person, listsOf(winner.body._access).write)) return false
  if (parent !== undefined && !isIn(person, listsOf(parent.body._access).write)) return false
  const access = (parent ?? winner).body._access
  return isSame(body._access, winner.body._access) || (body._deleted === true && (isSame(body._access, undefined) || isSame(body._access, access)))
}

module.exports = { isSame, mayReplace, reads }
