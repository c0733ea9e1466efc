'use strict'

const assert = require('node:assert/strict')
const { createHash } = require('node:crypto')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')
const { assertIntegrity } = require('./integrity')

const CHUNK = 256 * 1024
const contents = [0, 5, 6, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 7].map((length, i) => Buffer.alloc(length, `${i} potoroo`))
const digests = contents.map((content) => 'md5-' + createHash('md5').update(content).digest('base64'))

async function * parts (content, size) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

async function * broken (content) {
  yield content
  throw Object.assign(new Error('broken'), { code: 'BROKEN' })
}

/** The ways in which content comes. */
const forms = {
  bytes: (content) => content,
  base64: (content) => content.toString('base64'),
  blob: (content) => new Blob([content]),
  stream: (content) => parts(content, 100000),
  drops: (content) => parts(content.subarray(0, 3000), 7),
  broken
}

const sent = fc.record({
  kind: fc.constantFrom('data', 'data', 'data', 'stub', 'digest'),
  content: fc.nat(contents.length - 1),
  form: fc.oneof({ weight: 12, arbitrary: fc.constantFrom('bytes', 'base64', 'blob', 'stream') }, { weight: 1, arbitrary: fc.constantFrom('drops', 'broken') }),
  type: fc.constantFrom('a/b', 'c/d')
})

const edit = fc.record({
  id: fc.constantFrom('x', 'y', 'z'),
  above: fc.nat(7),
  newEdits: fc.boolean(),
  deleted: fc.boolean(),
  attachments: fc.dictionary(fc.constantFrom('f', 'g', 'h/i'), sent, { maxKeys: 3 })
})

const operation = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write'), edits: fc.uniqueArray(edit, { minLength: 1, maxLength: 3, selector: ({ id }) => id }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'compact' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), id: fc.constantFrom('x', 'y', 'z'), leaf: fc.nat(7) }) }
)

/**
 * Knows what should be stored: id → revision → `{ parent, attachments }`; attachments are null once they
 * were compacted away, else name → `{ content, contentType, revpos }`.
 */
class Model {
  #documents = new Map([['x', new Map()], ['y', new Map()], ['z', new Map()]])

  revisions (id) { return this.#documents.get(id) }
  all () { return [...this.#documents].flatMap(([id, revisions]) => [...revisions].map(([rev, each]) => ({ id, rev, ...each }))) }
  stored () { return this.all().filter(({ attachments }) => attachments !== null) }
  leaves (id) { return [...this.revisions(id).keys()].filter((rev) => this.#isLeaf(id, rev)) }
  #isLeaf (id, rev) { return [...this.revisions(id).values()].every(({ parent }) => parent !== rev) }

  compact () {
    for (const [id, revisions] of this.#documents) {
      for (const [rev, each] of revisions) if (!this.#isLeaf(id, rev)) each.attachments = null
    }
  }

  /** A leaf and those above it that lead to no other leaf. */
  purge (id, rev) {
    for (let at = rev; at !== null && this.#isLeaf(id, at);) {
      const { parent } = this.revisions(id).get(at)
      this.revisions(id).delete(at)
      at = parent
    }
  }

  /** @returns {Record<string, any> | string} the attachments of the new revision, or the code of the error */
  expect ({ id, newEdits, attachments }, parent, generation) {
    if (Object.values(attachments).some(({ kind, form }) => kind === 'data' && form === 'broken')) return 'BROKEN'
    if (newEdits && parent !== null && !this.#isLeaf(id, parent)) return 'CONFLICT'
    const before = parent === null ? {} : this.revisions(id).get(parent).attachments ?? {}
    const after = {}
    for (const [name, { kind, content, form, type }] of Object.entries(attachments)) {
      if (kind === 'data') after[name] = { content: contentOf({ content, form }), contentType: type, revpos: generation }
      else if (kind === 'stub' && name in before) after[name] = before[name]
      else if (kind === 'digest' && name in before && before[name].content.equals(contents[content])) after[name] = before[name]
      else if (kind === 'digest' && (this.#has(contents[content]) || brings(attachments, contents[content]))) after[name] = { content: contents[content], contentType: type, revpos: generation }
      else return 'MISSING_STUB'
    }
    return after
  }

  #has (content) {
    return this.stored().some(({ attachments }) => Object.values(attachments).some((each) => each.content.equals(content)))
  }
}

function contentOf ({ content, form }) {
  return form === 'drops' ? contents[content].subarray(0, 3000) : contents[content]
}

/** Whether the document itself brings the content. */
function brings (attachments, content) {
  return Object.values(attachments).some((each) => each.kind === 'data' && contentOf(each).equals(content))
}

function toInput ({ kind, content, form, type }) {
  if (kind === 'data') return { content_type: type, data: forms[form](contents[content]) }
  return { stub: true, content_type: type, ...(kind === 'digest' && { digest: digests[content] }) }
}

/** Asks for a stub by digest are for those who write alone: who else writes decides what is there. */
function alone ({ edits }) {
  if (edits.length === 1) return edits
  return edits.map((each) => ({ ...each, attachments: Object.fromEntries(Object.entries(each.attachments).filter(([, { kind }]) => kind !== 'digest')) }))
}

async function write (store, model, each, number) {
  const { id, newEdits, deleted, attachments } = each
  const known = [...model.revisions(id).keys()]
  const parent = known.length === 0 ? null : known[each.above % known.length]
  const generation = parent === null ? 1 : Number(parent.split('-')[0]) + 1
  const doc = { _id: id, number, ...(deleted && { _deleted: true }), _attachments: Object.fromEntries(Object.entries(attachments).map(([name, value]) => [name, toInput(value)])) }
  if (newEdits) Object.assign(doc, parent !== null && { _rev: parent })
  else doc._revisions = { start: generation, ids: [`n${number}`, ...(parent === null ? [] : [parent.slice(parent.indexOf('-') + 1)])] }
  const expected = model.expect(each, parent, generation)
  const [result] = await store.write([doc], { newEdits }).catch((error) => [error])
  if (typeof expected === 'string') return assert.equal(result.code, expected, result.stack)
  assert.equal(result.ok, true, result.stack)
  return () => model.revisions(id).set(result.rev, { parent, attachments: expected })
}

async function verify (store, level, model) {
  for (const { id, rev, attachments } of model.stored()) {
    const document = await store.get(id, { rev, attachments: true })
    const found = Object.entries(document.attachments ?? {}).map(([name, { data, contentType, revpos }]) => [name, { content: data, contentType, revpos }])
    assert.deepEqual(Object.fromEntries(found), attachments, `${id} ${rev}`)
  }
  await assertIntegrity(level)
  const wanted = new Set(model.stored().flatMap(({ attachments }) => Object.values(attachments).map(({ content }) => content.toString('latin1'))))
  const records = (await level.keys().all()).filter((key) => key.startsWith('a'))
  assert.equal(records.length, wanted.size, 'each content is stored once')
}

async function run (operations) {
  const level = new MemoryLevel()
  let store = await DocumentStore.open(level)
  const model = new Model()
  for (const [i, each] of operations.entries()) {
    if (each.kind === 'write') {
      const done = await Promise.all(alone(each).map((one, j) => write(store, model, one, 10 * i + j)))
      for (const apply of done) apply?.()
    } else if (each.kind === 'compact') {
      await store.compact()
      model.compact()
    } else if (each.kind === 'reopen') {
      await store.close()
      store = await DocumentStore.open(level)
    } else {
      const leaves = model.leaves(each.id)
      const rev = leaves[each.leaf % leaves.length]
      if (rev === undefined) continue
      await store.purge({ [each.id]: [rev] })
      model.purge(each.id, rev)
    }
    await verify(store, level, model)
  }
  await store.close()
}

describe('random attachments', () => {
  it('are what a simple model says, and each content is stored once', async () => {
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 12 }), run), { numRuns: Number(process.env.RUNS ?? 60) })
  }).timeout(600_000)
})
