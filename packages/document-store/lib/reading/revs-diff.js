'use strict'

const { memberDiff } = require('../access/member-diff')
const { namesOf } = require('../json/carried-text')
const { othersTurn } = require('./others-turn')
const { requirePartition } = require('../store/partition')
const { DocumentRecord } = require('../media/record')
const { leavesOf } = require('../revision-tree/leaves')
const { setOwn } = require('../json/set-own')
const { Turn, inTurns } = require('../json/turn')
const { normaliseRevision } = require('../commit/validate')

/**
 * @import { Core } from '../store/core'
 * @import { Tree } from '../revision-tree/encode'
 */

/** Documents that are read at once. */
const PAGE = 256

/**
 * Which revisions are not here.
 *
 * @typedef {{ missing: string[], possible_ancestors?: string[] }} Diff
 *
 * @param {import('../store/core').Core} core
 * @param {Record<string, string[]>} request
 * @param {(found: Array<[string, Diff]>) => boolean | Promise<boolean>} [take] gets what is found as it is
 *   found; false: there need be no more
 * @param {import('../access/member').Member} [as]
 * @returns {Promise<Record<string, Diff>>} nothing of what was taken
 * @see https://docs.couchdb.org/en/stable/api/database/misc.html#db-revs-diff
 */
async function revsDiff (core, request, take, as) {
  core.assertOpen()
  const ids = namesOf(request)
  if (core.partitioned) await inTurns(ids, requirePartition)
  /** @type {Record<string, Diff>} */
  const answer = {}
  const collect = take ?? (found => {
    for (const [id, diff] of found) setOwn(answer, id, diff)
    return true
  })
  const turn = new Turn()
  for (let at = 0; at < ids.length; at += PAGE) {
    if (!await collect(await diffsOf(core, ids.slice(at, at + PAGE), request, as))) break
    if (turn.isLong) await turn.end()
  }
  return answer
}

/**
 * @param {Core} core
 * @param {string[]} ids
 * @param {Record<string, string[]>} request
 * @param {import('../access/member').Member | undefined} as
 * @returns {Promise<Array<[string, Diff]>>}
 */
async function diffsOf (core, ids, request, as) {
  core.assertOpen()
  const texts = await core.keyspace.getMany(ids.map((id) => core.layout.readable(id)))
  /** @type {Array<[string, Diff]>} */
  const found = []
  const turn = new Turn()
  for (let i = 0; i < ids.length; i++) {
    if (turn.isLong) await othersTurn(core, turn)
    const asked = request[ids[i]]
    const revs = asked.length > PAGE ? await distinctRevisions(asked) : [...new Set(asked.map(normaliseRevision))]
    const made = as === undefined || texts[i] === undefined ? diffOf(texts[i], revs) : memberDiff(core, ids[i], new DocumentRecord(/** @type {string} */ (texts[i])), revs, as)
    const diff = made instanceof Promise ? await made : made
    if (diff !== null) found.push([ids[i], diff])
  }
  return found
}

/** @param {string[]} asked @returns {Promise<string[]>} */
async function distinctRevisions (asked) {
  const known = new Set()
  /** @type {string[]} */
  const revs = []
  await inTurns(asked, (text) => {
    const rev = normaliseRevision(text)
    if (known.has(rev)) return
    known.add(rev)
    revs.push(rev)
  })
  return revs
}

/** @param {string | undefined} text @param {string[]} revs @returns {Diff | null | Promise<Diff | null>} */
function diffOf (text, revs) {
  if (text === undefined) return revs.length === 0 ? null : { missing: revs }
  const record = new DocumentRecord(text)
  if (revs.length === 1 && revs[0] === record.rev) return null
  const tree = record.revisions
  if (revs.length > PAGE) return diffOfMany(tree, revs)
  const missing = revs.filter((rev) => !tree.has(rev))
  return missingOf(tree, missing, missing.reduce(laterOf, 0))
}

/** @param {Tree} tree @param {string[]} revs */
async function diffOfMany (tree, revs) {
  /** @type {string[]} */
  const missing = []
  let newest = 0
  await inTurns(revs, (rev) => {
    if (tree.has(rev)) return
    missing.push(rev)
    newest = laterOf(newest, rev)
  })
  return missingOf(tree, missing, newest)
}

/** @param {number} generation @param {string} rev */
function laterOf (generation, rev) { return Math.max(generation, Number.parseInt(rev, 10)) }

/**
 * @param {number} newest generation of what is missing
 * @param {Tree} tree
 * @param {string[]} missing
 * @returns {Diff | null}
 */
function missingOf (tree, missing, newest) {
  if (missing.length === 0) return null
  // Leaves that are older than one of the missing revisions.
  const ancestors = leavesOf(tree).filter((leaf) => leaf.generation < newest).map((leaf) => leaf.rev)
  return ancestors.length === 0 ? { missing } : { missing, possible_ancestors: ancestors }
}

module.exports = { revsDiff }
