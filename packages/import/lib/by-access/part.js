'use strict'

const { importDatabase } = require('../import/import-database')
const { verifyDatabase } = require('../import/verify-database')
const { accessOfDatabase, userOf } = require('./access-of-database')
const { PartSource } = require('./source')
const { PartTarget } = require('./target')

/**
 * @typedef {import('../import/source').Source} Source
 * @typedef {import('../import/store-target').Target} Target
 * @typedef {{ prefixIds?: boolean, designs?: boolean, known?: Set<string> }} PartOptions
 * @typedef {{ names: string[], roles: string[] }} People
 */

/**
 * @param {Source} source
 * @param {PartOptions} options
 */
async function partOf (source, { prefixIds = false, designs = false, known }) {
  const people = accessOfDatabase(source.name, await source.security())
  const prefix = prefixIds ? `${userOf(source.name) ?? source.name}:` : ''
  return { people, part: new PartSource(source, { access: accessFor(people), prefix, designs, known }) }
}

/** The value of `_access` that lets them in; undefined for nobody. @param {People} people */
function accessFor ({ names, roles }) {
  const all = [...names, ...roles.map(role => `role:${role}`)]
  return all.length === 0 ? undefined : all
}

/**
 * Brings a database over into one of many users' documents. Whoever may read it there may read its documents here.
 *
 * @param {Source} source
 * @param {Target} target a database that was made with access by document
 * @param {import('../..').ImportOptions & PartOptions} [options]
 */
async function importPart (source, target, options = {}) {
  const { people, part } = await partOf(source, options)
  const summary = await importDatabase(part, new PartTarget(target, part), { ...options, security: false })
  return { summary, people, left: part.left }
}

/**
 * Compares a database with what `importPart` made of it. `onlyThere` finds what is only in the target.
 *
 * @param {Source} source
 * @param {Target} target
 * @param {import('../..').VerifyOptions & PartOptions} [options]
 */
async function verifyPart (source, target, options = {}) {
  const { people, part } = await partOf(source, options)
  const verdict = await verifyDatabase(part, new PartTarget(target, part), { ...options, security: false })
  return { verdict, people, left: part.left }
}

/**
 * The leaf revisions in the target that none of its parts has. Its own design documents do not count.
 *
 * @param {Target} target
 * @param {Set<string>} known as all calls of `verifyPart` filled it
 */
async function * onlyThere (target, known) {
  for await (const page of target.changes()) {
    for (const { id, revs } of page) {
      if (!id.startsWith('_design/')) yield * revs.filter(rev => !known.has(`${rev} ${id}`)).map(rev => ({ id, rev }))
    }
  }
}

module.exports = { importPart, onlyThere, verifyPart }
