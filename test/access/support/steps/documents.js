'use strict'

const { winner } = require('../model')
const { accessFor, isLive, newBody, newDocument, path, plain, somebody, write, writerOf } = require('./writing')

/** @typedef {import('../world').World} World */

/** @param {World} world */
async function create (world) {
  const person = somebody(world)
  const document = newDocument(world)
  const body = newBody(world, document, accessFor(world, person, document))
  const request = world.chance.one([
    { method: 'PUT', path: `/${path(document.id)}`, body },
    { method: 'POST', path: '', body: { _id: document.id, ...body } }
  ])
  await write(world, { person, document, body, request })
}

/** @param {World} world */
async function update (world) {
  const document = world.chance.one(plain(world, isLive))
  if (document === undefined) return create(world)
  const person = writerOf(world, document)
  const { rev, body: { _access: access } } = winner(document)
  const body = newBody(world, document, world.chance.happens(0.5) ? access : accessFor(world, person, document))
  await write(world, { person, document, body, parent: rev, request: { method: 'PUT', path: `/${path(document.id)}`, body: { ...body, _rev: rev } } })
}

/** On top of what is no leaf, or of nothing: as who does not know that the document is there. @param {World} world */
async function collide (world) {
  const document = world.chance.one(plain(world, isLive))
  if (document === undefined) return create(world)
  const person = somebody(world)
  const body = newBody(world, document, accessFor(world, person, document))
  await write(world, { person, document, body, conflicts: true, request: { method: 'PUT', path: `/${path(document.id)}`, body } })
}

/** @param {World} world */
async function remove (world) {
  const document = world.chance.one(plain(world, isLive))
  if (document === undefined) return create(world)
  const person = writerOf(world, document)
  const { rev, body: { _access: access } } = winner(document)
  const [body, request] = world.chance.one([
    [{ _deleted: true }, { method: 'DELETE', path: `/${path(document.id)}?rev=${rev}` }],
    [{ _deleted: true, _access: access }, { method: 'PUT', path: `/${path(document.id)}`, body: { _rev: rev, _deleted: true, _access: access } }]
  ])
  await write(world, { person, document, body, parent: rev, request })
}

/** @param {World} world */
async function resurrect (world) {
  const document = world.chance.one(plain(world, document => !isLive(document) && document.leaves.length === 1))
  if (document === undefined) return remove(world)
  const person = writerOf(world, document)
  const { rev } = winner(document)
  const body = newBody(world, document, accessFor(world, person, document))
  await write(world, { person, document, body, parent: rev, request: { method: 'PUT', path: `/${path(document.id)}`, body: world.chance.happens(0.5) ? { ...body, _rev: rev } : body } })
}

/** A leaf as replication brings it, beside those that are there, or as the first. @param {World} world */
async function replicate (world) {
  const document = world.chance.happens(0.3) ? newDocument(world) : world.chance.one(plain(world))
  if (document === undefined) return create(world)
  const person = writerOf(world, document)
  const isNew = document.leaves.length === 0
  const access = !isNew && world.chance.happens(0.5) ? winner(document).body._access : accessFor(world, person, document)
  const deleted = world.chance.happens(0.15)
  const body = Object.assign(newBody(world, document, access), deleted && { _deleted: true })
  const generation = 1 + world.chance.below(4)
  const ids = Array.from({ length: generation }, () => Array.from({ length: 32 }, () => world.chance.below(16).toString(16)).join(''))
  const rev = `${generation}-${ids[0]}`
  const doc = { _id: document.id, _rev: rev, _revisions: { start: generation, ids }, ...body }
  const request = { method: 'POST', path: '/_bulk_docs', body: { docs: [doc], new_edits: false } }
  const resultOf = (/** @type {any} */ { text }) => JSON.parse(text).length === 0 ? { rev } : { error: text }
  await write(world, { person, document, body, request, resultOf })
}

/** Several at once: each has its own answer. @param {World} world */
async function bulk (world) {
  const person = somebody(world)
  const document = newDocument(world)
  const body = newBody(world, document, accessFor(world, person, document))
  const other = world.chance.one(plain(world, ({ secret }) => secret === document.secret))
  const docs = [{ _id: document.id, ...body }, ...other === undefined ? [] : [{ _id: other.id, _rev: '1-0123456789abcdef0123456789abcdef', text: 'stale' }]]
  const resultOf = (/** @type {any} */ { text }) => JSON.parse(text)[0]
  await write(world, { person, document, body, request: { method: 'POST', path: '/_bulk_docs', body: { docs } }, resultOf })
}

/** @param {World} world */
async function copy (world) {
  const from = world.chance.one(plain(world, isLive))
  if (from === undefined) return create(world)
  const person = writerOf(world, from)
  const document = newDocument(world, { secret: from.secret })
  const { body } = winner(from)
  const conflicts = !world.model.sees(person, from)
  await write(world, { person, document, body, conflicts, attachments: winner(from).attachments, request: { method: 'COPY', path: `/${path(from.id)}`, headers: { Destination: path(document.id) } } })
  // Both have the copied words from now on.
  if (document.leaves.length > 0) world.share(from, document)
}

/** By a function of a design document. @param {World} world */
async function callUpdate (world) {
  const person = somebody(world)
  const document = newDocument(world)
  const body = newBody(world, document, accessFor(world, person, document))
  const request = world.chance.one([
    { method: 'PUT', path: `/_design/all/_update/put/${path(document.id)}`, body },
    { method: 'POST', path: '/_design/all/_update/put', body: { _id: document.id, ...body } }
  ])
  const resultOf = (/** @type {any} */ { headers }) => ({ rev: new Map(headers).get('x-couch-update-newrev') })
  await write(world, { person, document, body, request, resultOf })
}

/** A design document of somebody's own: it is a document as others are, and does nothing. @param {World} world */
async function design (world) {
  const person = somebody(world)
  const document = newDocument(world, { prefix: '_design/' })
  const access = accessFor(world, person, document)
  const body = {
    ...newBody(world, document, person.admin === true && access === undefined ? [person.name] : access),
    views: { spy: { map: 'function (doc) { emit(doc._id, doc) }' } },
    validate_doc_update: 'function () { throw { forbidden: "by the design document of a user" } }'
  }
  await write(world, { person, document, body, request: { method: 'PUT', path: `/${path(document.id)}`, body } })
}

module.exports = [
  { weight: 10, run: create, covers: ['PUT /:db/:doc', 'POST /:db'] },
  { weight: 8, run: update, covers: [] },
  { weight: 3, run: collide, covers: [] },
  { weight: 3, run: remove, covers: ['DELETE /:db/:doc'] },
  { weight: 2, run: resurrect, covers: [] },
  { weight: 6, run: replicate, covers: [] },
  { weight: 2, run: bulk, covers: ['POST /:db/_bulk_docs'] },
  { weight: 2, run: copy, covers: ['COPY /:db/:doc'] },
  { weight: 2, run: callUpdate, covers: ['PUT /:db/:ddoc/_update/:name/:id+', 'POST /:db/:ddoc/_update/:name', 'POST /:db/:ddoc/_update/:name/:id+', 'PUT /:db/:ddoc/_update/:name', 'DELETE /:db/:ddoc/_update/:name', 'COPY /:db/:ddoc/_update/:name', 'DELETE /:db/:ddoc/_update/:name/:id+', 'COPY /:db/:ddoc/_update/:name/:id+'] },
  { weight: 1, run: design, covers: [] }
]
