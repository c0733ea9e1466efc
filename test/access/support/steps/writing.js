'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { winner } = require('../model')
const { path } = require('../questions/picks')

/**
 * @typedef {import('../world').World} World
 * @typedef {import('../world').User} User
 * @typedef {import('../model').Document} Document
 */

/** Somebody, now and then an administrator. @param {World} world @returns {User} */
const somebody = ({ chance, users, admin }) => chance.happens(0.25) ? admin : chance.one(users)

/** Somebody who may write a document, if there is anybody; now and then somebody else. @param {World} world @param {Document} document */
function writerOf (world, document) {
  const writers = world.users.filter(user => world.model.mayWrite(user, document, { _deleted: true }))
  return writers.length === 0 || world.chance.happens(0.25) ? somebody(world) : world.chance.one(writers)
}

/**
 * A document that is not yet there, secret or not.
 *
 * @param {World} world
 * @param {{ prefix?: string, secret?: boolean }} [options]
 * @returns {Document}
 */
function newDocument (world, { prefix = '', secret = world.chance.happens(0.4) } = {}) {
  const document = { id: '', leaves: [], revs: [], owned: [], secret }
  document.id = `${prefix}${world.chance.one(['a', 'n', 'z', 'ä '])}-${world.wordOf(document, 'id')}`
  return document
}

/** Names for an `_access`: those of a secret document never let the observer in. @param {World} world @param {Document} document */
function listFor ({ chance, users, observer, roles }, { secret }) {
  const people = users.filter(user => !(secret && user === observer)).map(({ name }) => name)
  const named = [...roles.secret, ...secret ? [] : roles.open].map(role => `role:${role}`)
  return chance.some([...people, ...named], 1).slice(0, 3)
}

/** An `_access`: what the person may give, or anything. @param {World} world @param {User} person @param {Document} document */
function accessFor (world, person, document) {
  const { chance, observer, roles } = world
  const own = [...(document.secret && person === observer ? [] : [person.name]), ...person.roles.filter(role => !document.secret || !roles.open.includes(role)).map(role => `role:${role}`)]
  const list = () => person.admin === true || own.length === 0 || chance.happens(0.15) ? listFor(world, document) : chance.some(own, 1)
  return chance.weighted(/** @type {Array<[number, () => any]>} */ ([
    [6, list],
    [2, () => ({ read: list(), write: list() })],
    [1, () => undefined]
  ]))()
}

/** A body with words of its own. @param {World} world @param {Document} document @param {any} access */
function newBody (world, document, access) {
  const others = world.model.documents.filter(({ id, secret }) => !id.startsWith('_') && (document.secret || !secret))
  const body = { ...(access !== undefined && { _access: access }) }
  const leaf = { body }
  const linked = others.length > 0 && world.chance.happens(0.3) ? world.chance.one(others) : undefined
  // Its id is told by this one too.
  linked?.owned.find(({ places }) => places[0].kind === 'id')?.places.push({ document, kind: 'id', leaf })
  return Object.assign(body, {
    number: world.chance.below(10),
    text: world.wordOf(document, 'body', leaf),
    nested: { list: [world.wordOf(document, 'body', leaf)] },
    ...(linked !== undefined && { link: linked.id })
  })
}

/**
 * Sends a write, to both databases unless it is of a secret document, and sees to it that the rules decide.
 *
 * @param {World} world
 * @param {object} write
 * @param {User} write.person
 * @param {Document} write.document
 * @param {any} write.body with `_access`, `_deleted`
 * @param {string} [write.parent] the revision that it replaces
 * @param {Record<string, string>} [write.attachments] text of each
 * @param {{ method: string, path: string, body?: any, headers?: Record<string, string> }} write.request its path after the database's name
 * @param {boolean} [write.conflicts] whether it is refused, whoever sends it
 * @param {(answer: any) => any} [write.resultOf] takes `{ rev }` or `{ error }` out of the answer
 */
async function write (world, { person, document, body, parent, attachments = {}, request, conflicts = false, resultOf }) {
  const before = world.model.documents.includes(document) ? document : undefined
  const allowed = world.model.mayWrite(person, document, body, parent) && !conflicts
  const answer = await world.askBoth(person, request, document.secret)
  const result = answer.status < 300 ? (resultOf ?? (each => JSON.parse(each.text)))(answer) : { error: answer.text }
  const what = `${person.name} ${request.method} ${request.path} ${JSON.stringify(request.body)?.slice(0, 600)} → ${answer.status} ${answer.text.slice(0, 300)}; before: ${JSON.stringify(before?.leaves)}; roles: ${person.roles}`
  world.check(answer, person, request)
  if (!allowed) return assert.equal(result.rev, undefined, `was not refused: ${what}`)
  assert.ok(result.rev, `was refused: ${what}`)
  // A deletion that says no more is for those who had the document: the words in it, too.
  if (body._deleted && body._access === undefined && before !== undefined) body._access = (before.leaves.find(({ rev }) => rev === parent) ?? winner(before)).body._access
  const { _deleted: deleted = false, ...members } = body
  // Readers of a leaf see the ids of its ancestors.
  const path = [...before?.leaves.find(({ rev }) => rev === parent)?.path ?? [], result.rev]
  for (const rev of path) world.canaries.mark(rev, world.ownerOf(document, 'rev', { body: members }))
  world.model.write(document, { rev: result.rev, deleted, body: members, attachments, path }, parent)
}

/** Content of an attachment, which gives its document away. @param {World} world @param {Document} document */
function newContent (world, document) {
  const leaf = { body: winner(document).body }
  const content = `${world.wordOf(document, 'body', leaf)} content of an attachment`
  const md5 = crypto.createHash('md5').update(content)
  world.canaries.mark(`md5-${md5.digest('base64')}`, world.ownerOf(document, 'body', leaf))
  return content
}

/** Documents that are not design documents. @param {World} world @param {(document: Document) => boolean} [wanted] */
const plain = ({ model }, wanted = () => true) => model.documents.filter(document => !document.id.startsWith('_') && wanted(document))

const isLive = (/** @type {Document} */ document) => !winner(document).deleted

module.exports = { accessFor, isLive, newBody, newContent, newDocument, path, plain, somebody, write, writerOf }
