'use strict'

const assert = require('node:assert/strict')
const { winner } = require('../model')
const { isLive, newContent, path, plain, write, writerOf } = require('./writing')

/** @typedef {import('../world').World} World */

/** @param {World} world */
async function attach (world) {
  const document = world.chance.one(plain(world, isLive))
  if (document === undefined) return
  const person = writerOf(world, document)
  const { rev, body, attachments } = winner(document)
  const name = world.chance.one(['file', 'a b/c'])
  const content = newContent(world, document)
  const request = { method: 'PUT', path: `/${path(document.id)}/${path(name)}?rev=${rev}`, headers: { 'Content-Type': 'text/x-secret' }, body: content }
  await write(world, { person, document, body, parent: rev, attachments: { ...attachments, [name]: content }, request })
}

/** @param {World} world */
async function detach (world) {
  const document = world.chance.one(plain(world, document => isLive(document) && Object.keys(winner(document).attachments).length > 0))
  if (document === undefined) return attach(world)
  const person = writerOf(world, document)
  const { rev, body, attachments: { [Object.keys(winner(document).attachments)[0]]: gone, ...attachments } } = winner(document)
  const [name] = Object.keys(winner(document).attachments)
  await write(world, { person, document, body, parent: rev, attachments, request: { method: 'DELETE', path: `/${path(document.id)}/${path(name)}?rev=${rev}` } })
}

/** As a form of a page sends files. @param {World} world */
async function upload (world) {
  const document = world.chance.one(plain(world, isLive))
  if (document === undefined) return
  const person = writerOf(world, document)
  const { rev, body, attachments } = winner(document)
  const content = newContent(world, document)
  const boundary = 'a-boundary'
  const form = [`--${boundary}`, 'Content-Disposition: form-data; name="_rev"', '', rev, `--${boundary}`, 'Content-Disposition: form-data; name="_attachments"; filename="form"', 'Content-Type: text/x-secret', '', content, `--${boundary}--`, ''].join('\r\n')
  const request = { method: 'POST', path: `/${path(document.id)}`, headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}`, Referer: world.server.url }, body: form }
  await write(world, { person, document, body, parent: rev, attachments: { ...attachments, form: content }, request })
}

/** Local documents have the same ids for all, and are each user's own. @param {World} world */
async function local (world) {
  const person = world.chance.one(world.users)
  const id = world.chance.one(['_local/shared', '_local/own'])
  const before = person.locals.get(id)
  const word = world.localWordOf(person)
  const answer = await world.askBoth(person, { method: 'PUT', path: `/${id}`, body: { ...(before !== undefined && { _rev: before.rev }), text: word } }, false)
  assert.equal(answer.status, 201, `${person.name} PUT ${id}: ${answer.status} ${answer.text}`)
  person.locals.set(id, { rev: JSON.parse(answer.text).rev, text: word })
}

/** @param {World} world */
async function forgetLocal (world) {
  const person = world.chance.one(world.users.filter(({ locals }) => locals.size > 0))
  if (person === undefined) return local(world)
  const [id, { rev }] = world.chance.one([...person.locals])
  const answer = await world.askBoth(person, { method: 'DELETE', path: `/${id}?rev=${rev}` }, false)
  assert.equal(answer.status, 200, `${person.name} DELETE ${id}: ${answer.status} ${answer.text}`)
  person.locals.delete(id)
}

/** Others than the observer may come by any role. @param {World} world */
async function changeRoles (world) {
  const user = world.chance.one(world.users)
  await world.setRoles(user, world.chance.some([...world.roles.open, ...user === world.observer ? [] : world.roles.secret]))
}

/** An administrator has a document forgotten. @param {World} world */
async function purge (world) {
  const document = world.chance.one(plain(world, ({ leaves }) => leaves.length === 1))
  if (document === undefined) return
  const answer = await world.askBoth(world.admin, { method: 'POST', path: '/_purge', body: { [document.id]: [winner(document).rev] } }, document.secret)
  assert.equal(answer.status, 201, answer.text)
  world.purged.add(document.id)
  world.model.documents.splice(world.model.documents.indexOf(document), 1)
}

/** Housekeeping changes nothing that anybody sees. @param {World} world */
async function compact (world) {
  for (const way of ['_compact', '_view_cleanup']) {
    const answer = await world.askBoth(world.admin, { method: 'POST', path: `/${way}`, body: {} }, world.chance.happens(0.5))
    assert.equal(answer.status, 202, answer.text)
  }
}

/** A user's PouchDB goes on replicating. @param {World} world */
async function replicateToPouch (world) { await world.chance.one(world.users).pouch.pull() }

/** The server replicates for a user, into a database of that user's. @param {World} world */
async function replicateByServer (world) {
  const person = world.chance.one(world.users)
  await person.box.pull()
}

module.exports = [
  { weight: 3, run: attach, covers: ['PUT /:db/:doc/:attachment+'] },
  { weight: 1, run: detach, covers: ['DELETE /:db/:doc/:attachment+'] },
  { weight: 1, run: upload, covers: ['POST /:db/:doc'] },
  { weight: 3, run: local, covers: ['PUT /:db/:local', 'COPY /:db/:local'] },
  { weight: 1, run: forgetLocal, covers: ['DELETE /:db/:local'] },
  { weight: 3, run: changeRoles, covers: [] },
  { weight: 1, run: purge, covers: ['POST /:db/_purge'] },
  { weight: 1, run: compact, covers: ['POST /:db/_compact', 'POST /:db/_view_cleanup'] },
  { weight: 3, run: replicateToPouch, covers: [] },
  { weight: 1, run: replicateByServer, covers: ['POST /_replicate'] }
]
